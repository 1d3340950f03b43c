"""A model as SQL: one SELECT with the answers for the rows of a table.

A tree is walked in stages of a few levels, each a common table expression: databases take only so many CASEs inside
each other (SQLite about 20). Between stages stand the columns that the trees ask for, and the node of each tree.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import DataError, ParameterError, shown
from .lower import Compare, Lookup, Lowered, Stay, Step, lane_texts, lowered

if TYPE_CHECKING:
    from ..model.model import Model
    from ..tables.schema import Column

DIALECTS = ("ansi", "duckdb", "postgresql", "sqlite")
LEVELS = 8  # of a stage: SQLite's parser takes 100 open words, and a CASE keeps up to six open
MOST_DEPTH = 400  # fifty stages
MOST_TREES = 500  # SQLite and DuckDB take sums of about 1,000 terms


def write(model: Model, table: str = "data", dialect: str = "ansi", proba: bool = False) -> bytes:
    return f"{to_sql(model, table, dialect, proba)};\n".encode()


def to_sql(model: Model, table: str = "data", dialect: str = "ansi", proba: bool = False) -> str:
    """See `Model.to_sql`."""
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise ParameterError(f"dialect must be one of {', '.join(DIALECTS)}, not {shown(dialect)}")
    if type(proba) is not bool:
        raise ParameterError(f"proba must be True or False, not {shown(proba)}")
    if not isinstance(table, str) or not table:
        raise ParameterError(f"table must be the name of a table, not {shown(table)}")
    low = lowered(model)
    if proba and low.classes is None:
        raise ParameterError("proba=True is for classes; this model predicts numbers")
    deepest = max(t.depth for t in low.trees)
    if deepest > MOST_DEPTH:
        raise DataError(
            f"the tree has {deepest} levels, and databases take about {MOST_DEPTH}; "
            "prune it, set max_depth, or export it with to_onnx or to_python"
        )
    if len(low.trees) > MOST_TREES:
        raise DataError(
            f"the forest has {len(low.trees):,} trees, and databases take about {MOST_TREES} in one query; "
            "fit fewer, or export it with to_onnx or to_python"
        )
    return Writer(low, dialect, table).select(proba)


def quoted(name: str) -> str:
    if "\0" in name:
        raise DataError(f"the name {name!r} holds a zero character, which no database takes; rename the column")
    return '"' + name.replace('"', '""') + '"'


class Writer:
    def __init__(self, low: Lowered, dialect: str, table: str) -> None:
        self.low, self.dialect = low, dialect
        self.source = table  # what the next stage reads
        self.name = "stage_" if table.lower().startswith("stage") else "stage"
        self.stages: list[str] = []
        taken = {c.name.lower() for c in low.schema.columns}  # names in SQL are the same in any case
        more = ""
        while any(n.startswith(("node" + more, "share" + more)) for n in taken):
            more += "_"
        self.nodes = [quoted(f"node{more}{i}") for i in range(len(low.trees))]
        self.shares = [quoted(f"share{more}{k}") for k in range(len(low.classes or ()))]

    def select(self, proba: bool) -> str:
        low = self.low
        levels = max(t.depth for t in low.trees)
        depths = [depths_of(t.steps) for t in low.trees]
        for top in range(0, max(1, levels), LEVELS):
            parts = [self.stage(i, top, depths[i]) for i in range(len(low.trees))]
            below = [s for t, d in zip(low.trees, depths, strict=True) for s, at in zip(t.steps, d, strict=True)
                     if at >= top + LEVELS]  # fmt: skip
            self.add([*map(quoted, self.asked_for(below)), *parts])
        if low.classes is not None and len(low.trees) > 1:
            self.add([f"{self.mean_of(k)} AS {name}" for k, name in enumerate(self.shares)])
        answers = ",\n".join(self.answers(proba))
        # a stage is computed once, not written into the next one wherever that speaks of it
        once = " MATERIALIZED" if len(self.stages) > 1 and self.dialect != "ansi" else ""
        stages = ",\n".join(f"{quoted(f'{self.name}{i}')} AS{once} (\n{s}\n)" for i, s in enumerate(self.stages))
        return f"WITH {stages}\nSELECT\n{answers}\nFROM {quoted(self.source)}"

    def add(self, parts: list[str]) -> None:
        lines = ",\n".join(f"  {p}" for p in parts)
        self.stages.append(f"SELECT\n{lines}\nFROM {quoted(self.source)}")
        self.source = f"{self.name}{len(self.stages) - 1}"

    def asked_for(self, steps: list[Step]) -> list[str]:
        """The columns that steps ask for, in the order of the table."""
        used: set[int] = set()
        for s in steps:
            used.update(s.columns if isinstance(s, Compare) else [s.column] if isinstance(s, Lookup) else [])
        return [self.low.schema.columns[c].name for c in sorted(used)]

    def literal(self, value: Any) -> str:
        if isinstance(value, bool):
            return str(int(value)) if self.dialect == "sqlite" else str(value).upper()
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        text = str(value)
        if "\0" in text:
            raise DataError(f"the value {text!r} holds a zero character, which no database takes")
        return "'" + text.replace("'", "''") + "'"

    def number(self, x: float) -> str:
        """A float64 literal; without an exponent some databases read a decimal and round it otherwise."""
        if math.isinf(x):
            return {"sqlite": "9e999", "ansi": "CAST('Infinity' AS DOUBLE PRECISION)"}.get(
                self.dialect, "CAST('Infinity' AS DOUBLE PRECISION)"
            )
        text = repr(x)
        return text if "e" in text else f"{text}e0"

    def value_of(self, column: Column) -> str:
        name = quoted(column.name)
        return name if column.kind == "numeric" else f"CAST({name} AS DOUBLE PRECISION)"

    # ---- where a row ends -----------------------------------------------------------------------

    def stage(self, tree: int, top: int, depths: list[int]) -> str:
        """The node of a tree at which a row is some levels further down."""
        steps, name = self.low.trees[tree].steps, self.nodes[tree]
        if top == 0:
            return f"{self.node(steps, 0, depths)} AS {name}"
        roots = [i for i, d in enumerate(depths) if d == top and not isinstance(steps[i], Stay)]
        if not roots:
            return name
        whens = " ".join(f"WHEN {i} THEN {self.node(steps, i, depths)}" for i in roots)
        return f"CASE {name} {whens} ELSE {name} END AS {name}"

    def node(self, steps: list[Step], root: int, depths: list[int]) -> str:
        """A CASE that gives the number of the node in which a row ends, or at which the next stage takes over; written
        without recursion."""
        out: list[str] = []
        todo: list[str | int] = [root]
        while todo:
            now = todo.pop()
            if isinstance(now, str):
                out.append(now)
                continue
            step = steps[now]
            if isinstance(step, Stay) or depths[now] == depths[root] + LEVELS:
                out.append(str(now))
            elif isinstance(step, Compare):
                out.append(f"CASE WHEN {self.at_most(step)} THEN ")
                todo += [" END", step.right, " ELSE ", step.left]
            else:
                todo += reversed(self.branches(step, now))
        return "".join(out)

    def at_most(self, step: Compare) -> str:
        columns = [self.low.schema.columns[c] for c in step.columns]
        if step.single:
            left = self.value_of(columns[0])
        else:
            terms = [
                f"{self.number(w)} * ({self.value_of(c)} - {self.number(m)})"
                for c, w, m in zip(columns, step.weights, step.centers, strict=True)
            ]
            left = lane_texts(terms)
        test = f"{left} IS NOT NULL" if math.isinf(step.cut) else f"{left} <= {self.number(step.cut)}"
        if step.missing == step.left:
            gaps = " OR ".join(f"{quoted(c.name)} IS NULL" for c in columns)
            return f"({test} OR {gaps})"
        return test

    def branches(self, step: Lookup, node: int) -> list[str | int]:
        """Everything but the branch that takes other values is asked for by name; that one is the rest."""
        groups: dict[int, list[int]] = {}
        for code, to in step.to.items():
            groups.setdefault(to, []).append(code)
        groups.pop(step.other, None)
        if not groups:
            return [str(node) if step.other == node else step.other]
        column = self.low.schema.columns[step.column]
        out: list[str | int] = ["CASE"]
        for to, codes in groups.items():
            out += [f" WHEN {self.among(column, codes)} THEN ", to]
        return [*out, " ELSE ", str(node) if step.other == node else step.other, " END"]

    def among(self, column: Column, codes: list[int]) -> str:
        name = quoted(column.name)
        values = [column.values[c] for c in codes]
        known = [self.literal(v) for v in values if v is not None]
        test = f"{name} IN ({', '.join(known)})" if known else ""
        if len(known) == len(values):
            return test
        return f"({test} OR {name} IS NULL)" if test else f"{name} IS NULL"

    # ---- what it answers ------------------------------------------------------------------------

    def by_node(self, tree: int, values: list[str]) -> str:
        """A CASE over the nodes in which rows can end."""
        steps = self.low.trees[tree].steps
        ends = [i for i, s in enumerate(steps) if isinstance(s, Stay) or (isinstance(s, Lookup) and s.other == i)]
        return f"CASE {self.nodes[tree]} " + " ".join(f"WHEN {i} THEN {values[i]}" for i in ends) + " END"

    def mean_of(self, k: int | None) -> str:
        """The share of a class, or the number, that all trees say together."""
        trees = enumerate(self.low.trees)
        parts = [self.by_node(i, [self.number(float(v if k is None else v[k])) for v in t.values]) for i, t in trees]
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)}) / {len(parts)}"

    def answers(self, proba: bool) -> list[str]:
        low, prediction = self.low, quoted("prediction")
        if low.classes is None:
            return [f"  {self.mean_of(None)} AS {prediction}"]
        single = len(low.trees) == 1
        if proba:
            found = [self.mean_of(k) for k in range(len(low.classes))] if single else self.shares
            return [f"  {s} AS {quoted(f'probability of {c}')}" for s, c in zip(found, low.classes, strict=True)]
        literals = [self.literal(c) for c in low.classes]
        if single:
            return [f"  {self.by_node(0, [literals[a] for a in low.trees[0].answers])} AS {prediction}"]
        # the first of the largest shares
        tests = [" AND ".join(f"{s} >= {o}" for o in self.shares[k + 1 :]) for k, s in enumerate(self.shares)]
        whens = " ".join(f"WHEN {t or '1 = 1'} THEN {c}" for t, c in zip(tests, literals, strict=True))
        return [f"  CASE {whens} END AS {prediction}"]


def depths_of(steps: list[Step]) -> list[int]:
    """How deep each node lies; parents stand before their children."""
    depths = [0] * len(steps)
    for i, s in enumerate(steps):
        below = () if isinstance(s, Stay) else (s.left, s.right) if isinstance(s, Compare) else s.to.values()
        for c in below:
            depths[c] = depths[i] + 1
    return depths
