"""cost_complexity_cv: its table is that of trees grown from each part by themselves; threads, files and pictures."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import bough
from bough import ModelFileError, ParameterError, TreeClassifier, TreeRegressor
from support.interrupt import LIMIT, interrupted
from support.oracle.rpart import chosen


class Plain:
    """A fitted tree with the path of its subtrees by the definition: the weakest link is cut, again and again."""

    def __init__(self, model):
        self.nodes, self.core = model.nodes(), model.tree
        self.n = len(self.nodes)
        self.kids = [list(self.core.children(i)) for i in range(self.n)]
        w = self.nodes.weights
        if model.classes is None:
            self.risk = [w[i, 0] * float(self.nodes.variances[i]) for i in range(self.n)]
        else:
            self.risk = [float(w[i].sum() - w[i].max()) for i in range(self.n)]
        self.weight = float(w[0].sum())
        self.links = self.path()

    def below(self, node, cut):
        """Risk and leaves of what is left below a node."""
        if not self.kids[node] or cut[node]:
            return self.risk[node], 1
        parts = [self.below(c, cut) for c in self.kids[node]]
        return sum(p[0] for p in parts), sum(p[1] for p in parts)

    def open_nodes(self, cut):
        todo, found = [0], []
        while todo:
            i = todo.pop()
            if self.kids[i] and not cut[i]:
                found.append(i)
                todo += self.kids[i]
        return found

    def path(self):
        """The price from which on each inner node is not split any more: it, or a node above it, is cut."""
        cut, alpha, links = [False] * self.n, 0.0, [None] * self.n
        while inner := self.open_nodes(cut):
            value = {}
            for i in inner:
                risk, leaves = self.below(i, cut)
                value[i] = (self.risk[i] - risk) / (leaves - 1)
            alpha = max(alpha, min(value.values()))
            for i in inner:
                if value[i] <= alpha + 1e-12 * self.weight:
                    cut[i] = True
                    for j in (i, *self.all_below(i)):
                        links[j] = alpha if links[j] is None else links[j]
        return links

    def all_below(self, node):
        todo, found = list(self.kids[node]), []
        while todo:
            j = todo.pop()
            found.append(j)
            todo += self.kids[j]
        return found

    def table(self):
        inner = [i for i in range(self.n) if self.kids[i]]
        prices = sorted({self.links[i] for i in inner if self.links[i] > 1e-11 * self.weight}, reverse=True)
        merged = []
        for p in prices:
            if not merged or p < merged[-1] * (1 - 1e-9):
                merged.append(p)
        rows = []
        for alpha in [*merged, 0.0]:
            cut = [self.links[i] <= alpha * (1 + 1e-9) + 1e-12 * self.weight for i in range(self.n)]
            risk, leaves = self.below(0, cut)
            rows.append((alpha / self.weight, leaves, risk / self.weight))
        return rows

    def stop(self, leaf, price):
        """Where a row that ends at a leaf stops if nodes are cut at a price."""
        for i in self.nodes.path(int(leaf)):
            if not self.kids[i] or self.links[i] <= price:
                return i
        return leaf


def by_hand(kind, params, X, y, folds, w=None):
    """Table and cross-validated errors, every part fitted by itself."""
    full = Plain(kind(**params).fit(X, y, w).model_)
    table = full.table()
    typical = [math.inf] + [math.sqrt(a[0] * b[0]) for a, b in itertools.pairwise(table)]
    w = np.ones(len(y)) if w is None else w
    errors = np.zeros((len(table), len(y)))
    for fold in sorted(set(folds.tolist())):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        tree = kind(**params).fit(X.iloc[train], y[train], w[train])
        part = Plain(tree.model_)
        ends = tree.apply(X.iloc[test])
        for j, price in enumerate(typical):
            for row, leaf in zip(test, ends, strict=True):
                told = part.nodes[part.stop(leaf, price * part.weight)].prediction
                errors[j, row] = (told - y[row]) ** 2 if kind is TreeRegressor else float(told != y[row])
    total = w.sum()
    first, second = (errors * w).sum(1), (errors**2 * w).sum(1)
    return table, first / total, np.sqrt(np.maximum(0, second - first**2 / total)) / total


def made(seed, kind, n=60):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(1),
            "b": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 4, n)),
            "s": rng.choice(list("pqrs"), n),
            "c": rng.normal(size=n),
        }
    )
    z = X["a"] + X["s"].isin(["p", "q"]) + rng.normal(size=n) * 0.7
    y = z.round(2).to_numpy() if kind is TreeRegressor else (z > 0.5).astype(int).to_numpy() + (z > 1.4).to_numpy()
    return X, y, rng


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("seed", range(12))
def test_the_table_is_that_of_trees_grown_from_each_part_by_themselves(kind, seed):
    X, y, rng = made(seed, kind)
    folds = rng.permutation(np.arange(len(y)) % 4) + 3
    params = {"min_samples_leaf": int(rng.integers(1, 5))}
    if seed % 4 == 3:
        params["split"] = "node_pca"
    w = rng.integers(1, 4, len(y)).astype(float) if seed % 3 == 0 else None
    table, error, deviation = by_hand(kind, params, X, y, folds, w)
    for rule in ("one_se", "minimum", "none"):
        tree = kind(prune="cost_complexity_cv", prune_params={"folds": folds, "rule": rule}, **params).fit(X, y, w)
        found = tree.pruning_table_
        assert found["alpha"] == pytest.approx([t[0] for t in table], rel=1e-7, abs=1e-10)
        assert found["leaves"].tolist() == [t[1] for t in table]
        assert found["error"] == pytest.approx([t[2] for t in table], rel=1e-7, abs=1e-10)
        assert found["cv_error"] == pytest.approx(error, rel=1e-7, abs=1e-10)
        assert found["cv_deviation"] == pytest.approx(deviation, rel=1e-6, abs=1e-9)
        rows = list(zip(found["cv_error"], found["cv_deviation"], strict=True))
        row = len(table) - 1 if rule == "none" else chosen(table, rows, rule)
        assert tree.get_n_leaves() == table[row][1]


def test_the_chosen_tree_is_that_of_its_alpha():
    X, y = load_breast_cancer(return_X_y=True)
    tree = TreeClassifier(prune="cost_complexity_cv", random_state=0).fit(X, y)
    table = tree.pruning_table_
    assert (np.diff(table["alpha"]) < 0).all()
    assert (np.diff(table["leaves"]) > 0).all()
    assert (np.diff(table["error"]) <= 0).all()
    assert 1 - tree.score(X, y) == pytest.approx(table["error"][table["leaves"] == tree.get_n_leaves()][0])


def test_parts_are_stratified_and_follow_the_seed():
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 2, 1, 0)
    y[:3], rows = 2, np.arange(len(y))
    a, b, c = (
        TreeClassifier(prune="cost_complexity_cv", prune_params={"folds": 3, "random_state": s}).fit(X, y)
        for s in (0, 0, 1)
    )
    assert a.model_ == b.model_
    assert a.pruning_table_["cv_error"].tolist() != c.pruning_table_["cv_error"].tolist()
    for seed in (0, 1):
        own = TreeClassifier(prune="cost_complexity_cv", prune_params={"folds": 3}, random_state=seed).fit(X, y)
        assert own.pruning_table_["cv_error"].tolist() == (a, c)[seed].pruning_table_["cv_error"].tolist()
    # the third class has one row in each part, so each part's tree has seen two of them and never none
    assert len(rows) == len(y)


@pytest.mark.parametrize("params", [{}, {"criterion": "max_cut"}, {"split": "oc1"}, {"nominal": "multiway"}])
def test_threads_share_the_parts_and_change_nothing(params):
    X, y, rng = made(5, TreeClassifier, 400)
    w = rng.random(400) + 0.5
    trees = [
        TreeClassifier(prune="cost_complexity_cv", random_state=0, n_jobs=j, **params).fit(X, y, w) for j in (1, 2, 3)
    ]
    assert len({t.model_.to_bytes() for t in trees}) == 1


def test_rows_that_weigh_nothing_are_in_no_part():
    X, y, rng = made(6, TreeClassifier)
    folds, w = rng.integers(0, 3, len(y)), (rng.random(len(y)) < 0.7).astype(float)
    kept = w > 0
    how = {"prune": "cost_complexity_cv"}
    a = TreeClassifier(**how, prune_params={"folds": folds}).fit(X, y, w)
    b = TreeClassifier(**how, prune_params={"folds": folds[kept]}).fit(X[kept], y[kept])
    assert a.pruning_table_["cv_error"].tolist() == b.pruning_table_["cv_error"].tolist()


def test_the_table_is_kept_in_files_and_drawn(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    tree = TreeRegressor(prune="cost_complexity_cv", random_state=0).fit(X, y)
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    for name, column in tree.pruning_table_.items():
        assert (again.pruning_table[name] == column).all(), name
    assert again == tree.model_
    for drawn in (tree, again):
        ax = bough.plot_pruning(drawn)
        assert ax.get_xlabel() == "leaves"
        assert len(ax.lines) >= 3
    assert "cross-validated" in again.report().page


def test_few_rows_have_fewer_parts():
    for n in (1, 2, 3):
        X, y = np.arange(float(n)).reshape(-1, 1), np.arange(n)
        tree = TreeClassifier(prune="cost_complexity_cv").fit(X, y)
        assert len(tree.pruning_table_["alpha"]) >= 1
        assert bough.model.model.Model.from_bytes(tree.model_.to_bytes()) == tree.model_


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"folds": 1}, "folds is 1; it must be an integer from 2"),
        ({"folds": "ten"}, "folds is 'ten'; it must be an integer of at least 2, or one"),
        ({"folds": [1, 2]}, "one integer for each of the 150 rows"),
        ({"folds": [0] * 150}, "at least two kinds"),
        ({"folds": [0.5] * 150}, "one integer for each"),
        ({"rule": "two_se"}, "rule is 'two_se'; it must be one of 'one_se', 'minimum', 'none'"),
        ({"cp": -1}, "cp is -1"),
        ({"random_state": 1.5}, "random_state is 1.5"),
        ({"path": "short"}, "path is 'short'"),
    ],
)
def test_wrong_values_are_refused_in_a_sentence(params, says):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=says):
        TreeClassifier(prune="cost_complexity_cv", prune_params=params).fit(X, y)


def test_a_file_with_a_damaged_table_is_refused():
    X, y = load_iris(return_X_y=True)
    model = TreeClassifier(prune="cost_complexity_cv", random_state=0).fit(X, y).model_
    from bough.model.pruning import pruning_of

    good = model.metadata()["pruning"]
    for damage in (
        [],
        {"alpha": [1.0]},
        {**good, "error": [1.0]},
        {**good, "alpha": ["a"] * len(good["alpha"])},
        {**good, "alpha": [None] * len(good["alpha"])},
        {**good, "leaves": [-1] * len(good["alpha"])},
        {k: [] for k in good},
    ):
        with pytest.raises(ModelFileError):
            pruning_of({"pruning": damage})
    assert pruning_of({"pruning": good}) is not None
    assert pruning_of({}) is None


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_is_heard_while_parts_grow(n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 10)), rng.integers(0, 3, 40_000)
    tree = TreeClassifier(prune="cost_complexity_cv", prune_params={"folds": 100}, n_jobs=n_jobs).fit(X[:60], y[:60])
    before = tree.model_
    waited = interrupted(lambda: tree.fit(X, y), 2.5)
    assert waited is not None, "the fit was over before the signal"
    assert waited < LIMIT
    assert tree.model_ is before


@pytest.mark.parametrize("exponent", [-400, -200, 200, 400])
@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
def test_numbers_of_any_size_are_pruned_alike(exponent, missing):
    X, y = load_diabetes(return_X_y=True)
    tree = TreeRegressor(prune="cost_complexity_cv", missing=missing, random_state=0)
    plain = tree.fit(X[:150], y[:150]).predict(X)
    scaled = tree.fit(X[:150], y[:150] * 2.0**exponent)  # squares of squares leave the range of a double
    assert scaled.predict(X).tolist() == (plain * 2.0**exponent).tolist()
    assert bough.Model.from_bytes(scaled.model_.to_bytes()) == scaled.model_


@pytest.mark.parametrize("regression", [False, True])
def test_rows_that_are_shared_are_judged_by_all_their_parts(regression):
    rng = np.random.default_rng(3)
    n = 240
    values = rng.integers(0, 3, n)
    X = pd.DataFrame({"a": np.array(list("pqr"))[values], "x": rng.normal(size=n)})
    y = np.where(rng.random(n) < 0.25, rng.integers(0, 3, n), values)
    z = 3.0 * values + rng.normal(size=n)
    X.loc[rng.random(n) < 0.4, "a"] = None
    target, kind = (z, TreeRegressor) if regression else (y, TreeClassifier)
    folds = np.arange(n) % 4
    how = {"missing": "shared", "max_depth": 1} | ({} if regression else {"nominal": "multiway"})
    tree = kind(**how, prune="cost_complexity_cv", prune_params={"folds": folds}).fit(X, target)
    wrong = 0.0
    for f in range(4):
        held = folds == f
        told = kind(**how).fit(X[~held], target[~held]).predict(X[held])
        wrong += ((told - target[held]) ** 2).sum() if regression else (told != target[held]).sum()
    assert tree.pruning_table_["cv_error"][-1] == pytest.approx(wrong / n)


@pytest.mark.parametrize("seed", range(1, 40, 2))
def test_without_an_error_no_number_of_the_table_is_below_zero(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, 60).astype(float)[:, None]
    tree = TreeRegressor(prune="cost_complexity_cv", prune_params={"folds": 3}, random_state=seed)
    tree.fit(x, x[:, 0] * 0.1, sample_weight=rng.random(60))
    assert all((column >= 0).all() for column in tree.pruning_table_.values())
    assert bough.Model.from_bytes(tree.model_.to_bytes()) == tree.model_
