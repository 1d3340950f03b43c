"""A race of systems on the folds of one table: all do the first fold, then the second, and so on; one that is clearly
worse than the best so far is left out of the rest.

Trees of bough share what they can: the table is read once, each fold grows one full tree, and the price of a leaf
(``ccp_alpha``) comes from the same folds: the one with the least loss on the other folds judges a fold.
"""

from __future__ import annotations

import base64
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from .. import _core
from ..estimators.data import Data as TreeData
from ..estimators.fitting import grown, parameters_of
from ..estimators.shrinkage import losses_of
from ..model.model import Model
from ..model.smoothing import HIERARCHICAL, STRENGTHS
from .data import DataSet
from .folds import Split
from .measures import Measure, class_scores, number_scores, sizes_of
from .progress import Bar
from .store import Record
from .systems import Contestant
from .work import judged, right_rows

Floats = npt.NDArray[np.float64]
MOST_PRICES = 25  # of a leaf that are tried; a path has as many as the tree has splits
BEYOND = 10.0  # price of the root alone, in prices of its split: dearer than that of any fold
FIRST = 3  # folds that every system does
CLEARLY = 2.0  # standard errors of the difference by which a system is clearly worse


@dataclass
class Grown:
    """A tree of bough in a race; ``sized``: cut back by a price that the folds choose, to ``most_leaves`` at most."""

    contestant: Contestant
    data: DataSet
    shared: TreeData
    sized: bool = True
    most_leaves: int | None = None
    trees: list[_core.Tree] = field(default_factory=list)  # of each fold, in full
    splits: list[Split] = field(default_factory=list)
    rows: list[Floats] = field(default_factory=list)  # of each fold: loss by price and row
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        begin = time.process_time()
        self.full = self.grow()
        prices = np.zeros(1)
        if self.sized:
            prices = between(np.asarray(self.full.pruning_path(self.params["criterion"], self.stakes)[0]))
            if self.most_leaves is not None:
                small = [self.cut(self.full, a).n_leaves <= self.most_leaves for a in prices.tolist()]
                prices = prices[small]
        self.prices: Floats = prices
        self.began = time.process_time() - begin

    @cached_property
    def params(self) -> dict[str, Any]:
        return parameters_of(self.contestant.estimator)

    @cached_property
    def spread(self) -> float:
        """The variance of the numbers to be predicted, so that losses count as R² does."""
        return float(self.data.truth.var()) or 1.0

    @property
    def stakes(self) -> Any:
        return self.shared.target.stakes.for_core

    def grow(self, rows: npt.NDArray[Any] | None = None) -> _core.Tree:
        sample = None if rows is None else _core.Sample(rows.astype(np.uint32))
        tree: _core.Tree = grown(
            self.params,
            self.shared,
            lambda core, _, plan: _core.grow(core, sample, plan),
            self.params["random_state"],
        )
        return tree

    def cut(self, tree: _core.Tree, price: float) -> _core.Tree:
        """The tree cut back by a price."""
        if price == 0:
            return tree
        return tree.prune("cost_complexity", {"alpha": price}, self.params["criterion"], self.stakes)

    def run(self, split: Split) -> None:
        """Grows the tree of a fold and judges what each price leaves of it."""
        begin = time.process_time()
        tree = self.grow(split.train)
        self.rows.append(np.array([self.losses_of(self.cut(tree, a), split) for a in self.prices.tolist()]))
        self.trees.append(tree)
        self.splits.append(split)
        self.seconds.append(time.process_time() - begin)

    def losses_of(self, tree: _core.Tree, split: Split) -> Floats:
        ends = tree.apply(self.shared.columns)
        leaves = ends[split.test]
        target = self.shared.target
        if target.codes is None:
            assert target.numbers is not None
            said = tree.predicted(self.shared.columns, ends)[split.test] if tree.linear else tree.means()[leaves]
            found: Floats = np.square(said - (target.numbers[split.test] + target.offset))
            return found / self.spread
        different, places = np.unique(leaves, return_inverse=True)
        wrong: Floats = (tree.heaviest(different)[places] != target.codes[split.test]).astype(np.float64)
        return wrong

    def price(self, without: int | None = None) -> int:
        """The price with the least loss on all folds, or on all others; the dearest of equals."""
        sums = np.array([r.sum(axis=1) for r in self.rows])
        total = sums.sum(axis=0) - (0 if without is None or len(sums) == 1 else sums[without])
        return int(np.flatnonzero(total <= total.min() * (1 + 1e-12))[-1])

    def losses(self, so_far: bool = False) -> list[Floats] | None:
        """Of each fold done, the loss of each row, by the price that the other folds choose; ``so_far``, as long as
        those are too few to choose well, by that which all of them do."""
        return [rows[self.price(None if so_far else fold)] for fold, rows in enumerate(self.rows)]

    def smoothing(self) -> dict[str, float] | None:
        """How strongly the shares of classes shrink along the path: best on the rows held out."""
        if self.data.regression:
            return None
        total = np.zeros(len(STRENGTHS))
        for fold, (tree, split) in enumerate(zip(self.trees, self.splits, strict=True)):
            cut = self.cut(tree, float(self.prices[self.price(fold)]))
            total += losses_of(cut, self.params, self.shared, split.test.astype(np.uint32))
        return {HIERARCHICAL: STRENGTHS[int(np.argmin(total))]}

    def records(self) -> list[Record]:
        """What was measured on the folds done."""
        smoothing, out = self.smoothing(), []
        for fold, (tree, split) in enumerate(zip(self.trees, self.splits, strict=True)):
            cut = self.cut(tree, float(self.prices[self.price(fold)]))
            target, criterion = self.shared.target, self.params["criterion"]
            model = Model((cut,), self.shared.schema, target.classes, criterion, smoothing=smoothing)
            outputs = model.outputs(self.shared.columns)
            truth = self.data.truth[split.test]
            record = named(self.data, self.contestant, split)
            begin = time.process_time()
            if self.data.regression:
                scores = number_scores(truth, outputs.predictions()[split.test])
            else:
                said = outputs.codes()[split.test]
                scores = class_scores(truth, said, outputs.shares()[split.test], len(self.data.classes))
                record["right"] = base64.b64encode(np.packbits(said == truth).tobytes()).decode()
            times = {"fit_seconds": self.seconds[fold], "predict_seconds": time.process_time() - begin}
            measures = {**scores, **sizes_of(Fitted(model)), **times}
            record["measures"] = {k: float(v) if np.isfinite(v) else None for k, v in measures.items()}
            out.append(record)
        return out

    def fitted(self) -> Any:
        """The system on all rows."""
        chosen = {"ccp_alpha": float(self.prices[self.price()]), "smoothing": self.smoothing()}
        return clone(self.contestant.estimator).set_params(**chosen).fit(self.data.table.native, self.data.y)


