"""Results as Markdown: tables with the published figure beside ours, and where they come from."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import bough
from bough.compare.statistics import holm, paired

ROOT = Path(__file__).resolve().parents[2]


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]], align_left: int = 1) -> str:
    """A Markdown table; the first columns to the left, all others to the right."""
    marks = ["---" if i < align_left else "---:" for i in range(len(header))]
    lines = [header, marks, *([cell(c) for c in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def plus_minus(mean: float, deviation: float, digits: int = 1) -> str:
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def marks(values: dict[str, Sequence[float]], base: str, parts: int, larger_is_better: bool = True) -> dict[str, str]:
    """Whether a system is better (+) or worse (−) than ``base`` at 5 %: the corrected resampled t-test over folds of
    ``parts`` parts, with Holm's correction."""
    others = [s for s in values if s != base]
    if base not in values or not others:
        return dict.fromkeys(values, "")
    p = holm([paired(values[s], values[base], 1 / (parts - 1)) for s in others])
    better = {s: (np.mean(values[s]) > np.mean(values[base])) == larger_is_better for s in others}
    return {s: ("" if q >= 0.05 else " +" if better[s] else " −") for s, q in zip(others, p, strict=True)} | {base: ""}


def beside(published: object | None, ours: object) -> str:
    """Published / ours; a dash where nothing was published."""
    return f"{cell(published)} / {cell(ours)}"


def provenance(seed: object, full: bool, **more: object) -> dict[str, Any]:
    """Commit, versions, seed: what a result depends on, and nothing about the machine."""
    packages = {"bough": bough.__version__}
    for name in ("numpy", "scipy", "scikit-learn"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:  # no metadata beside it
            packages[name] = "unknown"
    return {
        "commit": commit(),
        "python": platform.python_version(),
        **packages,
        "seed": seed,
        "size": "full" if full else "reduced",
        **more,
    }


def commit() -> str:
    """The commit, with a + where files differ from it (results aside)."""
    try:
        head = git("rev-parse", "--short=10", "HEAD")
        return head + ("+" if git("status", "--porcelain", "--", ".", ":!experiments/*/results*") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def provenance_line(facts: dict[str, Any]) -> str:
    return "*" + ", ".join(f"{key} {value}" for key, value in facts.items()) + "*"


def arguments(prog: str, description: str | None, **options: dict[str, Any]) -> argparse.Namespace:
    """The command line that every experiment has: ``--full`` and ``--out``, and its own options."""
    parser = argparse.ArgumentParser(prog=f"python -m {prog}", description=description)
    parser.add_argument("--full", action="store_true", help="everything as published; without it a reduced run")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where to write; default: results/ of the experiment, a reduced run results/reduced/",
    )
    for name, settings in options.items():
        parser.add_argument("--" + name.replace("_", "-"), **settings)
    return parser.parse_args()


def place(given: argparse.Namespace, here: Path) -> Path:
    """Where an experiment writes: a reduced run never over the results of a full one."""
    return given.out or (here / "results" if given.full else here / "results" / "reduced")


PAGE = {"action": "store_true", "help": "run nothing: the page from the JSON that is there"}


def remade(folder: Path, name: str, page: Callable[[dict[str, Any]], str]) -> str:
    """NAME.md once more, from NAME.json."""
    text = page(json.loads((folder / f"{name}.json").read_text())).rstrip() + "\n"
    (folder / f"{name}.md").write_text(text)
    return text


def kept(path: Path, facts: dict[str, Any], again: bool) -> dict[str, Any]:
    """An earlier result to go on from: only one of the same code, versions, seed and size, and not with ``--again``."""
    if again or not path.exists():
        return {}
    earlier = json.loads(path.read_text())
    return earlier if earlier.get("provenance", earlier.get("facts")) == facts else {}


def write(folder: Path, name: str, text: str, result: dict[str, Any], indent: int | None = 1) -> None:
    """NAME.md and NAME.json, the latter with numbers of six digits; ``indent=None`` puts it on one line."""
    write_json(folder, name, result, indent)
    (folder / f"{name}.md").write_text(text.rstrip() + "\n")


def write_json(folder: Path, name: str, result: dict[str, Any], indent: int | None = 1) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(short(result), indent=indent, ensure_ascii=False) + "\n")


def short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {str(k): short(v) for k, v in value.items()}
    return [short(v) for v in value] if isinstance(value, (list, tuple)) else value
