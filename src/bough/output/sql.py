"""A model as SQL: one SELECT with the predictions for the rows of a table.

A tree is walked in stages of a few levels, each a common table expression: databases take only so many CASEs inside
each other (SQLite about 20). Between stages stand the columns that the trees ask for, and the node of each tree. The
first stage names the columns of the table as the table's own; what a stage passes on has names of this file, so that
no name of the user's can mean anything else (SQLite reads "true" in a stage as text).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..errors import DataError, ParameterError, shown
from ..model.stakes import TIE
from .lower import Compare, Lookup, Lowered, LoweredTree, Stay, Step, columns_of, lane_texts, lowered
from .sql_boosted import select_boosted
from .sql_dialect import DIALECTS, Dialect, folded, quoted
from .sql_shared import MOST_COLUMNS, select_shared

if TYPE_CHECKING:
    from ..model.lines import LinearModel
    from ..model.model import Model

LEVELS = 8  # of a stage: SQLite's parser takes 100 open words, and a CASE keeps up to six open
MOST_DEPTH = 400  # fifty stages
MOST_TREES = 500  # SQLite and DuckDB take sums of about 1,000 terms
MOST_TERMS = 900  # of a sum
MOST_ARGUMENTS = 100  # of a function
Key = str | Sequence[str] | None


def write(model: Model, table: str = "data", dialect: str = "ansi", proba: bool = False, key: Key = None) -> bytes:
    return f"{to_sql(model, table, dialect, proba, key)};\n".encode()


def to_sql(model: Model, table: str = "data", dialect: str = "ansi", proba: bool = False, key: Key = None) -> str:
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
    writer = Writer(low, Dialect(dialect), table, checked_key(key))
    return writer.select(proba) if low.trees[0].shares is None else select_shared(writer, proba)


def checked_key(key: Key) -> list[str]:
    """The names of the key columns."""
    names = [] if key is None else [key] if isinstance(key, str) else key
    if not isinstance(names, Sequence) or not all(isinstance(n, str) and n for n in names):
        raise ParameterError(f"key is {shown(key)}; it must be the name of a column or a list of names.")
    for i, name in enumerate(names):
        if folded(name) == "prediction" or folded(name).startswith("probability of "):
            raise ParameterError(f"key is {shown(key)}; a column of the output has that name, so rename the key.")
        if folded(name) in map(folded, names[:i]):
            raise ParameterError(f"key is {shown(key)}; name each column once.")
    return list(names)


class Writer:
    def __init__(self, low: Lowered, dialect: Dialect, table: str, key: list[str]) -> None:
        self.low, self.dialect, self.number, self.literal = low, dialect, dialect.number, dialect.literal
        self.table = quoted(table)
        self.stage_name = "stage"  # names in SQL are the same in any case
        while folded(table).startswith(self.stage_name):
            self.stage_name += "_"
        self.stages: list[str] = []
        self.keys = {f'"key{i}"': quoted(name) for i, name in enumerate(key)}
        self.nodes = [f'"node{i}"' for i in range(len(low.trees))]
        self.shares = [f'"share{k}"' for k in range(len(low.classes or ()))]
        self.costs = [f'"cost{k}"' for k in range(len(low.costs or ()))]
        # Columns of linear leaves.
        self.lined = {line.column for t in low.trees for m in t.models or () for line in m.lines}
        dialect.check_columns(low.schema.columns, columns_of(s for t in low.trees for s in t.steps) | self.lined)

    def select(self, proba: bool) -> str:
        low = self.low
        depths = [depths_of(t) for t in low.trees]
        levels = max(map(max, depths))
        for top in range(0, max(1, levels), LEVELS):
            parts = [self.stage(i, top, depths[i]) for i in range(len(low.trees))]
            below = [s for t, d in zip(low.trees, depths, strict=True) for s, at in zip(t.steps, d, strict=True)
                     if at >= top + LEVELS]  # fmt: skip
            self.add([*self.passed(below, self.lined), *parts])
        if low.boosting is not None:
            return select_boosted(self, low.boosting, proba)
        if low.classes is None:
            return self.joined([f"{self.mean_of(None)} AS {quoted('prediction')}"])
        if len(low.trees) == 1:
            shares = [self.mean_of(k) for k in range(len(low.classes))] if proba else []
            return self.joined(self.outputs(self.predicted(0), shares))
        self.add([f"{self.mean_of(k)} AS {name}" for k, name in enumerate(self.shares)])
        predicted = self.best(self.shares, self.shares if proba else [])
        return self.joined(self.outputs(predicted, self.shares if proba else []))

    @property
    def source(self) -> str:
        """What the next stage reads."""
        return quoted(f"{self.stage_name}{len(self.stages) - 1}") if self.stages else f"{self.table} t"

    def add(self, parts: list[str]) -> None:
        """A stage, which passes the keys on."""
        keys = [name if self.stages else f"t.{own} AS {name}" for name, own in self.keys.items()]
        self.stages.append(self.select_of([*keys, *parts]))

    def select_of(self, parts: list[str]) -> str:
        if len(parts) > MOST_COLUMNS:
            raise DataError(
                f"a stage of the query has {len(parts):,} columns (nodes, classes and columns of the table), and "
                f"databases take about {MOST_COLUMNS:,}; export the model with to_onnx or to_python."
            )
        lines = ",\n".join(f"  {p}" for p in parts)
        return f"SELECT\n{lines}\nFROM {self.source}"

    def joined(self, outputs: list[str]) -> str:
        """The query."""
        once = self.dialect.once if len(self.stages) > 1 else ""
        stages = ",\n".join(f'"{self.stage_name}{i}" AS{once} (\n{s}\n)' for i, s in enumerate(self.stages))
        return f"WITH {stages}\n{self.select_of([*(f'{k} AS {own}' for k, own in self.keys.items()), *outputs])}"

    # ---- columns of the table -------------------------------------------------------------------

    def named(self, column: int) -> str:
        """A column: of the table in the first stage, as it was passed on in later ones."""
        return f'"column{column}"' if self.stages else f"t.{quoted(self.low.schema.columns[column].name)}"

    def passed(self, steps: Iterable[Step], more: Iterable[int] = ()) -> list[str]:
        """The columns that steps ask for, and more, in the order of the table, for the next stage."""
        found = []
        for c in sorted(columns_of(steps) | set(more)):
            found.append(self.named(c) if self.stages else f'{self.named(c)} AS "column{c}"')
        return found

    def value_of(self, number: int) -> str:
        column, name = self.low.schema.columns[number], self.named(number)
        if column.ordinal:  # its place; NULL for what the order lacks
            places = " ".join(f"WHEN {self.literal(v)} THEN {i}" for i, v in enumerate(column.values))
            return f"CAST(CASE {name} {places} END AS DOUBLE PRECISION)"
        if column.moment:
            return self.dialect.days(name, column)
        return name if column.kind == "numeric" else self.dialect.flag(name)

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
                right = next(c for c in children_of(step, tree.n_nodes) if c not in (now, now + 1))
                if stops(tree, now):  # where no test knows the way
                    out.append(f"CASE {self.by_surrogates(tree, now)} WHEN 1 = 1 THEN ")
                    todo += [f" ELSE {now} END", right, " WHEN 1 = 0 THEN ", now + 1]
                else:
                    out.append(f"CASE WHEN {self.by_surrogates(tree, now)} THEN ")
                    todo += [" END", right, " ELSE ", now + 1]
            elif isinstance(step, Compare):
                test, then, other = self.tested(step)
                out.append(f"CASE WHEN {test} THEN ")
                todo += [" END", other, " ELSE ", then]
            else:
                todo += reversed(self.branches(step, now))
        return "".join(out)

    def by_surrogates(self, tree: LoweredTree, node: int) -> str:
        """Whether a row goes to the left child: the first test that knows its value says so; NULL if it stops."""
        left, tests = node + 1, []
        for at in chain(tree, node):
            step = tree.steps[at]
            if isinstance(step, Compare):
                tests.append(f"{self.known_sum(step)} {'<=' if step.left == left else '>'} {self.number(step.cut)}")
            elif isinstance(step, Lookup):
                sides = [[c for c, to in step.to.items() if (to == left) == way] for way in (True, False)]
                tested = zip(sides, (1, 0), strict=True)
                whens = [f"WHEN {self.among(step.column, s)} THEN 1 = {n}" for s, n in tested if s]
                tests.append(f"CASE {' '.join(whens)} END")
        if not stops(tree, node):
            tests.append(f"1 = {int(without_value(step) == left)}")
        return f"COALESCE({', '.join(tests)})" if len(tests) > 1 else f"({tests[0]})"

    def sum_of(self, step: Compare) -> str:
        if step.single:
            return self.value_of(step.columns[0])
        terms = [
            f"{self.number(w)} * ({self.value_of(c)} - {self.number(m)})"
            if v is None
            else f"CASE WHEN {self.among(c, [v])} THEN {self.number(w)} ELSE {self.number(0.0)} END"
            for c, v, w, m in zip(step.columns, step.asked, step.weights, step.centers, strict=True)
        ]
        if step.gaps_at_center:
            terms = [f"COALESCE({t}, {self.number(0.0)})" for t in terms]
        return lane_texts(terms)

    def known_sum(self, step: Compare) -> str:
        """The sum; NULL where it is not a number."""
        return self.sum_of(step) if step.single else self.dialect.known(self.sum_of(step))

    def tested(self, step: Compare) -> tuple[str, int, int]:
        """A test, the child of rows that pass it, and that of all others, rows without a value among them."""
        cut = self.number(step.cut)
        if step.missing == step.left:
            return f"{self.known_sum(step)} > {cut}", step.right, step.left
        total = self.sum_of(step)
        test = f"{total} IS NOT NULL" if math.isinf(step.cut) else f"{total} <= {cut}"
        return test, step.left, step.right

    def branches(self, step: Lookup, node: int) -> list[str | int]:
        """Everything but the branch that takes other values is asked for by name; that one is the rest."""
        groups: dict[int, list[int]] = {}
        for code, to in step.to.items():
            groups.setdefault(to, []).append(code)
        groups.pop(step.other, None)
        if not groups:
            return [str(node) if step.other == node else step.other]
        out: list[str | int] = ["CASE"]
        for to, codes in groups.items():
            out += [f" WHEN {self.among(step.column, codes)} THEN ", to]
        return [*out, " ELSE ", str(node) if step.other == node else step.other, " END"]

    def among(self, column: int, codes: list[int]) -> str:
        name = self.named(column)
        values = [self.low.schema.columns[column].values[c] for c in codes]
        known = [self.literal(v) for v in values if v is not None]
        test = f"{name} IN ({', '.join(known)})" if known else ""
        if len(known) == len(values):
            return test
        return f"({test} OR {name} IS NULL)" if test else f"{name} IS NULL"

    # ---- what it predicts -----------------------------------------------------------------------

    def by_node(self, tree: int, values: Sequence[str], other: str = "") -> str:
        """A CASE over the nodes in which rows can end; those whose value is ``other`` are not listed."""
        low = self.low.trees[tree]
        ends = [i for i in range(low.n_nodes) if isinstance(low.steps[i], Stay) or stops(low, i)]
        whens = [f" WHEN {i} THEN {values[i]}" for i in ends if values[i] != other]
        rest = f" ELSE {other}" if other else ""
        return f"CASE {self.nodes[tree]}{''.join(whens)}{rest} END" if whens else other

    def mean_of(self, k: int | None) -> str:
        """The share of a class, or the number, that all trees predict together."""
        zero = "" if k is None else self.number(0.0)
        parts = []
        for i, t in enumerate(self.low.trees):
            if t.models is not None:
                parts.append(self.by_node(i, [self.line(m) for m in t.models]))
                continue
            values = (t.values if k is None else t.values[:, k]).tolist()
            parts.append(self.by_node(i, [self.number(v) if v or not zero else zero for v in values], zero))
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)}) / {len(parts)}"

    def line(self, model: LinearModel) -> str:
        zero = self.number(0.0)  # a missing value adds nothing
        terms = [
            f"COALESCE({self.number(t.weight)} * ({self.value_of(t.column)} - {self.number(t.center)}), {zero})"
            for t in model.lines
        ]
        if not terms:
            return self.number(min(max(model.offset, model.low), model.high))
        low = called(self.dialect.greatest, [" + ".join([self.number(model.offset), *terms]), self.number(model.low)])
        return called(self.dialect.least, [low, self.number(model.high)])

    def predicted(self, tree: int) -> str:
        classes = [self.literal(c) for c in self.low.classes or ()]
        return self.by_node(tree, [classes[a] for a in self.low.trees[tree].codes])

    def outputs(self, predicted: str, shares: list[str]) -> list[str]:
        """The columns of the query: the class, and the shares of all classes where they are wanted."""
        classes = self.low.classes or ()
        names = [quoted(f"probability of {c}") for c in classes]
        return [f"{predicted} AS {quoted('prediction')}", *(f"{s} AS {n}" for s, n in zip(shares, names, strict=False))]

    def best(self, shares: list[str], carried: list[str]) -> str:
        """The class that has the first of the largest shares, or of the least costs. What is ``carried`` is there for
        the output, too."""
        if self.low.costs is not None:
            return self.cheapest(shares, carried, self.low.costs)
        (top,) = self.extremes([self.dialect.greatest], shares, carried)
        named = zip(shares, map(self.literal, self.low.classes or ()), strict=True)
        return f"CASE {top} {' '.join(f'WHEN {share} THEN {c}' for share, c in named)} END"

    def cheapest(self, shares: list[str], carried: list[str], costs: list[list[float]]) -> str:
        if len(costs) > MOST_TERMS:
            raise DataError(
                f"the model has {len(costs):,} classes with costs, and databases take sums of about {MOST_TERMS} "
                "terms; export it with to_onnx or to_python."
            )
        sums = []
        for column in zip(*costs, strict=True):
            terms = [s if c == 1 else f"{s} * {self.number(c)}" for s, c in zip(shares, column, strict=True) if c]
            sums.append(" + ".join(terms) or self.number(0.0))
        self.add([*carried, *(f"{total} AS {name}" for total, name in zip(sums, self.costs, strict=True))])
        least, most = self.extremes([self.dialect.least, self.dialect.greatest], self.costs, carried)
        limit = quoted("limit")
        self.add([*carried, *self.costs, f"{least} + {self.number(TIE)} * {most} AS {limit}"])
        named = zip(self.costs, map(self.literal, self.low.classes or ()), strict=True)
        return f"CASE {' '.join(f'WHEN {cost} <= {limit} THEN {c}' for cost, c in named)} END"

    def extremes(self, functions: list[str], names: list[str], carried: list[str]) -> list[str]:
        """The least or the greatest of some columns; of many by stages of as many as a function takes."""
        kept = list(dict.fromkeys([*carried, *names]))
        found, level = [names] * len(functions), 0
        while len(found[0]) > MOST_ARGUMENTS:
            parts = []
            for i, function in enumerate(functions):
                groups = [found[i][at : at + MOST_ARGUMENTS] for at in range(0, len(found[i]), MOST_ARGUMENTS)]
                found[i] = [f'"{function.lower()}{level}_{g}"' for g in range(len(groups))]
                parts += [f"{called(function, g)} AS {n}" for g, n in zip(groups, found[i], strict=True)]
            self.add([*kept, *parts])
            level += 1
        return [called(f, n) for f, n in zip(functions, found, strict=True)]


def called(function: str, names: list[str]) -> str:
    return f"{function}({', '.join(names)})" if len(names) > 1 else names[0]


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


def children_of(step: Step, n_nodes: int) -> Iterable[int]:
    """The nodes that rows go to; one that only rows without a value take is asked for by no value."""
    if isinstance(step, Stay):
        return ()
    if isinstance(step, Compare):
        return (step.left, step.right)
    return dict.fromkeys([*step.to.values(), *([step.other] if 0 <= step.other < n_nodes else [])])


def depths_of(tree: LoweredTree) -> list[int]:
    """How deep each node lies, parents before their children; a surrogate as deep as its node."""
    depths = [0] * len(tree.steps)
    for i in range(tree.n_nodes):
        for c in children_of(tree.steps[i], tree.n_nodes):
            if c != i:
                depths[c] = depths[i] + 1
        at = without_value(tree.steps[i])
        while at >= tree.n_nodes:
            depths[at] = depths[i]
            at = without_value(tree.steps[at])
    return depths
