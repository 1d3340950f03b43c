"""Values that few tables hold: masks, decimals, numbers beyond float64, half characters, classes that no file keeps."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bough
from bough import DataError, ForestClassifier, Model, ParameterError, TreeClassifier, TreeRegressor, _core

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 0, 0, 1, 1, 1])


# ---- numbers that begin at any byte ---------------------------------------------------------------------------------


def shifted(a):
    """The same array, one byte away from where its numbers should begin."""
    moved = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    moved[...] = a
    assert not moved.flags.aligned
    return moved


def packed(a):
    """The same array as a field of records of nine bytes."""
    records = np.zeros(a.shape, [("flag", np.uint8), ("number", a.dtype)])
    records["number"] = a
    return records["number"]


@pytest.mark.parametrize("moved", [shifted, packed])
def test_numbers_may_begin_at_any_byte(moved):
    rng = np.random.default_rng(0)
    x, y, w = rng.normal(size=(60, 3)), rng.integers(0, 3, 60), rng.random(60)
    for tree in (TreeClassifier(), TreeRegressor(), ForestClassifier(3, random_state=0)):
        plain = tree.fit(x, y, w).model_.to_bytes()
        assert tree.fit(moved(x), moved(y), moved(w)).model_.to_bytes() == plain
        assert (tree.predict(moved(x)) == tree.predict(x)).all()
        frame = pd.DataFrame(moved(x), columns=["x0", "x1", "x2"], copy=False)
        assert (tree.fit(frame, y).predict(frame) == tree.fit(x, y).predict(x)).all()
    turned = bough.directions(lambda x, y, w: moved(np.eye(3)))
    assert TreeClassifier(split=turned).fit(x, y).score(x, y) == 1
    assert bough.partition(moved(np.abs(x))).gain == bough.partition(np.abs(x)).gain


def test_the_core_itself_takes_no_number_from_the_middle_of_another():
    with pytest.raises(ValueError, match="the array is not aligned; pass a copy"):
        _core.Columns().add_matrix(shifted(X))
    forest = ForestClassifier(3, random_state=0).fit(X, Y).model_
    for more in range(8):  # arrays of trees lie at any byte of a file
        assert Model.from_bytes(bytearray(b"x" * more + forest.to_bytes())[more:]) == forest


# ---- masks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, np.bool_])
def test_a_masked_number_is_a_missing_one(dtype):
    hidden = np.array([[True, False]] * 3 + [[False, False]] * 3)
    values = X.astype(dtype)
    table = np.ma.array(values, mask=hidden)
    table.data[hidden] = 1  # what lies under the mask
    with_gaps = np.where(hidden, np.nan, values.astype(float))
    tree = TreeClassifier().fit(table, Y)
    assert tree.show() == TreeClassifier().fit(with_gaps, Y).show()
    assert (tree.predict(table) == tree.predict(with_gaps)).all()


def test_whatever_lies_under_a_mask_is_not_looked_at():
    huge = np.ma.array(np.array([[2**60], [1], [2], [3]]), mask=[[1], [0], [0], [0]])
    assert TreeClassifier().fit(huge, [0, 1, 1, 1]).show().startswith("x0 is known")
    infinite = np.ma.array(np.array([[np.inf], [1], [2], [3]]), mask=[[1], [0], [0], [0]])
    assert TreeClassifier().fit(infinite, [0, 1, 1, 1]).get_n_leaves() == 2


def test_a_masked_text_is_a_missing_value():
    table = np.ma.array(np.array([["a"], ["b"], ["c"], ["b"]]), mask=[[1], [0], [1], [0]])
    assert TreeClassifier().fit(table, [0, 1, 0, 1]).show().splitlines()[0] == "x0 is b"


@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_a_masked_target_or_weight_is_refused(estimator):
    with pytest.raises(DataError, match="y is masked in row 2"):
        estimator().fit(X, np.ma.array(Y, mask=[0, 0, 1, 0, 0, 0]))
    with pytest.raises(DataError, match="sample_weight is masked in row 1"):
        estimator().fit(X, Y, np.ma.array(np.ones(6), mask=[0, 1, 0, 0, 0, 0]))
    assert estimator().fit(X, np.ma.array(Y), np.ma.array(np.ones(6))).get_n_leaves() == 2


# ---- numbers that are not float64 ---------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, lambda c: np.array([c["a"]], dtype=object).T])
def test_decimals_are_numbers(frame):
    table = frame({"a": [Decimal("1.5"), Decimal("2.5"), None, Decimal("0.5")]})
    assert "<= 1" in TreeClassifier().fit(table, [1, 1, 1, 0]).show(digits=3)


def test_fractions_are_numbers():
    assert TreeClassifier().fit([[Fraction(1, 4)], [Fraction(3, 4)]], [0, 1]).show().startswith("x0 <= 0.5")


@pytest.mark.parametrize("nominal", [False, True])
def test_a_signalling_nan_is_missing(nominal):
    table = np.array([[Decimal("sNaN")], [1], [2]], dtype=object)
    tree = TreeClassifier(categorical_features=[0] if nominal else None).fit(table, [0, 1, 1])
    assert tree.get_n_leaves() == 2


@pytest.mark.parametrize("value", [10**400, -(10**400), Decimal("1e400"), Decimal("Infinity")])
def test_a_number_beyond_float64_is_refused_by_its_column(value):
    table = np.array([[1, 0], [2, value]], dtype=object)
    with pytest.raises(DataError, match="too large for float64: column 'x1', row 1"):
        TreeClassifier().fit(table, [0, 1])


def test_targets_and_weights_beyond_float64_are_refused():
    with pytest.raises(DataError, match="y must be numbers"):
        TreeRegressor().fit([[1], [2]], [0, 10**400])
    with pytest.raises(DataError, match="sample_weight must be numbers"):
        TreeClassifier().fit([[1], [2]], [0, 1], [1, 10**400])
    with pytest.raises(DataError, match="y contains infinity or a value too large"):
        TreeClassifier().fit([[1], [2]], np.array([0, 10**400], dtype=object))


def test_a_cell_that_is_an_array_is_refused_by_its_column():
    for cell in (np.array([1, 2]), [1, 2], {"a": 1}):
        table = pd.DataFrame({"a": [1, 2]}, dtype=object)
        table.at[0, "a"] = cell
        with pytest.raises(TypeError, match="Column 'a' holds"):
            TreeClassifier().fit(table, [0, 1])


# ---- what no file could keep is refused when it is given ------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        np.array(["2020-01-01"] * 3 + ["2021-01-01"] * 3, dtype="M8[s]"),
        np.array(["2020-01-01"] * 3 + ["2021-01-01"] * 3, dtype="M8[s]").astype(object),
        np.array([1] * 3 + [2] * 3, dtype="m8[s]"),
        np.array([b"a"] * 3 + [b"b"] * 3),
        np.array(Y, dtype=np.longdouble),
        pd.Series([(1, 2)] * 3 + [(2, 3)] * 3),
        [Decimal(1)] * 3 + [Decimal(2)] * 3,
    ],
)
def test_classes_that_no_file_could_keep_are_refused_at_fit(y):
    with pytest.raises(DataError, match="Unknown label type: y .*classes are text, numbers or flags"):
        TreeClassifier().fit(X, y)


def test_half_a_character_is_refused_at_fit():
    half = "a\ud800"
    with pytest.raises(DataError, match=r"y holds the text 'a\\ud800', which is not valid Unicode"):
        TreeClassifier().fit(X, [half] * 3 + ["b"] * 3)
    with pytest.raises(DataError, match=r"Column 'x0' holds the text 'a\\ud800'"):
        TreeClassifier().fit([[half]] * 3 + [["b"]] * 3, Y)
    named = pd.DataFrame(X, columns=pd.Index([half, "b"], dtype=object))
    with pytest.raises(DataError, match=r"The name of column 0 holds the text 'a\\ud800'"):
        TreeClassifier().fit(named, Y)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 10**400])
def test_an_infinite_nominal_value_is_refused_at_fit(value):
    table = np.array([[value]] * 3 + [[1.0]] * 3, dtype=object)
    with pytest.raises(DataError, match="Column 'x0' contains infinity"):
        TreeClassifier(categorical_features=[0]).fit(table, Y)
    if isinstance(value, float):
        with pytest.raises(DataError, match="Column 'a' contains infinity"):
            TreeClassifier().fit(pd.DataFrame({"a": pd.Categorical([value] * 3 + [1.0] * 3)}), Y)


def test_columns_of_the_same_name_are_refused_by_every_library():
    columns = [pa.array([1, 2]), pa.array([3, 4])]
    for table in (pa.table(columns, names=["a", "a"]), pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])):
        with pytest.raises(DataError, match="Two columns are called 'a'"):
            TreeClassifier().fit(table, [0, 1])


def test_more_columns_than_a_file_lists_are_refused_at_fit():
    with pytest.raises(DataError, match="X has 1,000,001 columns; a model has at most 1,000,000"):
        TreeClassifier().fit(np.zeros((2, 1_000_001), dtype=np.uint8), [0, 1])


# ---- parameters -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [[1, 2], {0: "a"}, {0: np.nan}, {0: -1}, {0: 10**400}, {0: None}, "heavy", 3])
def test_class_weights_that_are_none_are_refused_in_one_sentence(given):
    with pytest.raises(ParameterError, match="class_weight .*(it must be a dict|must be a finite number)"):
        TreeClassifier(class_weight=given).fit(X, Y)


SCALARS = [
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "min_info_gain",
    "ccp_alpha",
    "random_state",
]


@pytest.mark.parametrize("name", SCALARS)
@pytest.mark.parametrize("value", [[1, 2], np.array([1.0]), 10**400, pytest.param(10**5000, id="5000"), "a\nb", 1j])
def test_a_scalar_parameter_takes_one_number(name, value):
    with pytest.raises(ParameterError, match=rf"^{name} is .*; it must be ") as raised:
        TreeClassifier(**{name: value}).fit(X, Y)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


def test_a_count_beyond_32_bits_is_no_limit():
    assert TreeClassifier(max_depth=2**40, max_leaf_nodes=2**40).fit(X, Y).get_n_leaves() == 2
    assert TreeClassifier(min_samples_leaf=2**40).fit(X, Y).get_n_leaves() == 1
