"""nominal="auto" against all searches, bounded; min_ratio and few values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from experiments.auto_search import __main__ as auto_search
from experiments.auto_search.run import CRITERIA, random_part, real_part
from experiments.common.data import DataMissing, folder
from experiments.few_values import __main__ as few_values
from experiments.few_values.__main__ import made
from experiments.linear_leaves import __main__ as linear_leaves

from bough import TreeClassifier, partition


def test_auto_is_near_the_best_of_all_searches_on_random_tables():
    found = random_part(864)
    assert set(found) == set(CRITERIA)
    for criterion, f in found.items():
        assert f["tables"] > 100, criterion
        assert f["mean"] >= 0.99, criterion
        assert f["least"] >= 0.9, criterion


@pytest.mark.slow
def test_auto_is_near_the_best_on_the_columns_of_real_sets():
    try:
        folder()
    except DataMissing as e:
        pytest.skip(str(e))
    found = real_part(300)
    for criterion in CRITERIA:
        assert found[criterion]["mean"] >= 0.99, criterion
    assert found["least"]["share"] >= 0.9, found["least"]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
def test_auto_is_exact_where_that_takes_about_a_millisecond(criterion):
    rng = np.random.default_rng(0)
    for n, k in ((14, 12), (15, 14), (9, 30), (200, 2)):
        table = rng.integers(0, 8, (n, k)) + 1
        best = partition(table, search="exact", criterion=criterion).gain
        assert partition(table, search="auto", criterion=criterion).gain == pytest.approx(best, rel=1e-12)


def test_xor_of_two_flags_is_learned_and_an_id_is_not():
    sets = made(400)
    X, y = sets["made: xor"]
    assert TreeClassifier().fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.9
    X, y = sets["made: id"]
    with pytest.warns(UserWarning, match="looks like an id"):
        held_back = TreeClassifier().fit(X[:300], y[:300])
    assert held_back.score(X[300:], y[300:]) > 0.7


@pytest.mark.parametrize("study", [auto_search, few_values, linear_leaves])
def test_the_pages_are_those_of_the_results(study):
    folder_of = Path(study.__file__).parent / "results"
    name = folder_of.parent.name
    result = json.loads((folder_of / f"{name}.json").read_text())
    page = (folder_of / f"{name}.md").read_text()
    assert page.strip() == study.page(result).strip()
    assert "**What is not there**" in page
    assert result["provenance"]["size"] == "full"


def test_the_stored_run_has_auto_near_the_best_of_all_searches():
    found = json.loads((Path(auto_search.__file__).parent / "results" / "auto_search.json").read_text())
    assert sum(f["tables"] for f in found["random"].values()) > 9_900  # where something can be gained
    for part in ("random", "real"):
        for criterion in CRITERIA:
            assert found[part][criterion]["mean"] >= 0.99
            assert found[part][criterion]["least"] >= 0.9
