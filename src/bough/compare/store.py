"""The results file: one JSON value on each line, one line for each finished fold.

Lines are only ever appended while a run goes on, so a run that is killed leaves a file that lacks folds or ends in
the middle of a line; the next run cuts that line off and does what is missing. When all folds are there the lines
are put in the order of the plan, so that the file does not tell how often the run was interrupted.
"""

from __future__ import annotations

import base64
import json
import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .._version import __version__
from ..errors import DataError, ParameterError, shown
from ..registry import is_number

try:
    import fcntl
except ImportError:  # Windows: two runs on one file are then not kept apart
    fcntl = None  # type: ignore[assignment]

FORMAT = 1
LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib")
Record = dict[str, Any]
# What the records of each kind have, besides what only their readers ask for.
FIELDS: dict[str, dict[str, type]] = {
    "comparison": {"task": str, "measure": str, "seed": int},
    "run": {"machine": dict, "versions": dict},
    "data": {"name": str, "rows": int, "columns": int},
    "system": {"name": str, "estimator": str, "params": dict},
    "fold": {"data": str, "system": str, "repeat": int, "fold": int, "train": int, "test": int},
}
OPTIONAL: dict[str, dict[str, type]] = {
    "comparison": {},
    "run": {},
    "data": {"classes": int},
    "system": {"grid": dict},
    "fold": {"failure": str, "measures": dict, "chosen": dict},
}


class ResultsError(DataError):
    """A results file that is none, or of another comparison."""


def this_run() -> Record:
    """Machine and versions, without a name of either machine or user."""
    versions = {"python": platform.python_version(), "bough": __version__}
    for library in LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:  # no metadata beside it
            versions[library] = "unknown"
    machine = {"system": platform.system(), "processor": processor(), "cores": os.cpu_count()}
    return {"kind": "run", "machine": machine, "versions": versions}


def processor() -> str:
    """The name of the processor, where the system tells it."""
    try:
        for text in Path("/proc/cpuinfo").read_text().splitlines():
            if text.startswith("model name"):
                return text.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def fold_key(r: Record) -> tuple[str, str, int, int]:
    return r["data"], r["system"], r["repeat"], r["fold"]


