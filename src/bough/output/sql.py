"""A model as SQL: one SELECT with the answers for the rows of a table.

A tree is walked in stages of a few levels, each a common table expression: databases take only so many CASEs inside
each other (SQLite about 20). Between stages stand the columns that the trees ask for, and the node of each tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import DataError, ParameterError, shown
from ..model.stakes import TIE
from .lower import Compare, Lookup, Lowered, LoweredTree, Stay, Step, lane_texts, lowered
from .sql_shared import select_shared

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
    deepest = max(t.max_depth for t in model.trees)
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
    writer = Writer(low, dialect, table)
    return writer.select(proba) if low.trees[0].shares is None else select_shared(writer, proba)


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
        while any(n.startswith(("node" + more, "share" + more, "cost" + more)) for n in taken):  # also node0_17
            more += "_"
        self.nodes = [quoted(f"node{more}{i}") for i in range(len(low.trees))]
        self.shares = [quoted(f"share{more}{k}") for k in range(len(low.classes or ()))]
        self.costs = [quoted(f"cost{more}{k}") for k in range(len(low.costs or ()))]
        self.limit = quoted(f"cost{more}")  # of an answer

    def select(self, proba: bool) -> str:
        low = self.low
        depths = [depths_of(t) for t in low.trees]
        levels = max(map(max, depths))
        for top in range(0, max(1, levels), LEVELS):
            parts = [self.stage(i, top, depths[i]) for i in range(len(low.trees))]
            below = [s for t, d in zip(low.trees, depths, strict=True) for s, at in zip(t.steps, d, strict=True)
                     if at >= top + LEVELS]  # fmt: skip
            self.add([*self.asked_for(below), *parts])
        if low.classes is not None and len(low.trees) > 1:
            self.add([f"{self.mean_of(k)} AS {name}" for k, name in enumerate(self.shares)])
        return self.whole(self.answers(proba))

    def whole(self, answers: list[str]) -> str:
        # a stage is computed once, not written into the next one wherever that speaks of it
        once = " MATERIALIZED" if len(self.stages) > 1 and self.dialect != "ansi" else ""
        stages = ",\n".join(f"{quoted(f'{self.name}{i}')} AS{once} (\n{s}\n)" for i, s in enumerate(self.stages))
        told = ",\n".join(answers)
        return f"WITH {stages}\nSELECT\n{told}\nFROM {quoted(self.source)}"

    def add(self, parts: list[str]) -> None:
        lines = ",\n".join(f"  {p}" for p in parts)
        self.stages.append(f"SELECT\n{lines}\nFROM {quoted(self.source)}")
        self.source = f"{self.name}{len(self.stages) - 1}"

    def asked_for(self, steps: list[Step]) -> list[str]:
        """The columns that steps ask for, in the order of the table."""
        used: set[int] = set()
        for s in steps:
            used.update(s.columns if isinstance(s, Compare) else [s.column] if isinstance(s, Lookup) else [])
        return [quoted(self.low.schema.columns[c].name) for c in sorted(used)]

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
        if column.ordinal:  # its place; NULL for what the order lacks
            places = " ".join(f"WHEN {self.literal(v)} THEN {i}" for i, v in enumerate(column.values))
            return f"CAST(CASE {name} {places} END AS DOUBLE PRECISION)"
        return name if column.kind == "numeric" else f"CAST({name} AS DOUBLE PRECISION)"

    # ---- where a row ends -----------------------------------------------------------------------

    def stage(self, tree: int, top: int, depths: list[int]) -> str:
        """The node of a tree at which a row is some levels further down."""
        low, name = self.low.trees[tree], self.nodes[tree]
        if top == 0:
            return f"{self.node(low, 0, depths)} AS {name}"
        roots = [i for i in range(low.n_nodes) if depths[i] == top and not isinstance(low.steps[i], Stay)]
        if not roots:
            return name
        whens = " ".join(f"WHEN {i} THEN {self.node(low, i, depths)}" for i in roots)
        return f"CASE {name} {whens} ELSE {name} END AS {name}"

    def node(self, tree: LoweredTree, root: int, depths: list[int]) -> str:
        """A CASE that gives the number of the node in which a row ends, or at which the next stage takes over; written
        without recursion."""
        out: list[str] = []
        todo: list[str | int] = [root]
        while todo:
            now = todo.pop()
            if isinstance(now, str):
                out.append(now)
                continue
            step = tree.steps[now]
            if isinstance(step, Stay) or depths[now] == depths[root] + LEVELS:
                out.append(str(now))
            elif without_value(step) >= tree.n_nodes or (isinstance(step, Compare) and step.missing == now):
                sides = (step.left, step.right) if isinstance(step, Compare) else step.to.values()
                right = next(c for c in sides if c != now + 1)
                if stops(tree, now):  # where no test knows the way
                    out.append(f"CASE {self.by_surrogates(tree, now)} WHEN 1 = 1 THEN ")
                    todo += [f" ELSE {now} END", right, " WHEN 1 = 0 THEN ", now + 1]
                else:
                    out.append(f"CASE WHEN {self.by_surrogates(tree, now)} THEN ")
                    todo += [" END", right, " ELSE ", now + 1]
            elif isinstance(step, Compare):
                out.append(f"CASE WHEN {self.at_most(step)} THEN ")
                todo += [" END", step.right, " ELSE ", step.left]
            else:
                todo += reversed(self.branches(step, now))
        return "".join(out)

    def by_surrogates(self, tree: LoweredTree, node: int) -> str:
        """Whether a row goes to the left child: the first test that knows its value says so; NULL if it stops."""
        left, tests = node + 1, []
        for at in chain(tree, node):
            step = tree.steps[at]
            if isinstance(step, Compare):
                tests.append(f"{self.sum_of(step)} {'<=' if step.left == left else '>'} {self.number(step.cut)}")
            elif isinstance(step, Lookup):
                column = self.low.schema.columns[step.column]
                sides = [[c for c, to in step.to.items() if (to == left) == way] for way in (True, False)]
                whens = [f"WHEN {self.among(column, s)} THEN 1 = {n}" for s, n in zip(sides, (1, 0), strict=True) if s]
                tests.append(f"CASE {' '.join(whens)} END")
        if not stops(tree, node):
            tests.append(f"1 = {int(without_value(step) == left)}")
        return f"COALESCE({', '.join(tests)})" if len(tests) > 1 else f"({tests[0]})"

    def sum_of(self, step: Compare) -> str:
        columns = [self.low.schema.columns[c] for c in step.columns]
        if step.single:
            return self.value_of(columns[0])
        terms = [
            f"{self.number(w)} * ({self.value_of(c)} - {self.number(m)})"
            for c, w, m in zip(columns, step.weights, step.centers, strict=True)
        ]
        if step.gaps_at_center:
            terms = [f"COALESCE({t}, 0.0)" for t in terms]
        return lane_texts(terms)

    def at_most(self, step: Compare) -> str:
        columns = [self.low.schema.columns[c] for c in step.columns]
        left = self.sum_of(step)
        test = f"{left} IS NOT NULL" if math.isinf(step.cut) else f"{left} <= {self.number(step.cut)}"
        if step.missing == step.left and not step.gaps_at_center:
            gaps = " OR ".join(f"{self.value_of(c) if c.ordinal else quoted(c.name)} IS NULL" for c in columns)
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
        low = self.low.trees[tree]
        ends = [i for i in range(low.n_nodes) if isinstance(low.steps[i], Stay) or stops(low, i)]
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
            return [f"  {s} AS {self.probability_of(c)}" for s, c in zip(found, low.classes, strict=True)]
        literals = [self.literal(c) for c in low.classes]
        if single:
            return [f"  {self.by_node(0, [literals[a] for a in low.trees[0].answers])} AS {prediction}"]
        return [f"  {self.best(self.shares)} AS {prediction}"]

    @staticmethod
    def probability_of(name: Any) -> str:
        return quoted(f"probability of {name}")

    def best(self, shares: list[str]) -> str:
        """The class that has the first of the largest shares, or of the least costs; these take two stages."""
        assert self.low.classes is not None
        if self.low.costs is not None:
            return self.cheapest(shares, self.low.costs)
        tests = [" AND ".join(f"{s} >= {o}" for o in shares[k + 1 :]) for k, s in enumerate(shares)]
        named = zip(tests, map(self.literal, self.low.classes), strict=True)
        whens = " ".join(f"WHEN {t or '1 = 1'} THEN {c}" for t, c in named)
        return f"CASE {whens} END"

    def cheapest(self, shares: list[str], costs: list[list[float]]) -> str:
        terms = [
            [f"{s} * {self.number(row[k])}" for s, row in zip(shares, costs, strict=True)] for k in range(len(costs))
        ]
        self.add([f"{' + '.join(t)} AS {name}" for t, name in zip(terms, self.costs, strict=True)])
        low, high = ("MIN", "MAX") if self.dialect == "sqlite" else ("LEAST", "GREATEST")
        listed = ", ".join(self.costs)
        self.add([*self.costs, f"{low}({listed}) + {self.number(TIE)} * {high}({listed}) AS {self.limit}"])
        named = zip(self.costs, map(self.literal, self.low.classes or ()), strict=True)
        return f"CASE {' '.join(f'WHEN {cost} <= {self.limit} THEN {c}' for cost, c in named)} END"


def chain(tree: LoweredTree, node: int) -> list[int]:
    """The steps that a row takes at a node until one of them knows its value: the node's own and its surrogates."""
    found, following = [node], without_value(tree.steps[node])
    while following >= tree.n_nodes and not isinstance(tree.steps[following], Stay):
        found.append(following)
        following = without_value(tree.steps[following])
    return found


def stops(tree: LoweredTree, node: int) -> bool:
    """Does a row end at an inner node if no step there knows its value?"""
    following = without_value(tree.steps[chain(tree, node)[-1]])
    return following == node or following >= tree.n_nodes


def without_value(step: Step) -> int:
    """The step after one that does not know the value of its column; −1 for a leaf, and where rows are shared."""
    return -1 if isinstance(step, Stay) else step.missing if isinstance(step, Compare) else step.other


def children_of(step: Step) -> Iterable[int]:
    if isinstance(step, Stay):
        return ()
    return (step.left, step.right) if isinstance(step, Compare) else dict.fromkeys(step.to.values())


def depths_of(tree: LoweredTree) -> list[int]:
    """How deep each node lies, parents before their children; a surrogate as deep as its node."""
    depths = [0] * len(tree.steps)
    for i in range(tree.n_nodes):
        for c in children_of(tree.steps[i]):
            depths[c] = depths[i] + 1
        at = without_value(tree.steps[i])
        while at >= tree.n_nodes:
            depths[at] = depths[i]
            at = without_value(tree.steps[at])
    return depths
