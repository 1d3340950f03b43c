"""CONTRIBUTING.md as a program: its files are written into a copy of the repository, its lines added to the lists,
and a core is linked that has the new plug-ins. Only new and changed files are compiled, without optimisation."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^`([\w./-]+)`[^\n]*:\n\n```(\w+)\n(.*?)^```$", flags=re.M | re.S)


@dataclass(frozen=True)
class Step:
    """One block of the page: a new file, lines at the end of one that is there, or a line added to a list."""

    path: str
    language: str
    text: str

    def take(self, root: Path) -> None:
        target = root / self.path
        if self.language == "diff":
            before, after = self.sides()
            text = target.read_text()
            assert text.count(before) == 1, f"{self.path} must have these lines once:\n{before}"
            target.write_text(text.replace(before, after))
        elif target.exists():
            target.write_text(f"{target.read_text()}\n\n{self.text}")
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.text)

    def sides(self) -> tuple[str, str]:
        """The lines of a diff before and after."""
        lines = self.text.splitlines(keepends=True)
        return "".join(x[1:] for x in lines if x[0] == " "), "".join(x[1:] for x in lines if x[0] in " +")


def sections() -> dict[str, list[Step]]:
    """The steps under each heading 'Add a …'."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    parts = re.split(r"^## Add an? (.+)$", text, flags=re.M)[1:]
    return {
        kind: [Step(path, language, content) for path, language, content in FENCE.findall(body)]
        for kind, body in zip(parts[::2], parts[1::2], strict=True)
    }


def copy_of_the_repository(to: Path) -> None:
    """What a clone would have, with the stub that the build left."""
    for name in ("cpp", "src", "tests", "tools", "docs"):
        shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / name, to)


def build_folder() -> Path | None:
    """Where the editable build of this checkout left its objects."""
    found = [p.parent for p in ROOT.glob("build/*/build.ninja") if list(p.parent.glob("_core*.so"))]
    return max(found, key=lambda p: p.stat().st_mtime, default=None)


def link_core(root: Path, changed: list[str]) -> None:
    """Puts a core into ``root``/src/bough: the objects of this checkout, and those of the changed files."""
    build = build_folder()
    assert build is not None
    ninja = Path(sys.executable).parent / "ninja"
    commands = subprocess.run([ninja, "-t", "commands", "_core"], cwd=build, capture_output=True, text=True, check=True)
    lines = [shlex.split(line) for line in commands.stdout.splitlines()]
    model = next(c for c in lines if c[-1].endswith("cpp/plugins.cpp"))
    link = next(c for c in reversed(lines) if "-shared" in c or "-bundle" in c)
    objects = []
    for path in changed:
        made = root / "objects" / f"{path}.o"
        made.parent.mkdir(parents=True, exist_ok=True)
        objects.append(str(made))
        command = [*model[: model.index("-MD")], "-O0", "-o", str(made), "-c", str(root / path)]
        command = [f"-I{root / 'cpp'}" if c == f"-I{ROOT / 'cpp'}" else c for c in command]
        run(command, build)
    old = next(c for c in link if c.endswith("cpp/plugins.cpp.o"))
    core = root / "src" / "bough" / link[link.index("-o") + 1]
    link = [str(core) if c == core.name else c for c in link if c not in (":", "&&")]
    run([*(x for c in link for x in (objects if c == old else [c]))], build)


def run(command: list[str], where: Path) -> None:
    done = subprocess.run(command, cwd=where, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr[-3000:]}"


# The editable install of the checkout would be found before the copy.
ALONE = (
    "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__];"
    "sys.path.insert(0, {src!r}); import bough; assert bough.__file__.startswith({src!r}), bough.__file__;"
)


def python(root: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs code in which `bough` is the copy's."""
    start = ALONE.format(src=str(root / "src"))
    return subprocess.run([sys.executable, "-c", start + code, *arguments], cwd=root, capture_output=True, text=True)
