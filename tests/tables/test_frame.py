"""Tables in: arrays of every kind, three data frame libraries, every column type, clear refusals."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bough import DataError, TreeClassifier, TreeRegressor, load

RNG = np.random.default_rng(0)
N = 200


@pytest.fixture(scope="module")
def numbers():
    X = RNG.normal(size=(N, 4))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    job = rng.choice(["cook", "nurse", "pilot", None], N, p=[0.4, 0.3, 0.2, 0.1])
    age = np.where(rng.random(N) < 0.1, np.nan, rng.integers(18, 70, N))
    member = rng.random(N) < 0.5
    y = np.where((job == "pilot") | (np.nan_to_num(age, nan=30) > 50), "yes", "no")
    return {"job": job, "age": age, "member": member}, y


def frames(columns):
    with_none = {k: [None if v != v else v for v in np.asarray(c, dtype=object)] for k, c in columns.items()}
    text = {k: ([None if v is None else str(v) for v in c] if k == "job" else c) for k, c in with_none.items()}
    return {
        "pandas": pd.DataFrame(columns),
        "pandas-nullable": pd.DataFrame(columns).convert_dtypes(),
        "pandas-category": pd.DataFrame(columns).assign(job=lambda d: d.job.astype("category")),
        "polars": pl.DataFrame(text),
        "polars-categorical": pl.DataFrame(text).with_columns(pl.col("job").cast(pl.Categorical)),
        "pyarrow": pa.table(text),
        "pyarrow-dictionary": pa.table({**text, "job": pa.array(text["job"]).dictionary_encode()}),
    }


# ---- arrays -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "layout",
    [
        lambda X: np.asfortranarray(X),
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: np.repeat(X, 3, axis=1)[:, ::3],
        lambda X: X[::-1][::-1],
        lambda X: np.flip(np.flip(X)),
        lambda X: X.astype(">f8"),
        lambda X: X.astype(np.longdouble),
        lambda X: X.tolist(),
        lambda X: X.astype(object),
        lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
        lambda X: pd.DataFrame(X).to_numpy(),
    ],
)
def test_layout_and_byte_order_change_nothing(numbers, layout):
    X, y = numbers
    plain = TreeClassifier().fit(X, y)
    other = TreeClassifier().fit(layout(X), y)
    assert plain.model_.to_bytes() == other.model_.to_bytes()
    assert (other.predict(layout(X)) == plain.predict(X)).all()


def test_read_only_arrays_work_and_are_not_touched(numbers):
    X, y = numbers
    X = X.copy()
    X.setflags(write=False)
    before = X.copy()
    TreeClassifier(criterion="max_cut").fit(X, y).predict(X)
    assert (before == X).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, np.float32, bool])
def test_every_numeric_type_is_read_as_its_value(dtype):
    X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 3).astype(dtype)
    y = X[:, 0].astype(int)
    tree = TreeClassifier().fit(X, y)
    assert tree.tree_.threshold[0] == 0.5
    assert tree.score(X, y) == 1


def test_packed_records_with_odd_strides_are_copied():
    a = np.zeros(50, dtype=[("c", "i1"), ("x", "<f8", (2,))])
    a["x"] = RNG.normal(size=(50, 2))
    X = a["x"]
    assert X.strides[0] % 8
    y = (X[:, 0] > 0).astype(int)
    assert TreeClassifier().fit(X, y).score(X, y) == 1


def test_object_arrays_with_text_have_nominal_columns():
    X = np.array([["a", 1.0], ["b", 2.0], ["a", None], [None, 4.0]] * 4, dtype=object)
    y = [0, 1, 0, 1] * 4
    tree = TreeClassifier().fit(X, y)
    assert tree.score(X, y) == 1
    assert tree.model_.schema.columns[0].values == ("a", "b", None)


def test_columns_of_an_array_can_be_declared_nominal():
    X = np.array([[3.0, 1], [7.0, 1], [9.0, 1], [np.nan, 1]] * 5)
    y = [0, 1, 0, 1] * 5
    for choice in ([0], [True, False], np.array([True, False]), (0,)):
        tree = TreeClassifier(categorical_features=choice).fit(X, y)
        assert tree.model_.schema.columns[0].values == (3.0, 7.0, 9.0, None)
        assert tree.tree_.kind[0] == "subset"
        assert tree.score(X, y) == 1


# ---- data frames --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", list(frames({"job": [], "age": [], "member": []})))
def test_every_library_gives_the_same_tree(people, library):
    columns, y = people
    table = frames(columns)[library]
    tree = TreeClassifier().fit(table, y)
    assert tree.score(table, y) == 1
    assert tree.show() == TreeClassifier().fit(frames(columns)["pandas"], y).show()
    assert tree.feature_names_in_.tolist() == ["job", "age", "member"]
    assert [c.kind for c in tree.model_.schema.columns] == ["nominal", "numeric", "boolean"]


def test_a_model_reads_the_other_libraries_too(people, tmp_path):
    columns, y = people
    tables = frames(columns)
    TreeClassifier().fit(tables["pandas"], y).save(tmp_path / "m.bough")
    model = load(tmp_path / "m.bough")
    for table in tables.values():
        assert (model.predict(table) == y).all()


def test_a_model_matches_columns_by_name_in_any_order_and_leaves_others_aside(people, tmp_path):
    columns, y = people
    table = pd.DataFrame(columns)
    tree = TreeClassifier().fit(table, y)
    shuffled = table[["member", "age", "job"]].assign(extra=1)
    assert (tree.model_.predict(shuffled) == y).all()
    with pytest.raises(DataError, match="lacks 1 column.*'age'"):
        tree.model_.predict(table.drop(columns="age"))


def test_an_estimator_answers_other_columns_in_scikit_learns_words(people):
    columns, y = people
    table = pd.DataFrame(columns)
    tree = TreeClassifier().fit(table, y)
    with pytest.raises(ValueError, match="same order"):
        tree.predict(table[["member", "age", "job"]])
    with pytest.raises(ValueError, match="now missing"):
        tree.predict(table.drop(columns="age"))
    with pytest.raises(ValueError, match="unseen at fit"):
        tree.predict(table.assign(extra=1))


def test_values_never_seen_follow_the_heavier_child_or_stop():
    table = pd.DataFrame({"c": list("aaab") * 5})
    y = [0, 0, 0, 1] * 5
    new = pd.DataFrame({"c": ["z", None, "a", "b"]})
    tree = TreeClassifier().fit(table, y)
    assert tree.predict(new).tolist() == [0, 0, 0, 1]
    stopping = TreeClassifier(nominal_params={"unseen": "stop"}).fit(table, y)
    assert stopping.predict_proba(new)[:2].tolist() == [[0.75, 0.25]] * 2
    assert stopping.apply(new).tolist()[:2] == [0, 0]


def test_a_value_seen_in_training_but_not_at_the_node_follows_the_heavier_child():
    table = pd.DataFrame({"c": ["a"] * 6 + ["b"] * 3 + ["c"] * 3, "x": [0] * 9 + [9] * 3})
    y = [0] * 6 + [1] * 3 + [2] * 3
    tree = TreeClassifier().fit(table, y)
    assert tree.score(table, y) == 1
    strange = pd.DataFrame({"c": ["c"], "x": [0]})
    assert tree.predict(strange).tolist() in ([0], [2])


def test_missing_numbers_go_where_training_found_them_better():
    x = np.array([1.0, 2, 3, 4, np.nan, np.nan, np.nan])
    for y in ([0, 0, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1]):
        tree = TreeClassifier().fit(x.reshape(-1, 1), y)
        assert tree.score(x.reshape(-1, 1), y) == 1


def test_with_none_missing_in_training_missing_numbers_follow_the_heavier_child():
    x = np.arange(10.0).reshape(-1, 1)
    tree = TreeClassifier().fit(x, [0] * 7 + [1] * 3)
    assert tree.predict([[np.nan]]).tolist() == [0]
    tree = TreeClassifier().fit(x, [0] * 3 + [1] * 7)
    assert tree.predict([[np.nan]]).tolist() == [1]


def test_categories_keep_the_order_they_declare():
    order = ["small", "medium", "large"]
    table = pd.DataFrame({"size": pd.Categorical(["large", "small", "medium"] * 5, categories=order)})
    tree = TreeClassifier().fit(table, [1, 0, 1] * 5)
    assert tree.model_.schema.columns[0].values == tuple(order)


def test_booleans_are_numbers_that_read_as_flags():
    table = pd.DataFrame({"flag": [True, False] * 6})
    tree = TreeClassifier().fit(table, [1, 0] * 6)
    assert "flag is False" in tree.show()
    nullable = pd.DataFrame({"flag": pd.array([True, None, False] * 4, dtype="boolean")})
    assert TreeClassifier().fit(nullable, [1, 0, 1] * 4).score(nullable, [1, 0, 1] * 4) == 1


# ---- refusals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([2**53 + 1, 1, 2, 3], "'c' holds integers beyond 2\\^53"),
        ([-(2**60), 1, 2, 3], "beyond 2\\^53"),
        ([np.inf, 1, 2, 3], "infinity.*column 'c', row 0"),
        (pd.period_range("2020", periods=4, freq="M"), "'c' holds Period|'c' is of type"),
        (["a", 1, 2.5, "b"], "'c' mixes text and numbers"),
        ([[1], [2], [3], [4]], "argument must be a string or a number"),
        ([1 + 2j, 1, 2, 3], "argument must be a string or a number|Complex|Unknown"),
    ],
)
def test_a_column_that_cannot_be_split_is_named(column, message):
    table = pd.DataFrame({"ok": [1, 2, 3, 4], "c": column})
    with pytest.raises((DataError, TypeError), match=message):
        TreeClassifier().fit(table, [0, 1, 0, 1])


def test_large_whole_numbers_can_be_nominal():
    table = pd.DataFrame({"id": [2**60, 2**60 + 1] * 4})
    y = [0, 1] * 4
    tree = TreeClassifier(categorical_features=["id"]).fit(table, y)
    assert tree.score(table, y) == 1


def test_shapes_that_are_no_table_are_refused(numbers):
    X, y = numbers
    tree = TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        TreeClassifier().fit(X[:, 0], y)
    with pytest.raises(ValueError, match="0 feature"):
        TreeClassifier().fit(np.empty((5, 0)), y[:5])
    with pytest.raises(ValueError, match="0 sample"):
        TreeClassifier().fit(np.empty((0, 5)), [])
    with pytest.raises(ValueError, match="0 sample"):
        TreeClassifier().fit(pd.DataFrame({"a": []}), [])
    with pytest.raises(ValueError, match="3 features.*4|expecting 4"):
        tree.predict(X[:, :3])
    with pytest.raises(ValueError, match="Two columns are called 'a'|unique"):
        TreeClassifier().fit(pd.DataFrame(X, columns=["a", "a", "b", "c"]), y)


def test_a_lazy_frame_is_refused(numbers):
    X, y = numbers
    with pytest.raises(DataError, match="collect"):
        TreeClassifier().fit(pl.DataFrame(X).lazy(), y)


def test_infinity_is_refused_at_predict_too(numbers):
    X, y = numbers
    tree = TreeClassifier().fit(X, y)
    bad = X.copy()
    bad[3, 2] = -np.inf
    with pytest.raises(DataError, match="column 'x2', row 3"):
        tree.predict(bad)


def test_text_where_a_number_was_is_refused_at_predict():
    table = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": list("xyxy")})
    tree = TreeClassifier().fit(table, [0, 1, 0, 1])
    with pytest.raises(DataError, match="could not convert string to float: column 'a' holds 'seven'"):
        tree.predict(pd.DataFrame({"a": ["seven"], "b": ["x"]}))


def test_numbers_where_training_had_text_are_refused():
    tree = TreeClassifier().fit(pd.DataFrame({"c": ["1", "2"] * 5}), [0, 1] * 5)
    with pytest.raises(DataError, match="'c' holds numbers .*in training its values were text.*astype"):
        tree.predict(pd.DataFrame({"c": [1, 2]}))
    tree = TreeClassifier(categorical_features=["c"]).fit(pd.DataFrame({"c": [1, 2] * 5}), [0, 1] * 5)
    with pytest.raises(DataError, match="'c' holds text"):
        tree.predict(pd.DataFrame({"c": ["1", "2"]}))


@pytest.mark.parametrize(
    ("choice", "message"),
    [(["nope"], "names 'nope'"), ([7], "column 7"), ([True], "mask of 1 flags"), ("nope", "names 'nope'")],
)
def test_a_wrong_choice_of_nominal_columns_is_named(choice, message):
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": list("xyxy")})
    with pytest.raises(DataError, match=message):
        TreeClassifier(categorical_features=choice).fit(table, [0, 1, 0, 1])


def test_an_explicit_choice_must_name_the_text_columns():
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": list("xyxy")})
    with pytest.raises(DataError, match="column 'b' holds 'x'.*categorical_features"):
        TreeClassifier(categorical_features=["a"]).fit(table, [0, 1, 0, 1])
    with pytest.raises(DataError, match="column 'b'"):
        TreeClassifier(categorical_features=None).fit(table, [0, 1, 0, 1])


def test_exact_search_of_too_many_values_is_refused_by_name():
    table = pd.DataFrame({"city": [f"c{i}" for i in range(25)] * 3})
    y = list(range(3)) * 25
    with pytest.raises(ValueError, match="there are 3; column 'city' has 25 values. Use nominal='auto'"):
        TreeClassifier(nominal="exact").fit(table, y)
    TreeClassifier(nominal="exact").fit(table, [v % 2 for v in y])  # two classes: any number of values
    TreeRegressor(nominal="exact").fit(table, y)


def test_a_column_of_nothing_but_gaps_is_harmless():
    table = pd.DataFrame({"a": [None] * 4, "b": [np.nan] * 4, "c": [1, 2, 3, 4]})
    tree = TreeClassifier().fit(table, [0, 0, 1, 1])
    assert tree.score(table, [0, 0, 1, 1]) == 1


# ---- more refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        np.array([[2**70], [1]], dtype=object),
        pd.DataFrame({"id": [2**60 + 1, None]}, dtype=object),
        pd.DataFrame({"id": pd.array([2**60 + 1, None], dtype="Int64")}),
    ],
)
def test_large_whole_numbers_among_objects_are_refused_too(X):
    with pytest.raises(DataError, match=r"beyond 2\^53"):
        TreeClassifier().fit(X, [0, 1])


def test_numbers_beside_text_in_a_list_stay_numbers():
    tree = TreeClassifier().fit([["a", 1], ["b", 2.5]], [0, 1])
    assert [c.kind for c in tree.model_.schema.columns] == ["nominal", "numeric"]


def test_text_in_an_object_column_is_not_read_as_the_number_it_looks_like():
    tree = TreeClassifier().fit(np.array([[1.0], [2.0]], dtype=object), [0, 1])
    with pytest.raises(DataError, match="column 'x0' holds '2'"):
        tree.predict(np.array([["2"]], dtype=object))


def test_a_column_of_nothing_can_be_predicted(people):
    columns, y = people
    table = pd.DataFrame(columns)
    tree = TreeClassifier().fit(table, y)
    nan = tree.predict(table.assign(age=np.nan, job=None))
    assert (tree.predict(table.assign(age=None, job=np.nan)) == nan).all()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "Two columns are called 'a'"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", 7]), "others are not (such as 7)"),
        ({"a": [1, 2]}, "made of dicts"),
        ([{"a": 1}, {"a": 2}], "made of dicts"),
    ],
)
def test_tables_without_proper_names_are_refused(X, message):
    with pytest.raises(DataError, match=re.escape(message)):
        TreeClassifier().fit(X, [0, 1])


def test_labels_keep_their_type_and_mixtures_are_refused():
    X = [[1.0], [2.0]]
    for y in (pd.array([3, 5], dtype="Int64"), pd.Series([3, 5], dtype="int8"), pl.Series([3, 5])):
        assert TreeClassifier().fit(X, y).classes_.tolist() == [3, 5]
    assert TreeClassifier().fit(X, pd.array([True, False], dtype="boolean")).classes_.dtype == bool
    with pytest.raises(DataError, match=r"mixes text and other labels \(int, str\)"):
        TreeClassifier().fit(X, np.array([1, "a"], dtype=object))


def test_weights_that_are_none_are_refused_by_name():
    X, y = [[1.0], [2.0]], ["a", "b"]
    with pytest.raises(DataError, match="sample_weight must be numbers"):
        TreeClassifier().fit(X, y, sample_weight=["heavy", "light"])
    with pytest.raises(DataError, match=r"sample_weight\[1\] is -2.0;"):
        TreeClassifier().fit(X, y, sample_weight=[1, -2])
    with pytest.raises(ValueError, match="class_weight of 'a' is -1"):
        TreeClassifier(class_weight={"a": -1, "b": 1}).fit(X, y)
