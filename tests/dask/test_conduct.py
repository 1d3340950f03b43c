"""Partitions of every kind, answers that stay lazy, errors in one sentence."""

import pickle
import threading
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from support.dask import bytes_of, few_bins, frame_of

pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
import bough
import bough.dask
from bough.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def table():
    return frame_of(np.random.default_rng(0), 160)


@pytest.fixture(scope="module")
def local(table):
    return bough.TreeClassifier(max_depth=5).fit(table.drop(columns="y"), table["y"])


def from_pieces(pieces):
    """A frame of these partitions, unknown divisions, whatever its meta says."""
    import dask.dataframe as dd

    import dask

    return dd.from_delayed([dask.delayed(p) for p in pieces], meta=pieces[0].iloc[:0], verify_meta=False)


def cut(table, *at):
    ends = [0, *at, len(table)]
    return [table.iloc[a:b] for a, b in pairwise(ends)]


def grown(client, frame, y="y", **params):
    return bough.dask.TreeClassifier(max_depth=5, client=client, move_rows=0, **params).fit(frame, y)


# ---- partitions -----------------------------------------------------------------------------------------


def test_empty_partitions_and_unknown_divisions(client, table, local, monkeypatch):
    few_bins(monkeypatch)
    assert bytes_of(grown(client, from_pieces(cut(table, 0, 30, 30, 90)))) == bytes_of(local)


def test_partitions_of_other_types_and_column_order(client, table, local):
    pieces = cut(table, 50, 100)
    pieces[1] = pieces[1][["y", "d", "c", "b", "a"]].astype({"b": "float32"})
    pieces[2] = pieces[2].astype({"b": "int8", "c": "object"})
    assert bytes_of(grown(client, from_pieces(pieces))) == bytes_of(local)


def test_the_collection_says_in_which_order_its_columns_are(client, table, local):
    pieces = cut(table, 0, 60)
    pieces[1] = pieces[1][["d", "y", "c", "b", "a"]]
    tree = grown(client, from_pieces(pieces))
    assert bytes_of(tree) == bytes_of(local)
    assert np.array_equal(
        tree.predict(from_pieces(pieces).drop(columns="y")).compute(), local.predict(table.drop(columns="y"))
    )


def test_categories_that_differ_between_partitions(client, table):
    pieces = [p.assign(c=p["c"].astype(object).astype("category")) for p in cut(table, 3, 100)]
    whole = pd.concat(pieces)
    assert not isinstance(whole["c"].dtype, pd.CategoricalDtype)
    local = bough.TreeClassifier(max_depth=5).fit(whole.drop(columns="y"), whole["y"])
    assert bytes_of(grown(client, from_pieces(pieces))) == bytes_of(local)


def test_declared_categories_keep_their_order(client, table):
    declared = table.assign(c=pd.Categorical(table["c"], categories=["v", "u", "x", "y", "z", "w"]))
    local = bough.TreeClassifier(max_depth=5).fit(declared.drop(columns="y"), declared["y"])
    assert bytes_of(grown(client, from_pieces(cut(declared, 80)))) == bytes_of(local)
    ordered = declared.assign(c=declared["c"].cat.as_ordered())
    local = bough.TreeClassifier(max_depth=5).fit(ordered.drop(columns="y"), ordered["y"])
    assert bytes_of(grown(client, from_pieces(cut(ordered, 80)))) == bytes_of(local)


def test_a_partition_without_a_value_in_a_nominal_column(client, table):
    holes = table.assign(c=table["c"].astype(object).where(table.index >= 60, None))
    local = bough.TreeClassifier(max_depth=5).fit(holes.drop(columns="y"), holes["y"])
    assert bytes_of(grown(client, from_pieces(cut(holes, 60, 110)))) == bytes_of(local)


def test_a_class_that_only_one_partition_has(client, table):
    last = table.assign(y=np.where(table.index >= 150, "rare", table["y"]))
    local = bough.TreeClassifier(max_depth=5).fit(last.drop(columns="y"), last["y"])
    assert bytes_of(grown(client, from_pieces(cut(last, 60, 150)))) == bytes_of(local)


