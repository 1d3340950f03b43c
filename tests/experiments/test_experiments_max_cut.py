"""The Max-Cut experiment: the published grids, the figures beside ours, a small run from end to end."""

from __future__ import annotations

import json

import numpy as np
import pytest
from experiments.max_cut import published, real, report, synthetic
from experiments.max_cut.synthetic import Round, Setting

from bough.compare.statistics import paired_greater


def test_the_full_grids_have_as_many_data_sets_as_the_paper():
    rounds = synthetic.rounds(full=True)
    assert sum(len(r.settings) for r in rounds if r.part == "grids" and r.settings[0].classes == 2) == 5640
    assert sum(len(r.settings) for r in rounds) == 20_700  # "over 20,000"
    seen = {}
    for r in rounds:  # every setting has its data sets one after the other
        for s in r.settings:
            assert seen.get((r.part, s), 0) == r.number
            seen[r.part, s] = r.number + 1
    assert set(seen.values()) == {30}


def test_levels_can_be_run_alone_and_in_the_order_of_all():
    rounds = synthetic.rounds(full=True, rows=(100, 10_000))
    assert rounds == [r for r in synthetic.rounds(full=True) if r in rounds]
    assert {(r.part, s.rows) for r in rounds for s in r.settings} == {("grids", 100), ("grids", 10_000)}
    assert sum(len(r.settings) for r in rounds) == 2 * 2 * 47 * 30


def test_every_published_figure_has_its_place():
    assert all(len(a) == len(s) == len(published.ALGORITHMS) == 8 for a, s in published.TABLE_5.values())
    assert published.accuracy("mnist", "max-cut-node-means-pca") == 0.924
    assert published.accuracy("wine_red", "gini-node-means-pca") == 0.638
    assert published.was_scaled("iris", "gini-pre-pca")
    assert not published.was_scaled("iris", "gini-features")


def test_a_random_set_is_standardised_and_the_same_every_time():
    s = Setting(classes=3, rows=200, dimensions=4, noise=2)
    X, X_test, y, y_test = synthetic.random_set(s, 300, 0)
    assert X.shape == (200, 6)
    assert X_test.shape == (300, 6)
    assert len(y) + len(y_test) == 500
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1)
    assert (synthetic.random_set(s, 300, 0)[0] == X).all()
    assert not (synthetic.random_set(s, 300, 1)[0] == X).all()


@pytest.fixture(scope="module")
def small():
    found = {}
    settings = tuple(Setting(2, r, d) for r in (60, 1000) for d in (4, 6))
    for number in range(3):
        assert synthetic.add_round(found, Round("grids", settings, number), 200, jobs=1)
    assert synthetic.add_round(found, Round("grids", (Setting(2, 80, 4),), 0), 200, jobs=1)
    assert not synthetic.add_round(found, Round("grids", settings, 1), 200, jobs=1)  # they have it
    return dict(sorted(found.items()))


@pytest.mark.slow
def test_a_small_grid_gives_accuracies_leaves_and_labels(small):
    for s, found in small.items():
        assert set(found.accuracies) == set(published.ALGORITHMS)
        assert all(len(a) == (1 if s.rows == 80 else 3) for a in found.accuracies.values())
        assert set(found.labels().values()) <= {"Best", "Not best", "Undecidable", "Untested"}
    assert set(small[Setting(2, 80, 4)].labels().values()) == {"Untested"}  # one data set proves nothing
    leaves = synthetic.mean_leaves(small)
    assert leaves["gini-node-pca"] < leaves["gini-features"]
    assert synthetic.ratios(small, "gini-features", "gini-features").tolist() == [1.0] * 13
    ratios, weights = report.weighted_ratios(small, "max-cut-features", "gini-features")
    assert [weights[:6].sum(), weights[6], weights[7:].sum()] == pytest.approx([1 / 3] * 3)  # each level the same
    assert len(ratios) == len(weights)
    undecided = {s: dict.fromkeys(published.ALGORITHMS, "Undecidable") for s in small}
    assert report.of_baseline(small, undecided).endswith("; the other 5, Undecidable, have 1 to 3 data sets each")


@pytest.mark.slow
def test_the_page_of_a_grid_comes_from_its_json_and_says_what_is_not_there(small, tmp_path):
    noisy = {}
    synthetic.add_round(noisy, Round("noise", (Setting(2, 10_000, 4, 2),), 0), 200, jobs=1)
    report.save_grids(tmp_path / "synthetic.json", [{"size": "reduced"}], {"grids": small, "noise": noisy})
    again = json.loads((tmp_path / "synthetic.json").read_text())
    assert report.results_of(again, "grids") == {2: small}
    page = report.grids(again)
    assert "Test sets of 100,000 rows, ours have 200; ten classes; data sets, for want of time, see the table" in page
    assert "; 4 of the 8 algorithms on columns of noise, for want of time: there Gini Features, Gini Node" in page
    assert "--rows" not in page  # no level has all its sets
    assert "| two | 1,000 | 2 of 47 | 3 |" in page
    assert "| two | 10,000, columns of noise | 1 of 110 | 1 |" in page
    assert "| Untested | 1 | 1 |" in page


@pytest.mark.slow
def test_the_pictures_are_small_files(small, tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need the extra 'experiments'")
    from experiments.max_cut import pictures

    pictures.accuracy_map(small, "accuracy", tmp_path / "a.png")
    pictures.best_map(small, "best", tmp_path / "b.png")
    pictures.comparisons(small, small, tmp_path / "c.png")
    for name in "abc":
        data = (tmp_path / f"{name}.png").read_bytes()
        assert data.startswith(b"\x89PNG")
        assert len(data) < 100_000


def test_the_quick_test_of_the_page_is_that_of_the_library():
    rng = np.random.default_rng(0)
    for n in (2, 5, 30):
        for gap in (0.0, 0.01, 0.3):
            a, b = rng.normal(gap, 0.05, n), rng.normal(0, 0.05, n)
            assert synthetic.greater(a, b) == pytest.approx(paired_greater(a, b), rel=1e-9)
        assert [synthetic.greater(a + g, a) for g in (0, 1, -1)] == [0.5, 0.0, 1.0]


def test_of_fewer_images_only_the_order_is_told():
    found = {
        a: [real.Outcome([[published.accuracy("cifar10", a) / 2]], 10.0, 1.0, False)] for a in published.ALGORITHMS
    }
    page = report.table_5({"facts": {"size": "reduced"}, "cifar10": real.result(found)})
    assert "**28 of 28 pairs of algorithms are in the published order.**" in page
    assert "48,000 of the 60,000 images" in page
    assert "within 2 deviations" not in page


def test_the_better_of_raw_and_standardised_is_reported(monkeypatch):
    def repeat(name, algorithm, scaled, number):
        mean = (0.9 if scaled == algorithm.startswith("gini") else 0.8) + 0.01 * number
        return [mean - 0.1, mean + 0.1], 10.0, 1.0

    monkeypatch.setattr(real, "one_repeat", repeat)
    ways = real.run("iris", full=False, jobs=1)
    assert [len(own) for own in ways.values()] == [2] * 8
    found = real.better(ways)
    assert real.outcomes(real.result(ways)) == found
    assert {a: o.scaled for a, o in found.items()} == {a: a.startswith("gini") for a in published.ALGORITHMS}
    assert found["gini-features"].mean == pytest.approx(0.945)
    assert real.within("iris", "gini-features", found)
    assert "| Gini Features | 0.945 | 0.945 ± 0.030 | yes | no / yes | 10 | 1.00 / 1.00 |" in real.table("iris", found)
