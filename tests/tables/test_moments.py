"""Columns of dates, times and durations: cut as numbers, printed as what they are, the same from every library."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
from bough import TreeClassifier, TreeRegressor
from bough.errors import DataError
from bough.tables import moments

pd = pytest.importorskip("pandas")
N = 300
DAY = 86_400_000_000


def table(seed=0):
    rng = np.random.default_rng(seed)
    seconds = rng.integers(19_000 * 86_400, 20_000 * 86_400, N)
    X = pd.DataFrame(
        {
            "day": rng.integers(19_000, 20_000, N).astype("M8[D]").astype("M8[ns]"),
            "time": seconds.astype("M8[s]").astype("M8[ns]"),
            "zoned": pd.Series(seconds[::-1].astype("M8[s]").astype("M8[ns]")).dt.tz_localize("Europe/Berlin"),
            "lag": rng.integers(-86_400, 10 * 86_400, N).astype("m8[s]").astype("m8[ns]"),
            "x": rng.normal(size=N),
        }
    )
    y = (X.day < "2024-03-01") * 1 + (X.time < "2023-05-05 13:00") * 2 + (X.lag > pd.Timedelta("3 days 4 h")) * 4
    X.loc[3:9, "time"] = pd.NaT
    return X, np.asarray(y + 0.25 * (X.zoned < pd.Timestamp("2024-01-01", tz="UTC")))


def as_polars(X):
    pl = pytest.importorskip("polars")
    return pl.from_pandas(X)


def as_arrow(X):
    pa = pytest.importorskip("pyarrow")
    return pa.Table.from_pandas(X)


def as_objects(X):
    cells = np.empty(X.shape, dtype=object)
    for j, c in enumerate(X):
        cells[:, j] = X[c].tolist()
    return cells


WAYS = {
    "polars": as_polars,
    "pyarrow": as_arrow,
    "objects": lambda X: pd.DataFrame({c: pd.Series(X[c].tolist(), dtype=object) for c in X}),
    "seconds": lambda X: X.astype({"day": "M8[s]", "time": "M8[us]", "lag": "m8[ms]"}),
    "arrow-backed": lambda X: X.convert_dtypes(dtype_backend="pyarrow").astype({"day": "timestamp[us][pyarrow]"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_tree_grows_from_every_library(way):
    X, y = table()
    own, other = TreeRegressor(max_depth=5).fit(X, y), TreeRegressor(max_depth=5).fit(WAYS[way](X), y)
    assert own.show(max_nodes=None) == other.show(max_nodes=None)
    assert np.array_equal(own.predict(WAYS[way](X)), other.predict(X))


def test_a_tree_on_dates_is_the_tree_on_their_numbers_of_days():
    X, y = table()
    day = 86_400 * 1e6
    numbers = pd.DataFrame({"x": X.x})
    for c in ("day", "time", "zoned"):
        ticks = X[c].dt.tz_localize(None) if c != "zoned" else X[c].dt.tz_convert(None)
        numbers[c] = (ticks - pd.Timestamp(0)) / pd.Timedelta(microseconds=1) / day
    numbers["lag"] = X.lag / pd.Timedelta(microseconds=1) / day
    numbers = numbers[list(X)]
    ours, plain = TreeRegressor().fit(X, y), TreeRegressor().fit(numbers, y)
    assert np.array_equal(ours.apply(X), plain.apply(numbers))
    assert np.array_equal(ours.tree_.threshold, plain.tree_.threshold, equal_nan=True)


def test_a_column_without_a_time_of_day_is_cut_before_a_day():
    X, _ = table()
    y = np.where(X.day < "2024-03-01", "old", "new")
    tree = TreeClassifier().fit(X[["day", "x"]], y)
    first, last = X.day[y == "new"].min(), X.day[y == "old"].max()
    said = tree.show().splitlines()[0]
    assert said.startswith("day before ")
    assert last < pd.Timestamp(said.removeprefix("day before ")) <= first
    assert tree.why(X[["day", "x"]].iloc[[0]]).splitlines()[0].startswith(f"day = {X.day[0]:%Y-%m-%d}, so day ")
    assert " on: new" in str(next(r for r in tree.rules() if r.prediction == "new"))


def moment_of(text, kind):
    if kind == "duration":
        days, _, clock = text.lstrip("-").rpartition(" day")
        clock = clock.lstrip("s").strip() if days else text.lstrip("-")
        found = pd.Timedelta(days=int(days or 0)) + (pd.Timedelta(clock if clock.count(":") == 2 else clock + ":00"))
        return -found if text.startswith("-") else found
    return pd.Timestamp(text.replace(" UTC", "+00:00"))


def test_what_is_printed_sends_every_training_row_where_the_tree_does():
    X, y = table(1)
    for column, kind in (("time", "datetime"), ("zoned", "datetime_utc"), ("day", "date")):
        tree = TreeRegressor(max_depth=1).fit(X[[column]], y)
        text = tree.show().splitlines()[0].removesuffix(" or missing")
        sign = "before" if " before " in text else "<="
        cut = moment_of(text.split(f" {sign} ")[1], kind)
        left = (X[column] < cut) if sign == "before" else (X[column] <= cut)
        known = X[column].notna()
        assert np.array_equal((tree.apply(X[[column]]) == 1)[known], left[known])
        assert column in str(tree.show())


def test_a_row_that_lies_between_the_cut_and_what_is_printed_is_told_the_cut_itself():
    X = pd.DataFrame({"day": pd.to_datetime(["2024-02-29", "2024-03-01"] * 4)})
    tree = TreeClassifier().fit(X, ["a", "b"] * 4)
    assert tree.show().startswith("day before 2024-03-01")
    evening = pd.DataFrame({"day": [pd.Timestamp("2024-02-29 18:00")]})
    assert tree.predict(evening)[0] == "b"
    assert "> 2024-02-29 12:00" in tree.why(evening)


def test_text_in_iso_form_and_dicts_are_read_at_prediction():
    X, y = table()
    tree = TreeRegressor(max_depth=4).fit(X, y)
    row = X.iloc[0].to_dict()
    texts = {**row, "day": str(row["day"].date()), "time": row["time"].isoformat(), "zoned": row["zoned"].isoformat()}
    assert tree.predict(row)[0] == tree.predict(texts)[0] == tree.predict(X)[0]
    assert tree.why(row) == tree.why(texts) == tree.why(X.iloc[[0]])


def test_the_file_keeps_what_the_columns_are(tmp_path):
    X, y = table()
    tree = TreeRegressor(max_depth=4).fit(X, y)
    tree.save(tmp_path / "t.bough")
    model = bough.load(tmp_path / "t.bough")
    assert model.show() == tree.show()
    assert [c.kind for c in model.schema.columns] == ["date", "datetime", "datetime_utc", "duration", "numeric"]
    assert np.array_equal(model.predict(X), tree.predict(X))
    assert model.to_bytes() == tree.model_.to_bytes() if hasattr(model, "to_bytes") else True


def test_surrogates_and_linear_splits_of_dates_are_printed():
    X, y = table()
    tree = TreeClassifier(missing="surrogate", max_depth=2).fit(X, y > 3)
    assert "agrees on" in tree.show(surrogates=True)
    with pytest.warns(UserWarning, match="units"):
        linear = TreeClassifier(split="node_means_pca", max_depth=1).fit(X, y > 3)
    assert "·days(" in linear.show()
    assert "UTC" in linear.why(X.iloc[[20]])


def test_why_not_names_dates():
    X, _ = table()
    y = np.where(X.day < "2024-03-01", "old", "new")
    tree = TreeClassifier().fit(X[["day"]], y)
    new = X[["day"]][y == "new"].iloc[[0]]
    found = str(tree.why_not(new, "old"))
    assert f"instead of {new.day.iloc[0]:%Y-%m-%d}" in found
    assert "at most 2024-" in found


def test_duckdb_predicts_the_same():
    duckdb = pytest.importorskip("duckdb")
    X, y = table()
    con = duckdb.connect()
    con.register("t", X.assign(id=range(N)))
    for tree in (TreeRegressor().fit(X, y), TreeClassifier(split="lda", max_depth=3, standardize=True).fit(X, y > 3)):
        found = con.execute(tree.to_sql(table="t", dialect="duckdb", key="id")).df().sort_values("id")
        assert np.array_equal(found.prediction.to_numpy(), tree.predict(X))


def test_sqlite_knows_days_and_refuses_times():
    import sqlite3

    X, _ = table()
    y = np.where(X.day < "2024-03-01", "old", "new")
    tree = TreeClassifier().fit(X[["day"]], y)
    con = sqlite3.connect(":memory:")
    con.execute('CREATE TABLE t (id INTEGER, "day" TEXT)')
    con.executemany("INSERT INTO t VALUES (?, ?)", [(i, f"{d:%Y-%m-%d}") for i, d in enumerate(X.day)])
    rows = con.execute(tree.to_sql(table="t", dialect="sqlite", key="id")).fetchall()
    assert [p for _, p in sorted(rows)] == y.tolist()
    with pytest.raises(DataError, match="'time' holds dates or times"):
        TreeRegressor().fit(X[["time"]][10:], y[10:] == "old").to_sql(dialect="sqlite")


def test_source_code_and_json_take_numbers_of_days():
    X, _ = table()
    y = np.where(X.day < "2024-03-01", "old", "new")
    tree = TreeClassifier().fit(X[["day"]], y)
    space = {}
    exec(tree.to_python(), space)
    days = (X.day - pd.Timestamp(0)).dt.days
    predict = space["predict"]
    assert [predict({"day": float(d)}) for d in days] == y.tolist()


def test_a_split_by_hand_takes_a_date():
    X, y = table()
    tree = TreeRegressor(max_depth=1).fit(X, y)
    for day in (pd.Timestamp("2023-01-01"), "2023-01-01", dt.date(2023, 1, 1)):
        assert "day before 2023-01-01" in tree.with_split(1, ("day", "<", day), X, y).show()


def test_the_report_writes_dates():
    X, y = table()
    page = TreeRegressor(max_depth=3).fit(X, y).report(X, y).page
    assert "UTC" in page
    assert '"date"' in page


REFUSED = {
    "nanoseconds": (lambda X: X.assign(time=X.time + pd.Timedelta("1ns")), "finer than a microsecond"),
    "numbers for dates": (lambda X: X.assign(day=1.5), "it held dates in training"),
    "text that is no date": (lambda X: X.assign(day="tomorrow"), "it held dates in training: give dates, or text"),
    "a zone lost": (lambda X: X.assign(zoned=X.time), "with a time zone in training"),
    "dates for numbers": (lambda X: X.assign(x=X.day), "in training it held numbers"),
    "durations for times": (lambda X: X.assign(time=X.lag), "without a time zone in training"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_training_is_refused(what):
    X, y = table()
    tree = TreeRegressor(max_depth=3).fit(X, y)
    change, said = REFUSED[what]
    with pytest.raises(DataError, match=said):
        tree.predict(change(X))


def test_times_that_float64_cannot_tell_apart_are_refused():
    with pytest.raises(DataError, match="round times so far from 1970"):
        moments.days_of_ticks(np.arange(DAY * 80_000, DAY * 80_000 + 9), "us", np.ones(9, bool), "t")
    with pytest.raises(DataError, match="so far away, or so fine"):
        moments.days_of_ticks(np.array([2**60 + 1]), "us", np.array([True]), "t")


def test_a_time_of_day_alone_is_refused():
    pl = pytest.importorskip("polars")
    with pytest.raises(DataError, match="time of day"):
        TreeClassifier().fit(pl.DataFrame({"t": [dt.time(1), dt.time(2)]}), [0, 1])


def test_a_date_far_away_is_exact():
    X = pd.DataFrame({"until": [dt.date(9999, 12, 31), dt.date(2024, 1, 1), dt.date(1, 1, 1), dt.date(2024, 1, 2)]})
    tree = TreeClassifier().fit(X, ["never", "a", "old", "b"])
    assert tree.predict(X).tolist() == ["never", "a", "old", "b"]


def full(text):
    """A printed time with all six digits of a second, as Python 3.10 reads it."""
    whole, point, parts = text.partition(".")
    return f"{whole}.{parts:0<6}" if point else text


@settings(max_examples=200, deadline=None)
@given(
    st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2140, 1, 1)),
    st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2140, 1, 1)),
)
def test_days_keep_the_order_of_times_to_the_microsecond(a, b):
    x, y = moments.days_of_objects([a, b], "t").tolist()
    assert (a < b) == (x < y)
    assert moments.ticks_of(x) == moments.microseconds(a)
    assert dt.datetime.fromisoformat(full(moments.tick_text(moments.ticks_of(x), "datetime"))) == a
    array = np.array([a, b], dtype="M8[us]")
    assert moments.days_of_array(array, "t").tolist() == [x, y]
    assert moments.last_tick(x) == moments.microseconds(a)
