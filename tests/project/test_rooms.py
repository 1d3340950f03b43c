"""The law of rooms for Python: a module imports only from its own room and from rooms before it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "bough"
ROOMS = ("errors", "_core", "registry", "tables", "model", "output", "estimators", "compare", "dask", "cli")
DOORS = ("__init__", "__main__")  # the front door knows all rooms

# What goes the other way, each inside a function and in this one place: module, room.
LOCAL = {("model/model.py", "output"), ("model/forms.py", "output")}


def room_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path):
    """Rooms that a module imports from, with the line and whether it happens inside a function."""
    package = ["bough", *path.relative_to(SOURCE).parent.parts]
    tree = ast.parse(path.read_text())
    inner = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    typing_only = {
        id(n)
        for f in ast.walk(tree)
        if isinstance(f, ast.If) and isinstance(f.test, ast.Name) and f.test.id == "TYPE_CHECKING"
        for n in ast.walk(f)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted = [a.name.split(".") for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module.split(".") if node.module else [])]
            wanted = [[*module, a.name] for a in node.names]
        else:
            continue
        for parts in wanted:
            if parts[0] == "bough":
                later = id(node) in inner or id(node) in typing_only
                yield (parts[1] if len(parts) > 1 else ""), node.lineno, later


MODULES = sorted(p for p in SOURCE.glob("**/*.py") if room_of(p) not in DOORS)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_module_imports_only_from_rooms_before_it(path):
    own = room_of(path)
    assert own in ROOMS, f"a new room: give {own!r} its place in ROOMS"
    for room, line, later in imports_of(path):
        if room not in ROOMS:  # a public name, by the front door: only the last room does that
            assert own == "cli", f"line {line} imports by the front door"
            continue
        allowed = ROOMS.index(room) <= ROOMS.index(own)
        by_design = later and (str(path.relative_to(SOURCE)), room) in LOCAL
        assert allowed or by_design, f"line {line}: {own} imports from {room}, which comes after it"
