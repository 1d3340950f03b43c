"""A peer that runs in another interpreter, seen from the process that leads the benchmark."""

from __future__ import annotations

import json
import select
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from .install import HERE, PeerFailure, interpreter, reason_of
from .peers import PEERS


class Remote:
    """One peer with one table loaded; see worker.py for the other end."""

    def __init__(self, name: str, X: Path, y: Path, limit: float) -> None:
        self.limit = limit
        python = interpreter(PEERS[name].package)
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (close() closes it)
        self.process = subprocess.Popen(
            [str(python), "-m", "benchmarks.worker", name, str(X), str(y)],
            cwd=HERE.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        self.ready = self.answer()

    def burst(self, times: int) -> list[float]:
        seconds: list[float] = self.ask({"fit": times})["seconds"]
        return seconds

    def judge(self) -> dict[str, Any]:
        return self.ask({"judge": True})

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise PeerFailure(self.last_words()) from None
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """The next answer: one line for each request, so that nothing waits in the pipe before it."""
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], self.limit)
        if not readable:
            self.close()
            raise PeerFailure(f"not done after {self.limit:g} s")
        line = self.process.stdout.readline()
        if not line:
            raise PeerFailure(self.last_words())
        found: dict[str, Any] = json.loads(line)
        return found

    def last_words(self) -> str:
        code = self.process.wait()
        self.errors.seek(0)
        lines = [line for line in self.errors.read().splitlines() if line.strip()]
        why = f"signal {-code}" if code < 0 else (lines or ["no message"])[-1]
        return reason_of(f"the process ended: {why}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.errors.close()