def test_weights_and_target_as_collections(client, table):
    import dask.dataframe as dd

    w = pd.Series(np.arange(len(table)) % 3 + 0.0)
    local = bough.TreeClassifier(max_depth=5).fit(table.drop(columns="y"), table["y"], w)
    frame = dd.from_pandas(table.assign(w=w), npartitions=3)
    tree = bough.dask.TreeClassifier(max_depth=5, client=client, move_rows=0)
    assert bytes_of(tree.fit(frame, "y", "w")) == bytes_of(local)
    assert bytes_of(tree.fit(frame[["a", "b", "c", "d"]], frame["y"], frame["w"])) == bytes_of(local)


@pytest.mark.parametrize("weights", [False, True])
def test_parts_of_one_parquet_collection_fit_together_though_dask_fuses_them(client, table, tmp_path, weights):
    import dask.dataframe as dd

    for i, piece in enumerate(cut(table.assign(w=1.0), 40, 80, 120)):
        piece.to_parquet(tmp_path / f"p{i}.parquet")
    frame = dd.read_parquet(str(tmp_path / "*.parquet"))
    X, y, w = frame[["a", "b", "c", "d"]], frame["y"], frame["w"] if weights else None
    assert len(X.to_delayed()) != len(y.to_delayed())
    local = bough.TreeClassifier(max_depth=5).fit(
        table.drop(columns="y"), table["y"], np.ones(160) if weights else None
    )
    tree = bough.dask.TreeClassifier(max_depth=5, client=client, move_rows=0)
    assert bytes_of(tree.fit(X, y, w)) == bytes_of(local)


# ---- answers --------------------------------------------------------------------------------------------


def test_answers_of_a_collection_are_lazy_and_those_of_a_table_are_not(client, table, local):
    import dask.array as da
    import dask.dataframe as dd

    X = table.drop(columns="y")
    tree = grown(client, dd.from_pandas(table, npartitions=3))
    pieces = dd.from_pandas(X, npartitions=4)
    for what in ("predict", "predict_proba", "predict_log_proba", "apply"):
        expected = getattr(local, what)(X)
        lazy = getattr(tree, what)(pieces)
        assert hasattr(lazy, "dask")
        assert np.array_equal(lazy.compute().to_numpy(), expected)
        assert np.array_equal(getattr(tree, what)(X), expected)
    assert tree.predict_proba(pieces).columns.tolist() == local.classes_.tolist()
    numbers = X[["a", "b"]].to_numpy()
    flat = bough.TreeClassifier(max_depth=3).fit(numbers, table["y"])
    own = bough.dask.TreeClassifier(max_depth=3, client=client).fit(
        da.from_array(numbers, chunks=(50, 1)), da.from_array(table["y"].to_numpy(dtype=object), chunks=50)
    )
    assert np.array_equal(
        own.predict_proba(da.from_array(numbers, chunks=(33, 2))).compute(), flat.predict_proba(numbers)
    )
    assert np.array_equal(own.predict(da.from_array(numbers, chunks=(33, 2))).compute(), flat.predict(numbers))


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("kind", ["TreeClassifier", "TreeRegressor"])
def test_a_score_is_that_of_one_machine(client, table, kind, weights):
    import dask.array as da
    import dask.dataframe as dd

    y = "y" if kind == "TreeClassifier" else "a"
    table = table.assign(w=np.arange(len(table)) % 3)
    X = table.drop(columns=[y, "w"] if y == "y" else ["y", y, "w"])
    w = None if weights is None else table["w"]
    local = getattr(bough, kind)(max_depth=2).fit(X, table[y])
    frame = dd.from_pandas(table[[*X.columns, y, "w"]] if weights else table[[*X.columns, y]], npartitions=3)
    tree = getattr(bough.dask, kind)(max_depth=2, client=client).fit(dd.from_pandas(X.assign(**{y: table[y]}), 2), y)
    assert tree.score(frame, y, weights) == pytest.approx(local.score(X, table[y], w), rel=1e-12)
    assert tree.score(frame[list(X.columns)], frame[y], weights and frame["w"]) == tree.score(frame, y, weights)
    assert tree.score(X, table[y], w) == local.score(X, table[y], w)
    if y == "a":
        flat = getattr(bough.dask, kind)(max_depth=2, client=client)
        parts = da.from_array(X[["b", "d"]].to_numpy(), chunks=(50, 2)), da.from_array(table[y].to_numpy(), chunks=50)
        alike = bough.TreeRegressor(max_depth=2).fit(X[["b", "d"]].to_numpy(), table[y])
        assert flat.fit(*parts).score(*parts) == pytest.approx(alike.score(X[["b", "d"]].to_numpy(), table[y]))


