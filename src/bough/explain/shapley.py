"""Shapley values of rows: exact ones from the core, drawn ones for linear splits over many columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, ParameterError, shown, whole_number
from ..model.model import MOST_THREADS, Model
from ..tables.like import columns_like
from .contributions import Contributions

Floats = npt.NDArray[np.float64]
MOST_PLAYERS = 12  # of a path whose coalitions are all followed (cpp/explain/coalitions.hpp)
MOST_NUMBERS = 1 << 31  # in what is returned
FEWEST_ROUNDS, MOST_ROUNDS = 8, 2000  # of draws
CELLS = 1 << 21  # of a table of mixtures that is made at a time


def contributions(
    model: Model, X: Any, background: Any = None, *, precision: float = 1e-3, threads: int = 1
) -> Contributions:
    """The Shapley values of the rows of a table; see `Model.contributions`."""
    threads = whole_number("threads", threads, 1, MOST_THREADS)
    if isinstance(precision, bool) or not isinstance(precision, (int, float)) or not 0 < precision < math.inf:
        raise ParameterError(
            f"precision is {shown(precision)}; it must be a positive number, such as 0.001 of the range of predictions."
        )
    if any(nodes.tree.linear for nodes in model.all_nodes):
        raise ParameterError(
            "contributions are of trees whose leaves are means; this model has linear leaves, whose lines show() and "
            "why() write out, and dependence() draws what a column does."
        )
    columns = model.columns_of(X)
    n, d, k = columns.n_rows, len(model.schema), n_outputs_of(model)
    if n * d * k > MOST_NUMBERS:
        raise DataError(
            f"contributions of {n:,} rows × {d:,} columns × {k:,} classes are too many; ask for fewer rows at a time."
        )
    others = None if background is None else model.columns_of(background)
    values = [np.ascontiguousarray(v).reshape(-1) for v in said_by_nodes(model)]
    if model.boosting is None:
        found, base, unclear = _core.contributions(list(model.trees), values, columns, others, threads)
        found = found.reshape(n, d, k)
    else:  # each output is a sum of its own trees, and the core gives means
        parts = [_core.contributions(list(model.trees[c::k]), values[c::k], columns, others, threads) for c in range(k)]
        rounds, unclear = len(model.trees) // k, np.any([u for _, _, u in parts], axis=0)
        found = np.stack([rounds * f.reshape(n, d) for f, _, _ in parts], axis=2)
        base = np.array([start + rounds * b[0] for start, (_, b, _) in zip(model.boosting.start, parts, strict=True)])
    cells = columns_like(X, model.schema)
    if others is not None:
        base = predictions(model, others, threads).mean(axis=0)
    errors = None
    if unclear.any():
        if background is None:
            raise ParameterError(
                f"row {int(np.flatnonzero(unclear)[0])} meets splits that ask more than {MOST_PLAYERS} columns on one "
                "path, which can only be explained against other rows. Pass background=, some 100 rows of the training "
                "table."
            )
        errors = np.zeros((n, d, k))
        wide = 1 if model.boosting is not None else k
        ranges = np.max([np.ptp(v.reshape(-1, wide), axis=0) for v in values], axis=0).max()
        draw = Drawing(model, cells, columns_like(background, model.schema), threads)
        for row in np.flatnonzero(unclear).tolist():
            found[row], errors[row] = draw.row(row, precision * float(ranges))
    single = model.classes is None or (model.boosting is not None and k == 1)
    if single:
        found, errors = found[:, :, 0], None if errors is None else errors[:, :, 0]
    return Contributions(
        values=found,
        base_values=np.repeat(base[np.newaxis], n, axis=0) if not single else np.repeat(base, n),
        data=cells_of(X, model, cells),
        feature_names=model.schema.names,
        output_names=None if single or model.classes is None else model.classes.tolist(),
        standard_errors=errors,
        kind="path-dependent" if background is None else "interventional",
    )


def n_outputs_of(model: Model) -> int:
    if model.boosting is not None:
        return model.boosting.n_outputs
    return 1 if model.classes is None else len(model.classes)


def said_by_nodes(model: Model) -> list[Floats]:
    """What every node of every tree predicts: its mean, or its class shares; of boosted trees its step."""
    if model.boosting is not None:
        return [model.boosting.learning_rate * nodes.means for nodes in model.all_nodes]
    return [nodes.means if model.classes is None else nodes.shares for nodes in model.all_nodes]


def predictions(model: Model, columns: _core.Columns, threads: int, raw: bool = True) -> Floats:
    """Predictions as they are explained, rows × outputs; ``raw``: of boosted trees sums before they are shares."""
    outputs = model.outputs(columns, threads)
    if raw and model.boosting is not None:
        return outputs.raw()
    found: Floats = outputs.predictions()[:, np.newaxis] if model.classes is None else outputs.shares()
    return found


def cells_of(X: Any, model: Model, cells: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The table itself, as people wrote it: numbers, or objects where a column has categories."""
    schema = model.schema
    if not schema.any_values:
        return np.column_stack(cells)
    out = np.empty((len(cells[0]), len(schema)), dtype=object)
    for i, (c, own) in enumerate(zip(schema.columns, cells, strict=True)):
        if not c.values:
            out[:, i] = own
            continue
        names = np.empty(len(c.values) + 1, dtype=object)
        names[: len(c.values)] = c.values  # the last one: no category of training
        places = np.where(np.isnan(own), -1, own).astype(np.int64) if c.ordinal else own
        out[:, i] = names[places]
    return out