@dataclass
class Fitted:
    """What has a size."""

    model_: Model


@dataclass
class Given:
    """Any other system in a race: it is fitted as it is."""

    contestant: Contestant
    data: DataSet
    measure: Measure
    done: list[Record] = field(default_factory=list)

    def run(self, split: Split) -> None:
        self.done.append(judged(self.data, self.contestant, split, self.measure, inner_folds=3))

    def losses(self, so_far: bool = False) -> list[Floats] | None:
        if self.data.regression or any(r["failure"] for r in self.done):
            return None
        return [1.0 - right_rows(r).astype(np.float64) for r in self.done]

    def records(self) -> list[Record]:
        return self.done

    def fitted(self) -> Any:
        found = clone(self.contestant.estimator)
        return found.fit(self.data.table.native, self.data.y)


Runner = Grown | Given


def named(data: DataSet, contestant: Contestant, split: Split) -> Record:
    """A fold's record without what was measured."""
    return {
        "kind": "fold",
        "data": data.name,
        "system": contestant.name,
        "repeat": split.repeat,
        "fold": split.fold,
        "seed": split.seed,
        "train": len(split.train),
        "test": len(split.test),
        "failure": None,
    }


def between(alphas: Floats) -> Floats:
    """A price for each tree of a path: 0 for the first, geometric means of neighbours for the others."""
    alphas = np.unique(np.maximum(alphas, 0.0))
    prices = np.unique(np.concatenate([[0.0], np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1:] * BEYOND]))
    if len(prices) > MOST_PRICES:
        prices = prices[np.unique(np.linspace(0, len(prices) - 1, MOST_PRICES).round().astype(int))]
    return prices


# ---- the race ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gap:
    """By how much a system is worse than another on the same rows, and the standard error of that."""

    mean: float
    error: float
    folds: int  # that both have done

    @staticmethod
    def of(worse: list[Floats], better: list[Floats], n_rows: int) -> Gap:
        """From losses by fold and row; a row that was predicted in each of several divisions counts once."""
        d = np.concatenate(worse) - np.concatenate(better)
        return Gap(float(d.mean()), float(d.std() / np.sqrt(min(len(d), n_rows))), len(worse))


def race(
    runners: list[Runner], splits: list[Split], n_rows: int, by_rows: bool, bar: Bar, jobs: int = 1
) -> dict[str, Gap]:
    """Runs all folds; the systems that were left out, and by how much they were worse then.

    From the third fold on a system is left out that is worse than the best so far, on the rows held out so far, by more
    than two standard errors of the difference. Without ``by_rows``, where what is measured is no mean over rows, all go
    to the end.
    """
    alive, out = list(runners), {}
    with ThreadPoolExecutor(jobs) as pool:
        for done, split in enumerate(splits, start=1):
            for runner, _ in zip(alive, pool.map(lambda r, s=split: r.run(s), alive), strict=True):
                bar.count((runner.data.name, runner.contestant.name))
            losses = {r.contestant.name: r.losses(so_far=True) for r in alive}
            known = {name: found for name, found in losses.items() if found is not None}
            if not by_rows or done < FIRST or done == len(splits) or not known:
                continue
            best = min(known, key=lambda name: float(np.concatenate(known[name]).mean()))
            gaps = {name: Gap.of(found, known[best], n_rows) for name, found in known.items()}
            for name, gap in gaps.items():
                if gap.mean > CLEARLY * gap.error:
                    out[name] = gap
                    bar.leave_out(name)
            alive = [r for r in alive if r.contestant.name not in out]
    return out