def test_a_score_of_no_rows_is_refused(client, table):
    import dask.dataframe as dd

    frame = dd.from_pandas(table, npartitions=2)
    with pytest.raises(DataError, match="no partition of X has a row"):
        grown(client, frame).score(frame[frame["a"] > 1e9], "y")


def test_callbacks_and_a_bar_see_how_far_a_fit_is(client, table):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    import dask.dataframe as dd

    class Recorder:
        def __init__(self):
            self.ends = 0

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            self.ends += 1

        def teardown(self, estimator, context):
            pass

    recorder = Recorder()
    tree = bough.dask.TreeClassifier(max_depth=5, client=client, move_rows=20)
    tree.set_callbacks(recorder, callback.ProgressBar()).fit(dd.from_pandas(table, npartitions=2), "y")
    assert recorder.ends == 101


def test_an_estimator_is_cloned_pickled_and_left_as_it_was(client, table):
    import dask.dataframe as dd

    tree = grown(client, dd.from_pandas(table, npartitions=2), min_samples_leaf=3)
    twin = clone(tree)
    assert twin.client is client
    assert twin.get_params()["min_samples_leaf"] == 3
    assert not hasattr(twin, "model_")
    again = pickle.loads(pickle.dumps(tree))
    assert again.client is None
    assert bytes_of(again) == bytes_of(tree)
    assert bytes_of(tree.local()) == bytes_of(tree)
    before = bytes_of(tree)
    with pytest.raises(DataError):
        tree.fit(dd.from_pandas(table, npartitions=2), "nobody")
    assert bytes_of(tree) == before


# ---- one sentence ---------------------------------------------------------------------------------------


def sentences(error, frame, client, y="y", **params):
    with pytest.raises(error) as e:
        grown(client, frame, y, **params)
    assert "\n" not in str(e.value)
    return str(e.value)


def test_wrong_columns_and_strings_among_numbers(client, table):
    import dask.dataframe as dd

    frame = dd.from_pandas(table, npartitions=2)
    assert "y is 'z', which is not a column" in sentences(DataError, frame, client, "z")
    assert "categorical_features names 'q'" in sentences(DataError, frame, client, categorical_features=["q"])
    pieces = cut(table, 80)
    pieces[1] = pieces[1].assign(a="text")
    assert "'a' is nominal in some partitions and numeric in others" in sentences(
        DataError, from_pieces(pieces), client
    )
    pieces[1] = pieces[1].drop(columns="a")
    assert "only some have 'a'" in sentences(DataError, from_pieces(pieces), client)
    pieces = cut(table, 80)
    pieces[1] = pieces[1].assign(a=np.inf)
    assert "infinity" in sentences(DataError, from_pieces(pieces), client)


def test_times_of_day_are_refused_before_anything_is_read(client, table):
    import dask.dataframe as dd

    import dask

    def read():
        raise AssertionError("a partition was read")

    pa = pytest.importorskip("pyarrow")
    meta = table.iloc[:0].assign(when=pd.Series(dtype=pd.ArrowDtype(pa.time64("us"))))
    frame = dd.from_delayed([dask.delayed(read)()], meta=meta, verify_meta=False)
    assert "'when' is of type Time" in sentences(DataError, frame, client)


def test_a_frame_that_still_has_the_target_is_refused_with_the_way_out(client, table):
    import dask.dataframe as dd

    frame = dd.from_pandas(table, npartitions=2)
    tree = grown(client, frame)
    for what in ("predict", "predict_proba", "apply"):
        with pytest.raises(DataError, match=r"X has column 'y'.*X.drop\(columns=\['y'\]\)"):
            getattr(tree, what)(frame)
        with pytest.raises(DataError, match="X lacks column 'd'"):
            getattr(tree, what)(frame[["a", "b", "c"]])


