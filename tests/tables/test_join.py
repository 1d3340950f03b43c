"""`JoinColumns`: several nominal columns as one."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from bough import DataError, JoinColumns, ParameterError, TreeClassifier

TABLE = {"size": ["s", "l", None, None], "price": ["low", "high", "low", None], "x": [1.5, 2.5, 3.5, 4.5]}
JOINED = ["s-low", "l-high", "missing-low", None]
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def column(table, name):
    if isinstance(table, pd.DataFrame):
        return [None if pd.isna(v) else v for v in table[name]]
    return table[name].to_pylist() if isinstance(table, pa.Table) else table[name].to_list()


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_gives_a_frame_of_its_library_with_the_joined_column_behind(library):
    X = FRAMES[library](TABLE)
    out = JoinColumns([("size", "price")]).fit_transform(X)
    assert type(out) is type(X)
    names = out.column_names if library == "pyarrow" else list(out.columns)
    assert names == ["size", "price", "x", "size-price"]
    assert column(out, "size-price") == JOINED
    assert column(out, "x") == TABLE["x"]
    less = JoinColumns([("size", "price")], keep=False).fit_transform(X)
    assert list(less.column_names if library == "pyarrow" else less.columns) == ["x", "size-price"]


def test_an_array_gives_an_array():
    X = np.array([TABLE["size"], TABLE["price"], TABLE["x"]], dtype=object).T
    join = JoinColumns([(0, 1), (-1, 0)])
    out = join.fit_transform(X)
    assert out.tolist()[1] == ["l", "high", 2.5, "l-high", "2.5-l"]
    assert out[:, 3].tolist() == JOINED
    assert join.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x0-x1", "x2-x0"]
    assert JoinColumns([(0, 1)]).fit_transform([["a", "b"], ["c", "d"]])[:, 2].tolist() == ["a-b", "c-d"]


def test_three_columns_and_several_groups():
    X = pd.DataFrame({"a": ["p", "q"], "b": ["r", "s"], "c": [True, False], "d": [1, 2]})
    out = JoinColumns([("a", "b", "c"), ["d", "a"]], keep=False).fit_transform(X)
    assert out.to_dict("list") == {"a-b-c": ["p-r-True", "q-s-False"], "d-a": ["1-p", "2-q"]}


def test_whole_numbers_are_written_alike_whether_or_not_there_are_gaps():
    join = JoinColumns([("a", "b")]).fit(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    gaps = join.transform(pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "y"]}))
    assert gaps["a-b"].tolist() == ["1-x", "missing-y"]


PARTS = st.sampled_from(["", "a", "-", "\\", "-a", "a-", "\\-", "missing", "\\missing", "--", "\\\\", None])


@given(st.lists(st.tuples(PARTS, PARTS, PARTS), min_size=1, max_size=30))
def test_rows_are_joined_alike_only_if_all_their_parts_are(rows):
    out = JoinColumns([(0, 1, 2)], keep=False).fit_transform(np.array(rows, dtype=object))[:, 0]
    for (a, x), (b, y) in itertools.combinations(zip(rows, out), 2):
        assert (a == b) == (x == y)
    assert [x is None for x in out] == [all(p is None for p in r) for r in rows]


def test_rows_keep_their_labels():
    X = pd.DataFrame({"a": ["p", "q"], "b": ["r", "s"]}, index=[7, 3])
    out = JoinColumns([("a", "b")]).fit_transform(X)
    assert out.index.tolist() == [7, 3]
    assert out["a-b"].tolist() == ["p-r", "q-s"]


def test_categories_are_joined_by_their_values():
    X = pd.DataFrame({"a": pd.Categorical(["p", None], categories=["z", "p"]), "b": ["r", "s"]})
    assert JoinColumns([("a", "b")]).fit_transform(X)["a-b"].tolist() == ["p-r", "missing-s"]


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("wanted", ["pandas", "polars", "default"])
def test_set_output_is_heeded(library, wanted):
    join = JoinColumns([("size", "price")]).set_output(transform=wanted)
    out = join.fit_transform(FRAMES[library](TABLE))
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "default": type(FRAMES[library](TABLE))}[wanted]
    assert isinstance(out, kind)
    assert column(out, "size-price") == JOINED
    assert column(out, "x") == TABLE["x"]
    if wanted != "default":
        array = np.array([["a", "b"], ["c", None]], dtype=object)
        named = JoinColumns([(0, 1)]).set_output(transform=wanted).fit_transform(array)
        assert column(named, "x0-x1") == ["a-b", "c-missing"]


def parity(n=240, seed=0):
    """Classes that only the two columns together tell."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.choice(list("pqr"), n), "b": rng.choice(list("uvw"), n), "z": rng.normal(size=n)})
    return X, ((X["a"].map(ord) + X["b"].map(ord)) % 3 == 0).to_numpy()