class Store:
    """Records of a comparison, in memory and, with a path, in a file."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.records: list[Record] = []
        self.stream: Any = None

    # ---- reading --------------------------------------------------------------------------------

    @staticmethod
    def read(path: str | os.PathLike[str]) -> list[Record]:
        """All whole lines of a file."""
        return whole_lines(Path(path))[0]

    def of_kind(self, kind: str) -> list[Record]:
        return [r for r in self.records if r["kind"] == kind]

    def folds(self) -> Iterator[Record]:
        return (r for r in self.records if r["kind"] == "fold")

    # ---- writing --------------------------------------------------------------------------------

    def begin(self, plan: Record, data: list[Record], systems: list[Record]) -> None:
        """Opens the file, checks that it is of this comparison, and adds what it does not say yet."""
        if self.path is not None:
            self.open()
        if self.records:
            self.check(plan, data, systems)
        else:
            self.add(plan)
        run = this_run()
        if run not in self.of_kind("run"):
            self.add(run)
        known = {(r["kind"], r.get("name")) for r in self.records}
        for record in [*data, *systems]:
            if (record["kind"], record["name"]) not in known:
                self.add(record)

    def open(self) -> None:
        assert self.path is not None
        if self.path.is_dir():
            raise DataError(f"{str(self.path)!r} is a folder; results are written to a file.")
        if self.path.exists() and not self.path.is_file():
            raise DataError(f"{str(self.path)!r} is a device or a pipe; results are written to a file.")
        if not self.path.parent.is_dir():
            raise DataError(f"there is no folder {str(self.path.parent)!r} to write {self.path.name!r} to.")
        self.stream = open(self.path, "ab", buffering=0)  # noqa: SIM115 (closed by finish)
        if fcntl is not None:
            try:
                fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.close()
                raise ResultsError(f"{str(self.path)!r} is being written by another run.") from None
        try:
            self.records, size = whole_lines(self.path)
        except ResultsError:
            self.close()
            raise
        os.ftruncate(self.stream.fileno(), size)

    def check(self, plan: Record, data: list[Record], systems: list[Record]) -> None:
        """Refuses to mix the results of one comparison with those of another."""
        where = f"{str(self.path)!r} holds results"
        for key, value in plan.items():
            if self.records[0].get(key) != value:
                raise ResultsError(
                    f"{where} with {key}={self.records[0].get(key)!r}, and now it is {value!r}; name another file."
                )
        known = {(r["kind"], r.get("name")): r for r in self.records}
        for record in [*data, *systems]:
            before = known.get((record["kind"], record["name"]))
            if before is not None and before != json.loads(line_of(record)):
                what = "other data" if record["kind"] == "data" else "another system"
                raise ResultsError(f"{where} of {what} called {record['name']!r}; give this one another name.")

    def add(self, record: Record) -> None:
        """Adds a record and, with a file, its line in one write."""
        line = line_of(record)
        self.records.append(json.loads(line))
        if self.stream is not None:
            self.stream.write(line)

    def finish(self) -> None:
        """Puts the lines in the order of the plan, the whole file at once, and closes it."""
        self.records = in_order(self.records)
        if self.stream is None:
            return
        assert self.path is not None
        whole = b"".join(map(line_of, self.records))
        if self.path.read_bytes() != whole:
            beside = self.path.with_name(self.path.name + ".part")
            with open(beside, "wb") as stream:
                stream.write(whole)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(beside, self.path)
        self.close()

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()
            self.stream = None


def line_of(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=True, allow_nan=False, default=str).encode() + b"\n"


def whole_lines(path: Path) -> tuple[list[Record], int]:
    """The records of a file, and how many bytes they take; a last line that is not whole is left out."""
    content = path.read_bytes()
    records: list[Record] = []
    lines: list[int] = []
    size = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        record = parsed(line) if line.endswith(b"\n") else None
        if record is None:
            if size + len(line) < len(content):
                raise ResultsError(f"{str(path)!r} is not a results file, or damaged: line {number} is no record.")
            break
        lines.append(number)
        records.append(record)
        size += len(line)
    if content and (not records or records[0].get("kind") != "comparison"):
        if records or b"\n" in content:
            raise ResultsError(f"{str(path)!r} is not a results file of `bough compare`; name another one.")
        if not b'{"kind": "comparison"'.startswith(content[:21]):
            raise ResultsError(f"{str(path)!r} is not a results file of `bough compare`; name another one.")
    if records and records[0].get("version") != FORMAT:
        raise ParameterError(f"{str(path)!r} is of version {records[0].get('version')}; this bough reads {FORMAT}.")
    return once(records, repr(str(path)), lines), size


def once(records: Sequence[Record], where: str, lines: Sequence[int] | None = None) -> list[Record]:
    """Records, each fold, data set and system once; refused where one lacks what such records have."""
    kept: dict[Any, Record] = {}
    for number, record in zip(lines or range(1, len(records) + 1), records, strict=True):
        wrong = fault(record, kept)
        if wrong:
            raise ResultsError(f"{where}: line {number} {wrong}. Take the line away and run the comparison again.")
        kept.setdefault(key_of(record), record)
    return list(kept.values())


def key_of(record: Record) -> tuple[Any, ...]:
    """What there is one record of."""
    if record["kind"] == "fold":
        return "fold", *fold_key(record)
    return (record["kind"], line_of(record)) if record["kind"] == "run" else (record["kind"], record.get("name"))


def fault(record: Record, before: Mapping[Any, Record]) -> str:
    """What is wrong with a record, after those before it; empty if nothing is."""
    kind = record["kind"]
    if kind not in FIELDS:
        return f"is of a kind that no results have, {shown(kind)}"
    for name, of in FIELDS[kind].items():
        if not isinstance(record.get(name), of) or isinstance(record.get(name), bool):
            return f"has no {name}" if name not in record else f"has {name}={shown(record[name])}"
    if kind == "comparison" and record["task"] not in ("classification", "regression"):
        return f"has task={shown(record['task'])}"
    for name, of in OPTIONAL[kind].items():
        if record.get(name) is not None and not isinstance(record[name], of):
            return f"has {name}={shown(record[name])}"
    same = before.get(key_of(record))
    if kind != "fold":
        differs = same is not None and kind in ("comparison", "data", "system") and same != record
        return "says something else than a line before of the same name" if differs else ""
    for what in ("data", "system"):
        if (what, record[what]) not in before:
            return f"is of a {what} {shown(record[what])} that no line before describes"
    if min(record["repeat"], record["fold"], record["train"] - 1, record["test"] - 1) < 0:
        return "has a number below zero"
    if "failure" not in record or (not record["failure"] and record.get("measures") is None):
        return "has neither measures nor a failure"
    if not all(v is None or (is_number(v) and math.isfinite(v)) for v in (record.get("measures") or {}).values()):
        return "has measures that are no numbers"
    if "right" in record and not is_bits(record["right"], record["test"]):
        return "has rows that are neither right nor wrong"
    return ""


def is_bits(text: Any, n: int) -> bool:
    """Whether a text holds a bit for each of n rows."""
    try:
        return isinstance(text, str) and len(base64.b64decode(text, validate=True)) == (n + 7) // 8
    except ValueError:
        return False


def parsed(line: bytes) -> Record | None:
    try:
        record = json.loads(line, parse_float=finite, parse_constant=finite)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("kind"), str) else None


def finite(text: str) -> float:
    """A number as JSON has it: there are no others in a file of results."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def in_order(records: list[Record]) -> list[Record]:
    """Plan, runs, data, systems, then folds by data, repeat, fold and system."""
    places: dict[tuple[str, str], int] = {}
    for r in records:
        if r["kind"] in ("data", "system"):
            places.setdefault((r["kind"], r["name"]), len(places))
    kinds = ("comparison", "run", "data", "system", "fold")

    def key(r: Record) -> tuple[int, ...]:
        if r["kind"] != "fold":
            return (kinds.index(r["kind"]),)
        return (4, places["data", r["data"]], r["repeat"], r["fold"], places["system", r["system"]])

    return sorted(records, key=key)
