"""A fit needs no cluster: parts of a table in one process give the model of the whole table, byte for byte."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import bough
from bough.distributed.engine import InProcess, Rows
from bough.distributed.fit import Job
from bough.distributed.portions import n_held
from bough.errors import ParameterError
from support.dask import bytes_of, few_bins, frame_of


def parts_of(table, y, *at, w=None):
    X = table.drop(columns=[y, *([w] if w else [])])
    ends = [0, *at, len(table)]
    return [Rows(X.iloc[a:b], table[y].iloc[a:b], None if w is None else table[w].iloc[a:b]) for a, b in pairwise(ends)]


@pytest.mark.parametrize("move_rows", [0, 40, None])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("TreeClassifier", {}),
        ("TreeClassifier", {"class_weight": "balanced", "ccp_alpha": 0.005}),
        ("TreeClassifier", {"priors": [0.5, 0.25, 0.25]}),
        ("TreeClassifier", {"max_leaf_nodes": 7}),
        ("TreeRegressor", {"max_depth": 4}),
        ("ForestClassifier", {"n_estimators": 3, "random_state": 2}),
        ("ForestRegressor", {"n_estimators": 2, "random_state": 2, "max_features": 2}),
    ],
)
@pytest.mark.parametrize("weights", [None, "w"])
def test_the_model_is_that_of_one_table(name, params, weights, move_rows, monkeypatch):
    few_bins(monkeypatch)
    rng = np.random.default_rng(3)
    table = frame_of(rng, 160).assign(w=rng.random(160))
    y = "a" if name.endswith("Regressor") else "y"
    table = table.drop(columns=([] if weights else ["w"]) + (["y"] if y == "a" else []))
    estimator = getattr(bough, name)(**params)
    engine = InProcess(parts_of(table, y, 0, 30, 31, 100, w=weights))
    attributes = Job(engine, estimator, move_rows).fitted()
    engine.end()
    local = getattr(bough, name)(**params).fit(
        table.drop(columns=[y, *([weights] if weights else [])]), table[y], table[weights] if weights else None
    )
    assert attributes["model_"].to_bytes() == bytes_of(local)
    assert (len(attributes["exchanged_"]["levels"]) > 0) == (move_rows is not None)
    assert n_held() == 0


def test_dates_are_cut_as_on_one_machine_also_where_only_some_parts_have_a_time_of_day():
    rng = np.random.default_rng(5)
    table = frame_of(rng, 120)
    days = pd.Series(rng.integers(19_000, 19_500, 120).astype("M8[D]").astype("M8[ns]"))
    when = days + pd.to_timedelta(np.where(np.arange(120) < 60, 0, 3601), unit="s")
    table = table.assign(day=days, when=when, y=np.where(days > days.median(), "new", table["y"]))
    local = bough.TreeClassifier().fit(table.drop(columns="y"), table["y"])
    found = Job(InProcess(parts_of(table, "y", 50)), bough.TreeClassifier(), None).fitted()["model_"]
    assert found.to_bytes() == bytes_of(local)
    assert {c.name: c.kind for c in found.schema.columns if c.moment} == {"day": "date", "when": "datetime"}


def test_a_plan_that_needs_its_rows_in_one_place_gets_them_there_or_is_refused():
    table = frame_of(np.random.default_rng(4), 120).drop(columns="c")
    estimator = bough.TreeClassifier(missing="surrogate", max_leaf_nodes=6)
    local = bough.TreeClassifier(missing="surrogate", max_leaf_nodes=6).fit(table.drop(columns="y"), table["y"])
    parts = parts_of(table, "y", 50)
    assert Job(InProcess(parts), estimator, None).fitted()["model_"].to_bytes() == bytes_of(local)
    with pytest.raises(ParameterError, match="missing='surrogate' needs the rows of a node in one place"):
        Job(InProcess(parts), estimator, 10).fitted()


def test_matrices_are_parts_too():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(90, 3)).round(1), rng.integers(0, 2, 90)
    parts = [Rows(X[a:b], y[a:b], None) for a, b in ((0, 20), (20, 90))]
    local = bough.TreeClassifier(max_depth=4).fit(X, y)
    assert Job(InProcess(parts), bough.TreeClassifier(max_depth=4), 0).fitted()["model_"].to_bytes() == bytes_of(local)


def test_the_engine_of_one_process_keeps_what_it_is_told_to():
    engine = InProcess([Rows(pd.DataFrame({"a": [i]}), [i], None) for i in range(3)])
    engine.keep([0, 2], [1, 1])
    assert engine.each(lambda parts: (parts[0].i, parts[0].rows().y)) == [(0, [0]), (1, [2])]