def test_a_joined_column_tells_in_one_split_what_two_cannot():
    X, y = parity()
    stump = TreeClassifier(max_depth=1)
    joined = make_pipeline(JoinColumns([("a", "b")]), clone(stump))
    assert joined.fit(X, y).score(X, y) == 1.0
    assert stump.fit(X, y).score(X, y) < 0.8
    assert joined[:-1].get_feature_names_out().tolist() == ["a", "b", "z", "a-b"]
    assert joined[-1].model_.split(0).name == "a-b"


def test_a_pipeline_predicts_combinations_that_training_never_had():
    X, y = parity()
    seen = ~((X["a"] == "p") & (X["b"] == "u")).to_numpy()
    pipe = make_pipeline(JoinColumns([("a", "b")], keep=False), TreeClassifier()).fit(X[seen], y[seen])
    assert len(pipe.predict(X[~seen])) == (~seen).sum() > 0
    assert len(pipe.predict(X.assign(b=None))) == len(X)


def test_it_works_in_a_search_and_beside_other_transformers():
    X, y = parity()
    pipe = make_pipeline(JoinColumns([("a", "b")]), TreeClassifier(max_depth=1))
    grid = GridSearchCV(pipe, {"joincolumns__keep": [True, False]}, cv=3).fit(X, y)
    assert grid.best_score_ == 1.0
    beside = make_column_transformer((JoinColumns([("a", "b")], keep=False), ["a", "b"]), remainder="passthrough")
    assert beside.fit(X).get_feature_names_out().tolist() == ["joincolumns__a-b", "remainder__z"]


def test_clone_and_pickle():
    X, _ = parity(20)
    join = JoinColumns([("a", "b")], separator="+", keep=False)
    assert clone(join).get_params() == join.get_params()
    again = pickle.loads(pickle.dumps(join.fit(X)))
    pd.testing.assert_frame_equal(again.transform(X), join.transform(X))


def test_an_unfitted_or_differently_shaped_table_is_refused():
    X, _ = parity(20)
    with pytest.raises(Exception, match="not fitted"):
        JoinColumns([("a", "b")]).transform(X)
    join = JoinColumns([("a", "b")]).fit(X)
    with pytest.raises(ValueError, match=r"feature names|features"):
        join.transform(X[["a", "b"]])
    with pytest.raises(ValueError, match="feature names"):
        join.transform(X[["b", "a", "z"]])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("ab", "it must be a list of groups"),
        ([], "it must be a list of groups"),
        (["ab"], "the group 'ab'; it must be two or more"),
        ([("a",)], "it must be two or more columns"),
        ([("a", "a")], "names a column twice"),
        ([("a", "bb")], "no column 'bb'; did you mean 'b'"),
        ([("a", 7)], "no column 7; X has columns 0 to 2"),
        ([("a", 1.5)], "neither the name nor the number"),
        ([("a", "b"), ("a", "b")], "would stand twice"),
    ],
)
def test_groups_that_make_no_sense_are_refused(columns, said):
    with pytest.raises(ParameterError, match=said):
        JoinColumns(columns).fit(parity(20)[0])


def test_other_nonsense_is_refused():
    X = pd.DataFrame({"a": ["p", "q"], "b": ["r", "s"], "a-b": ["t", "u"], "when": pd.to_datetime(["2020", "2021"])})
    with pytest.raises(ParameterError, match="'a-b' would stand twice"):
        JoinColumns([("a", "b")]).fit(X.drop(columns="when"))
    for separator in ("", "ab", "x", "1", "\\", 3):
        with pytest.raises(ParameterError, match="one character"):
            JoinColumns([("a", "b")], separator=separator).fit(X)
    with pytest.raises(ParameterError, match="keep is 3"):
        JoinColumns([("a", "b")], keep=3).fit(X.drop(columns=["when", "a-b"]))
    with pytest.raises(DataError, match="'when' holds dates"):
        JoinColumns([("a", "when")]).fit(X)
    with pytest.raises(DataError, match="infinity"):
        JoinColumns([("a", "b")]).fit(pd.DataFrame({"a": [1.0, np.inf], "b": ["p", "q"]}))


# These compare transformed tables as numbers, and joined values are text.
TEXT_CHECKS = [
    "check_pipeline_consistency",
    "check_estimators_pickle",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit_idempotent",
]


