"""Packs the script and the style of the report: sources in, one small file each out.

The packed files are committed, so that nobody needs esbuild to make a report; a test compares the digest in
their first line with the sources. Run it after a change: `npm install esbuild` somewhere, then
`python tools/pack_report.py path/to/esbuild`.
"""

from __future__ import annotations

import hashlib
import re
import string
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "src/bough/output/html"
SCRIPTS = ["base.js", "model.js", "pictures.js", "tree.js", "panel.js", "explain.js", "about.js", "app.js"]
STYLES = ["page.css"]


def source(names: list[str]) -> str:
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


def first_line(names: list[str]) -> str:
    return f"/* sources {hashlib.sha256(source(names).encode()).hexdigest()[:16]} */"


# Properties of the scripts' own objects, which neither the data nor the browser know.
OWN = "cut col out isOpen groups named cols saw raw slim first last index other"


def packed(esbuild: str, text: str, loader: str) -> str:
    own = [f"--mangle-props=^({'|'.join(OWN.split())})$"] if loader == "js" else []
    done = subprocess.run(
        [esbuild, "--minify", "--target=es2022", "--charset=utf8", f"--loader={loader}", *own],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def renamed(style: str, script: str) -> str:
    """Variables of the style that no script speaks of, in a letter or two."""
    found = [v for v in dict.fromkeys(re.findall(r"--[\w]+(?=:)", style)) if v not in script]
    for n, name in enumerate(found):
        style = re.sub(rf"{name}(?!\w)", f"--{string.ascii_uppercase[n]}", style)
    return style


def main() -> None:
    esbuild = sys.argv[1] if len(sys.argv) > 1 else "esbuild"
    script = packed(esbuild, "(() => {\n" + source(SCRIPTS) + "})();", "js")
    script = re.sub(r"\bconst (?=[\w$[{])", "let ", script)  # two bytes less, two hundred times
    script = re.sub(r'([!=]=)=(?="[A-Za-z.])', r"\1", script)  # a word is equal to nothing but itself
    style = renamed(packed(esbuild, source(STYLES), "css"), script)
    for name, names, text in (("page.min.js", SCRIPTS, script), ("page.min.css", STYLES, style)):
        (FOLDER / name).write_text(first_line(names) + text + "\n", encoding="utf-8")
        print(f"{name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
