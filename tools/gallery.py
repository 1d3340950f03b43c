"""Runs every file of examples/ and writes its picture to docs/pictures/, then docs/gallery.md from docstrings and code.

``python tools/gallery.py [NAME ...]``: only these examples are run; the page always has all of them.
"""

from __future__ import annotations

import ast
import io
import os
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"

ORDER = (
    "plane",
    "beyond_greedy",
    "optimal",
    "penguins",
    "categories",
    "missing",
    "pruning",
    "costs",
    "monotone",
    "regression_plane",
    "forest",
    "contributions",
    "dependence",
    "calibration",
    "intervals",
    "comparison",
)

TOP = """# Gallery

Each picture is made by the code below it: a file in `examples/` that you can run as it is. The tests run all of them.
"""


def figure_of(name: str) -> Any:
    """The figure that an example makes, in an empty folder."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["figure"]
        finally:
            os.chdir(here)


def page() -> str:
    """The gallery: title, text, picture and code of each example."""
    parts = [TOP]
    for name in ORDER:
        source = (ROOT / "examples" / f"{name}.py").read_text()
        title, text = ast.get_docstring(ast.parse(source)).split("\n", 1)  # type: ignore[union-attr]
        code = source.split('"""', 2)[2].strip()
        indented = "\n".join(f"    {line}".rstrip() for line in code.splitlines())
        parts.append(f"## {title}\n\n{text.strip()}\n\n![{title}](pictures/{name}.png)\n")
        parts.append(f'??? example "Code: `examples/{name}.py`"\n\n    ```py\n{indented}\n    ```\n')
    return "\n".join(parts)


def main() -> None:
    for name in sys.argv[1:] or ORDER:
        drawn = io.BytesIO()
        figure = figure_of(name)
        figure.savefig(drawn, format="png", dpi=80)
        plt.close(figure)
        (PICTURES / f"{name}.png").write_bytes(drawn.getvalue())
        print(f"{name}.png: {drawn.tell():,} bytes")
    (ROOT / "docs" / "gallery.md").write_text(page())


if __name__ == "__main__":
    main()