def test_scikit_learns_checks_pass_but_for_those_that_subtract_text():
    results = check_estimator(JoinColumns([(0, 1)]), on_fail=None, on_skip=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert sorted(failed) == sorted(TEXT_CHECKS)
    assert all(isinstance(e, TypeError) and "'str'" in str(e) for e in failed.values())


@pytest.mark.parametrize("keep", [False, True])
def test_what_those_checks_are_after_holds_for_text(keep):
    X = np.random.default_rng(0).integers(0, 3, (30, 4)).astype(float)
    join = JoinColumns([(0, 1), (2, 3, 0)], keep=keep)
    once = join.fit(X).transform(X)
    assert (join.fit(X).transform(X) == once).all()
    assert (clone(join).fit_transform(X) == once).all()
    assert (pickle.loads(pickle.dumps(join)).transform(X) == once).all()
    assert (join.transform(X.tolist()) == once).all()
    assert (join.transform(X[::-1]) == once[::-1]).all()
    assert all((join.transform(X[i : i + 1]) == once[i]).all() for i in range(len(X)))


# ---- columns="auto" --------------------------------------------------------------------------------------------------


def together(n=400, seed=0):
    """Two columns that tell the class together and neither by itself, one that tells it by itself, and noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.choice(list("pqrs"), n) for name in ("a", "b", "alone", "noise")})
    X["number"] = rng.normal(size=n)
    parity = (X["a"].isin(["p", "q"])) == (X["b"].isin(["p", "r"]))
    return X, np.where(rng.random(n) < 0.1, rng.random(n) < 0.5, parity | (X["alone"] == "s"))


def test_auto_joins_the_columns_that_tell_something_only_together():
    X, y = together()
    join = JoinColumns("auto").fit(X, y)
    assert [j.columns for j in join.joins_] == [(0, 1)]
    assert join.joins_[0].p < 1e-6
    assert list(join.transform(X).columns) == ["a", "b", "alone", "noise", "number", "a-b"]
    assert JoinColumns("auto", keep=False).fit_transform(X, y).shape[1] == 4
    numbers = np.where(y, 3.0, 0.0) + np.random.default_rng(1).normal(size=len(y))
    assert [j.columns for j in JoinColumns("auto").fit(X, numbers).joins_] == [(0, 1)]


def test_auto_finds_nothing_in_noise_and_leaves_the_table_as_it_is():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({c: rng.choice(list("pqrstu"), 300) for c in "abcdefgh"})
    found = [JoinColumns("auto").fit(X, rng.integers(0, 3, 300)).joins_ for _ in range(30)]
    assert sum(map(len, found)) <= 1
    join = JoinColumns("auto").fit(np.arange(12.0).reshape(-1, 2), [0, 1] * 3)
    assert join.joins_ == []
    assert join.transform(np.arange(4.0).reshape(-1, 2)).shape == (2, 2)


def test_the_f_of_a_pair_is_that_of_the_two_linear_models():
    from bough.tables.aggregate import judged, targets

    X, y = together(150, 3)
    codes = [np.unique(X[c], return_inverse=True)[1].astype(np.int64) for c in ("a", "noise")]
    a, b = (np.eye(4)[c] for c in codes)
    wanted = targets(y, len(y))

    def rest(design):
        return np.square(wanted - design @ np.linalg.lstsq(design, wanted, rcond=None)[0]).sum()

    both = np.einsum("ni,nj->nij", a, b).reshape(len(y), -1)
    f = (rest(np.hstack([a, b])) - rest(both)) / 9 / (rest(both) / (len(y) - 16))
    found = judged((0, 3), codes[0], codes[1], wanted)
    assert found is None or found.f == pytest.approx(f)
    strong = judged((0, 1), codes[0], np.unique(X["b"], return_inverse=True)[1].astype(np.int64), wanted)
    assert strong is not None
    assert strong.f > 10


def test_auto_works_in_a_pipeline_and_says_what_it_lacks():
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    from bough import TreeClassifier

    X, y = together(600)
    tree = TreeClassifier(max_depth=2)
    plain, better = (cross_val_score(e, X, y, cv=5).mean() for e in (tree, make_pipeline(JoinColumns("auto"), tree)))
    assert better > plain + 0.1
    assert clone(JoinColumns("auto", max_joins=2)).max_joins == 2
    with pytest.raises(ParameterError, match="give y to fit"):
        JoinColumns("auto").fit(X)
    with pytest.raises(ParameterError, match="max_joins is 0"):
        JoinColumns("auto", max_joins=0).fit(X, y)
    with pytest.raises(ParameterError, match="one value for each of the 600 rows"):
        JoinColumns("auto").fit(X, y[:5])
