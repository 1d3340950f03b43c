"""A model as SQL: one SELECT that adds its answers to the rows of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import DataError, ParameterError, shown
from .lower import Compare, Lookup, Lowered, LoweredTree, Stay, lane_texts, lowered

if TYPE_CHECKING:
    from ..model.model import Model
    from ..tables.schema import Column

DIALECTS = ("ansi", "duckdb", "postgresql", "sqlite")
MOST_DEPTH = 400  # SQLite and DuckDB refuse more than 1,000 nested expressions


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
    writer = Writer(low, dialect)
    names = [f"node{i}" for i in range(len(low.trees))]
    nodes = ",\n".join(f"  {writer.node(t)} AS {quoted(n)}" for t, n in zip(low.trees, names, strict=True))
    answers = ",\n".join(writer.answers(names, proba))
    return f"WITH reached AS (\nSELECT *,\n{nodes}\nFROM {quoted(table)}\n)\nSELECT\n{answers}\nFROM reached"


def quoted(name: str) -> str:
    if "\0" in name:
        raise DataError(f"the name {name!r} holds a zero character, which no database takes; rename the column")
    return '"' + name.replace('"', '""') + '"'


class Writer:
    def __init__(self, low: Lowered, dialect: str) -> None:
        self.low, self.dialect = low, dialect

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

    def node(self, tree: LoweredTree) -> str:
        """A CASE that gives the number of the node in which a row ends; written without recursion."""
        out: list[str] = []
        todo: list[str | int] = [0]
        while todo:
            now = todo.pop()
            if isinstance(now, str):
                out.append(now)
                continue
            step = tree.steps[now]
            if isinstance(step, Stay):
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
        return f'CASE "node{tree}" ' + " ".join(f"WHEN {i} THEN {values[i]}" for i in ends) + " END"

    def answers(self, names: list[str], proba: bool) -> list[str]:
        low = self.low
        if low.classes is None:
            sums = [self.by_node(i, [self.number(float(v)) for v in t.values]) for i, t in enumerate(low.trees)]
            return [f"  {self.mean(sums)} AS {quoted('prediction')}"]
        shares = [
            self.mean([self.by_node(i, [self.number(float(v[k])) for v in t.values]) for i, t in enumerate(low.trees)])
            for k in range(len(low.classes))
        ]
        if proba:
            return [f"  {s} AS {quoted(f'probability of {c}')}" for s, c in zip(shares, low.classes, strict=True)]
        literals = [self.literal(c) for c in low.classes]
        if len(low.trees) == 1:
            told = self.by_node(0, [literals[a] for a in low.trees[0].answers])
            return [f"  {told} AS {quoted('prediction')}"]
        # the first of the largest shares
        tests = [" AND ".join(f"({s}) >= ({o})" for o in shares[k + 1 :]) or "1 = 1" for k, s in enumerate(shares)]
        whens = " ".join(f"WHEN {t} THEN {c}" for t, c in zip(tests, literals, strict=True))
        return [f"  CASE {whens} END AS {quoted('prediction')}"]

    @staticmethod
    def mean(parts: list[str]) -> str:
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)}) / {len(parts)}"