@pytest.mark.parametrize("name", ["TreeClassifier", "ForestRegressor"])
def test_the_estimators_of_one_machine_name_those_of_a_cluster(table, name):
    import dask.dataframe as dd

    frame = dd.from_pandas(table, npartitions=2)
    with pytest.raises(DataError, match=r"bough\.dask.*X\.compute\(\)"):
        getattr(bough, name)().fit(frame.drop(columns="y"), table["y"])
    numbers = frame[["a"]].to_dask_array(lengths=True)
    for given, what in (((numbers, table["y"]), "X"), ((table[["a"]], frame["y"]), "y")):
        with pytest.raises(DataError, match=rf"bough\.dask.*{what}\.compute\(\)"):
            getattr(bough, name)().fit(*given)
    with pytest.raises(DataError, match=r"sample_weight\.compute\(\)"):
        getattr(bough, name)().fit(table[["a"]], np.arange(len(table)), numbers[:, 0])


def test_collections_that_do_not_fit_together(client, table):
    import dask.array as da
    import dask.dataframe as dd

    frame = dd.from_pandas(table, npartitions=2)
    other = dd.from_pandas(table, npartitions=3)
    assert "y has 3 partitions and X has 2" in sentences(DataError, frame, client, other["y"])
    assert "bough.dask grows from Dask" in sentences(DataError, table, client)
    assert "Dask collection" in sentences(DataError, frame, client, table["y"])
    assert "no column names" in sentences(DataError, da.ones((8, 2), chunks=4), client)
    assert "y has 9 rows and X has 8" in sentences(DataError, da.ones((8, 2), chunks=4), client, da.ones(9))
    with pytest.raises(ParameterError, match="client is 3"):
        grown(3, frame)


@pytest.mark.parametrize(
    "params",
    [
        {"split": "cart_lc"},
        {"criterion": "max_cut", "standardize": False},
        {"missing": "shared"},
        {"selector": "conditional_inference"},
        {"prune": "reduced_error"},
        {"costs": {("yes", "no"): 3.0}},
        {"split_params": {"price": True}},
    ],
    ids=lambda p: next(iter(p)),
)
def test_what_needs_more_room_than_a_worker_has_is_refused_by_name(client, table, params):
    import dask.dataframe as dd

    said = sentences(ParameterError, dd.from_pandas(table, npartitions=2), client, **params)
    assert said.startswith(next(iter(params)).replace("_params", ""))
    assert "in one place" in said


@pytest.mark.parametrize(
    "params", [{"oob_score": True}, {"class_weight": "balanced_subsample"}], ids=lambda p: next(iter(p))
)
def test_forests_of_tables_without_room_say_what_they_cannot_do(client, table, params):
    import dask.dataframe as dd

    forest = bough.dask.ForestClassifier(**params, client=client, move_rows=10)
    with pytest.raises(ParameterError, match=next(iter(params))):
        forest.fit(dd.from_pandas(table, npartitions=2), "y")


def test_a_client_on_its_way_back_is_waited_for(client, table, monkeypatch):
    import dask.dataframe as dd

    monkeypatch.setattr(client, "status", "connecting")
    timer = threading.Timer(0.3, setattr, (client, "status", "running"))
    timer.start()
    tree = grown(client, dd.from_pandas(table, npartitions=2))
    timer.join()
    assert tree.model_.tree.n_nodes > 1


def test_a_default_client_is_found(client, table):
    import dask.dataframe as dd

    with pytest.raises(ParameterError, match="no Dask client"):
        grown(None, dd.from_pandas(table, npartitions=2))
    with client.as_current():
        assert grown(None, dd.from_pandas(table, npartitions=2)).model_.tree.n_nodes > 1


def test_wrong_parameters_are_refused_before_anything_runs(client):
    with pytest.raises(ParameterError, match="criterion='ginny' is not known"):
        grown(client, None, criterion="ginny")
    with pytest.raises(ParameterError, match="move_rows is -1"):
        bough.dask.TreeClassifier(client=client, move_rows=-1).fit(None, "y")
    with pytest.raises(ParameterError, match="warm_start"):
        bough.dask.ForestClassifier(client=client, warm_start=True).fit(None, "y")
