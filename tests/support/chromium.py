"""Debian's Chromium, driven over a pipe by its own protocol: pages are opened from disk, looked at and used."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


class Chromium:
    """One browser with one page. Everything the page asks for, says and shows is kept in `events`."""

    def __init__(self) -> None:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            pytest.skip("chromium is not installed: apt-get install chromium")
        self.profile = tempfile.mkdtemp(prefix="bough-chromium-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def pipes() -> None:
            # the protocol is read from file 3 and written to file 4
            os.dup2(os.dup(to_browser), 10)
            os.dup2(os.dup(from_browser), 11)
            os.dup2(10, 3)
            os.dup2(11, 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=pipes,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.numbers = itertools.count(1)
        self.buffer = b""
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol -------------------------------------------------------------------------------

    def call(self, method: str, seconds: float = 60, **params: Any) -> Any:
        number = next(self.numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + seconds
        while True:
            found = self.next_message(end)
            if found.get("id") == number:
                if "error" in found:
                    raise AssertionError(f"{method}: {found['error']}")
                return found["result"]
            self.events.append(found)

    def next_message(self, end: float) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise AssertionError("the browser does not answer")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise AssertionError("the browser has ended")
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    # ---- what a person does ---------------------------------------------------------------------------

    def size(self, width: int, height: int = 900, dark: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])

    def open(self, path: Path, hash: str = "") -> None:
        self.events.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + hash)
        end = time.monotonic() + 60
        while self.js("document.readyState") != "complete":
            assert time.monotonic() < end, "the page does not load"
            time.sleep(0.02)

    def open_plain(self, path: Path) -> None:
        """Opens a page whose scripts are switched off."""
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        time.sleep(0.5)

    def js(self, expression: str) -> Any:
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"].get("exception", found["exceptionDetails"]))
        return found["result"].get("value")

    def key(self, name: str) -> None:
        code = {"Enter": "\r", "Space": " "}.get(name, name if len(name) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            text = {"text": code} if code and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=" " if name == "Space" else name, **text)

    def click(self, selector: str) -> None:
        box = self.js(
            f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            "return [r.left + r.width / 2, r.top + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def picture(self, path: Path) -> Path:
        shot = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(shot))
        return path

    # ---- what it saw ----------------------------------------------------------------------------------

    def of(self, method: str) -> list[dict[str, Any]]:
        return [e["params"] for e in self.events if e.get("method") == method]

    def complaints(self) -> list[str]:
        """Errors of scripts, of the console and of the security policy."""
        told = [str(e["exceptionDetails"]) for e in self.of("Runtime.exceptionThrown")]
        told += [str(e["entry"]["text"]) for e in self.of("Log.entryAdded") if e["entry"]["level"] == "error"]
        told += [str(e["args"]) for e in self.of("Runtime.consoleAPICalled") if e["type"] == "error"]
        return told

    def requests(self) -> list[str]:
        """Addresses that were asked for, the page itself left out."""
        urls = [str(e["request"]["url"]) for e in self.of("Network.requestWillBeSent")]
        return [u for u in urls if not u.startswith(("file:", "about:", "data:", "blob:"))]