class Drawing:
    """Shapley values by antithetic permutations: an order in which columns become known, and the opposite order. Each
    round draws one order for every background row, so that the values of every round add up exactly."""

    def __init__(
        self, model: Model, cells: list[npt.NDArray[Any]], background: list[npt.NDArray[Any]], threads: int
    ) -> None:
        self.model, self.cells, self.background, self.threads = model, cells, background, threads
        asked = set()
        for tree in model.trees:
            parts = tree.parts()
            asked |= {*parts["columns"].tolist(), *parts["term_columns"].tolist(), *parts["surrogate_columns"].tolist()}
        self.asked = sorted(asked)

    def row(self, row: int, precision: float) -> tuple[Floats, Floats]:
        """The values of a row and their standard errors, at most ``precision``."""
        rng = np.random.default_rng(row)
        mean = squares = np.zeros(0)
        n = 0
        while n < MOST_ROUNDS:
            one = self.round(row, rng)
            n += 1
            if n == 1:
                mean, squares = one, np.zeros_like(one)
                continue
            away = one - mean
            mean = mean + away / n
            squares = squares + away * (one - mean)
            if n >= FEWEST_ROUNDS and math.sqrt(squares.max() / n / (n - 1)) <= precision:
                break
        return mean, np.sqrt(squares / n / (n - 1))

    def round(self, row: int, rng: np.random.Generator) -> Floats:
        """One draw for each background row."""
        m, d = len(self.background[0]), len(self.asked)
        total: Floats = np.zeros(0)
        ranks = rng.permuted(np.tile(np.arange(d), (m, 1)), axis=1)  # when each column becomes known
        step = max(1, CELLS // (2 * (d + 1) * d))
        for at in range(0, m, step):
            some = np.concatenate([ranks[at : at + step], d - 1 - ranks[at : at + step]])
            rows = np.tile(np.arange(at, min(m, at + step)), 2)
            said = self.mixtures(row, rows, some)  # rows × steps × outputs
            gains = np.diff(said, axis=1)
            found = np.zeros((len(self.cells), gains.shape[2]))
            for i, column in enumerate(self.asked):
                found[column] = gains[np.arange(len(rows)), some[:, i]].sum(axis=0)
            total = found if at == 0 else total + found
        return total / (2 * m)

    def mixtures(self, row: int, rows: npt.NDArray[Any], ranks: npt.NDArray[Any]) -> Floats:
        """What is predicted of the row with more and more of its own columns, the others from background rows."""
        steps, columns = np.arange(len(self.asked) + 1), _core.Columns()
        place = {c: i for i, c in enumerate(self.asked)}
        for c, info in enumerate(self.model.schema.columns):
            own, other = self.cells[c][row], self.background[c][rows]
            known = ranks[:, place[c], np.newaxis] < steps if c in place else np.zeros((1, len(steps)), bool)
            mixed = np.where(known, own, other[:, np.newaxis]).ravel()
            if info.nominal:
                columns.add_nominal(mixed.astype(np.int32), len(info.values))
            else:
                columns.add_numeric(mixed.astype(np.float64))
        said = predictions(self.model, columns, self.threads)
        return said.reshape(len(rows), len(steps), -1)
