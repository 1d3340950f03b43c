"""The studies of a tree from scratch and of boundary points, on cases small enough to work out by hand."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.aggregated_elc import __main__ as aggregated_elc
from experiments.aggregated_nominal import __main__ as aggregated_nominal
from experiments.boosting import report as boosting_report
from experiments.boundary import loop
from experiments.boundary import report as boundary_report
from experiments.boundary.sets import titanic
from experiments.boundary.tree import candidates, grow
from experiments.cart_elc import report as elc_report
from experiments.choose import __main__ as choose
from experiments.common import aggregated
from experiments.common.table import kept, marks, place
from experiments.equal_systems import __main__ as equal_systems
from experiments.forests import report as forests_report
from experiments.max_cut import noisy as cut_noisy
from experiments.max_cut import pairs as cut_pairs
from experiments.max_cut import pictures_times as cut_pictures_times
from experiments.max_cut import report as cut_report
from experiments.max_cut import times as cut_times
from experiments.methods import __main__ as methods
from experiments.nominal import chapter4
from experiments.nominal import report as nominal_report
from experiments.scratch import report as scratch_report
from experiments.scratch.measures import MEASURES
from experiments.scratch.published import CASES, TABLES

from bough.compare.statistics import paired
from experiments import summary

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "scratch/results/scratch": scratch_report.page,
    "scratch/results/diagnostic": scratch_report.diagnostic_page,
    "boundary/results/boundary": boundary_report.page,
    "cart_elc/results/cart_elc": elc_report.page,
    "choose/results/choose": choose.page,
    "equal_systems/results/equal_systems": equal_systems.page,
    "boosting/results/boosting": boosting_report.page,
    "forests/results/forests": forests_report.page,
    "forests/results/full/forests": forests_report.page,
    "max_cut/results/table-5": cut_report.table_5,
    "max_cut/results/mnist": cut_report.table_5,
    "max_cut/results/cifar-10": cut_report.table_5,
    "max_cut/results/synthetic": cut_report.grids,
    "max_cut/results/pairs": cut_pairs.page,
    "max_cut/results/noisy": cut_noisy.page,
    "max_cut/results/pictures_times": cut_pictures_times.page,
    "max_cut/results/times": cut_times.page,
    "aggregated_elc/results/aggregated_elc": aggregated_elc.page,
    "aggregated_nominal/results/aggregated_nominal": aggregated_nominal.page,
    "scratch/results/draws": scratch_report.draws_page,
    "nominal/results/chapter4": chapter4.page,
    "nominal/results/chapter5": nominal_report.page,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_its_json_gives_and_says_what_is_not_there(name):
    path = ROOT / "experiments" / name
    result = json.loads(path.with_suffix(".json").read_text())
    page = path.with_suffix(".md").read_text()
    assert PAGES[name](result).rstrip() + "\n" == page
    assert "**What is not" in page[:3000]


def test_the_page_which_method_when_is_what_its_json_gives():
    result = json.loads((ROOT / "experiments/methods/results/methods.json").read_text())
    assert methods.page_of(result) == (ROOT / "docs/choosing.md").read_text()


def test_the_page_about_boosting_says_what_the_experiment_found():
    result = json.loads((ROOT / "experiments/boosting/results/boosting.json").read_text())
    assert boosting_report.section(result) in (ROOT / "docs/boosting.md").read_text()


def test_five_folds_have_a_test_row_for_four_training_rows_and_not_for_five():
    apart = [0.009, 0.021, 0.031, 0.021, 0.007]
    folds = {"RandomForest": [0.9] * 5, "axis": [0.9 + d for d in apart]}
    assert paired(apart, [0.0] * 5, 1 / 5) < 0.05 < paired(apart, [0.0] * 5, 1 / 4)
    assert marks(folds, "RandomForest", 5) == {"RandomForest": "", "axis": ""}


def test_the_page_about_forests_says_what_the_experiment_found():
    sets = json.loads((ROOT / "experiments/forests/results/forests.json").read_text())["sets"]
    lines = (ROOT / "docs/forests.md").read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("| accuracy, % |"))
    names = [cell.strip() for cell in lines[begin].strip("|").split("|")][1:]
    rows = [f"| {name} ({found['rows']:,} × {found['columns']}) |" for name, found in sets.items()]
    for line, row, found in zip(lines[begin + 2 :], rows, sets.values(), strict=False):
        means = [100 * float(np.mean([fold["accuracy"] for fold in found["folds"][s]])) for s in names]
        assert line == f"{row} {' | '.join(f'{m:.1f}' for m in means)} |"
    assert not lines[begin + 2 + len(rows)].startswith("|")


def test_the_page_about_climbs_says_what_the_authors_ties_give():
    result = json.loads((ROOT / "experiments/cart_elc/results/cart_elc.json").read_text())
    text = " ".join((ROOT / "docs/climbs.md").read_text().split())
    digits, of, far = elc_report.ties_to_the_digit(result)
    assert f"{digits} of the {of} published accuracies come out to the digit, including all those on iris" in text
    assert f"the others differ by at most {far:.1f} points" in text
    iris = result["data"]["iris"]["ties"]
    few = {"data": {"iris": {"ties": {name: iris[name] for name in ("twoing r=1", "twoing r=2")}}}}
    assert elc_report.ties_to_the_digit(few)[:2] == (10, 10)
    own = elc_report.grid(result, "iris", "twoing")[1]
    assert "changes the accuracy on iris by up to 2.3 points" in text
    assert "2.3 points through the rows" in own


def test_hhcart_cut_at_values_has_a_line_in_every_table_and_no_verdict_that_is_counted():
    result = json.loads((ROOT / "experiments/cart_elc/results/cart_elc.json").read_text())
    table, note = elc_report.verdicts(result, list(result["data"]))
    assert [line.split(" | ")[0] for line in table.splitlines() if "cut at values" in line] == [
        "| HHCART(A), cut at values",
        "| HHCART(D), cut at values",
    ]
    assert note.startswith("24 of 28 are those published")
    assert elc_report.page(result).count("cut at values |") == 2 * 5  # accuracy, leaves, p, verdict, d


def test_the_summary_is_what_the_json_files_give_and_has_every_table_and_figure():
    text = (ROOT / "experiments/README.md").read_text()
    assert f"{summary.BEGIN}\n\n{summary.summary()}\n\n{summary.END}" in text
    lines = {seed[:3]: " ".join(line.what for line in found()) for seed, found in summary.SEEDS.items()}
    wanted = {
        "000": [*(f"Table {i}" for i in range(1, 6)), *(f"Figure {i}" for i in (1, 4, 5, 8, 9)), "2 and 3", "6 and 7"],
        "002": [*(f"Table {i}" for i in range(1, 6)), *(f"Figure {i}" for i in range(1, 5))],
        "003": ["2.1, 2.2, 3.1", *(f"Table 4.{i}" for i in range(1, 6)), *(f"Table 5.{i}" for i in range(3, 14))],
        "004": [*(f"Table {i}" for i in range(1, 9)), *(f"Figure {i}" for i in range(1, 10))],
    }
    for seed, all_of_it in wanted.items():
        assert [what for what in all_of_it if what not in lines[seed]] == []
    pages = [line.page for found in summary.SEEDS.values() for line in found() if line.page]
    assert [p for p in pages if not (ROOT / "experiments" / p).exists()] == []


def test_a_figure_of_one_number_of_rows_counts_the_sets_of_that_number():
    lines = {line.what: line.found for line in summary.max_cut()}
    assert lines["Figure 4"].startswith("47 of 47 settings, 1,410 of 1,410 data sets")
    assert " of 47 settings, " in lines["Figure 8"]
    assert " of 282 settings, " in lines["Figure 9"]


def test_measures_are_those_of_scikit_learn():
    truth = np.array([1, 1, 1, 0, 0, 1, 0, 1])
    answer = np.array([1, 0, 1, 1, 0, 1, 0, 1])
    fold = {"tp": 4, "fp": 1, "fn": 1, "tn": 2}
    assert MEASURES["accuracy"](fold) == accuracy_score(truth, answer)
    assert MEASURES["precision"](fold) == precision_score(truth, answer)
    assert MEASURES["recall"](fold) == recall_score(truth, answer)
    assert MEASURES["f1"](fold) == pytest.approx(f1_score(truth, answer))
    assert MEASURES["precision"]({"tp": 0, "fp": 0, "fn": 3, "tn": 1}) == 0


def test_every_table_of_the_report_has_its_four_cases():
    assert [t[0] for t in TABLES.values()] == list(range(1, 9))
    assert all(len(t[-1]) == len(CASES) for t in TABLES.values())


def test_a_difference_that_is_one_folds_and_trees_that_are_the_same_are_told():
    right, wrong = [5, 0, 0, 5, 1.0, 1.0, 3, 90], [5, 0, 2, 3, 1.0, 1.0, 3, 95]
    found = {f"{c}, {k}": {"2": {"bough": [right, wrong], "scikit-learn": [right, right]}} for c, k in CASES}
    assert "Gini, best: 100 % of the -0.1000 in accuracy come from part 2" in scratch_report.one_part(found)
    assert "differ at 1 of 1 minima" in scratch_report.one_part(found)
    assert "in 2 of 2 folds" in scratch_report.alike(found)
    found["entropy, random"]["2"]["bough"] = [right, right]
    assert "in 1 of 2 folds" in scratch_report.alike(found)


def test_a_boundary_lies_beside_every_value_of_several_classes():
    values = np.array([1.0, 1, 2, 3, 4, 5, 5, 6])
    classes = np.array([0, 0, 0, 0, 1, 1, 0, 0])
    assert candidates(values, classes, "all").tolist() == [1, 2, 3, 4, 6]
    assert candidates(values, classes, "boundary").tolist() == [3, 4, 6]
    assert candidates(values, classes, "forgetful").tolist() == [3]  # 4 | 5 and 5 | 6 are forgotten


def test_boundary_points_give_the_tree_of_all_cuts_unless_leaves_need_more_rows():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 12, (60, 3)).astype(float), rng.integers(0, 3, 60)
        every = grow(X, y, "all", least=1)
        assert grow(X, y, "boundary", least=1).splits() == every.splits()
        assert np.array_equal(every.predict(X)[:5], [every.predict(x[None])[0] for x in X[:5]])
    X, y = np.arange(20.0)[:, None], np.array([0] * 3 + [1] * 17)  # the one boundary leaves three rows on a side
    assert grow(X, y, "all", least=10).splits()[0] == (0, 9.5)
    assert grow(X, y, "boundary", least=10).splits() == [(-1, 0.0)]
    with pytest.raises(ValueError, match="'some' is none of all, boundary"):
        grow(X, y, "some")


def test_the_titanic_had_2201_people_of_whom_711_survived():
    X, y = titanic()
    assert (len(y), y.sum(), X.shape[1]) == (2201, 711, 3)


def test_a_reduced_run_never_writes_over_a_full_one(tmp_path):
    class Given:
        out, full = None, False

    assert place(Given, tmp_path) == tmp_path / "results" / "reduced"
    Given.full = True
    assert place(Given, tmp_path) == tmp_path / "results"


def test_only_a_run_of_the_same_code_is_gone_on_from(tmp_path):
    path = tmp_path / "x.json"
    assert kept(path, {"commit": "a"}, again=False) == {}
    path.write_text('{"provenance": {"commit": "a"}, "folds": 1}')
    assert kept(path, {"commit": "a"}, again=False)["folds"] == 1
    assert kept(path, {"commit": "b"}, again=False) == {}
    assert kept(path, {"commit": "a"}, again=True) == {}


@pytest.mark.slow
def test_every_way_of_the_compiled_loop_judges_what_the_plain_tree_does(tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("there is no compiler: c++")
    rng = np.random.default_rng(3)
    X, program = rng.integers(0, 400, (120, 4)) + rng.random((120, 4)), loop.built(tmp_path)
    for y in (rng.integers(0, 2, 120), rng.integers(0, 5, 120)):
        path = loop.written(tmp_path / "table", X, y)
        for criterion in loop.CRITERIA:
            done = subprocess.run([str(program), str(path), criterion], check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)
            for way in ("plain", "sweep", "bounds"):
                assert found[f"{way}_boundary"]["judged"] <= found[way]["judged"]
        X_few, y_few = X[:30], y[:30]
        path = loop.written(tmp_path / "table", X_few, y_few)
        done = subprocess.run([str(program), str(path), "gini"], check=True, capture_output=True, text=True)
        plain, boundary = grow(X_few, y_few, "all", least=1), grow(X_few, y_few, "boundary", least=1)
        found = json.loads(done.stdout)
        assert found["nodes"] == sum(c >= 0 for c in plain.column)
        assert (found["plain"]["judged"], found["plain_boundary"]["judged"]) == (plain.judged, boundary.judged)


def test_sets_share_what_tests_of_aggregated_trees_say():
    first = [[0.9, 1.0], [0.8, 1.0], [0.9, 1.0], [0.8, 1.0], [0.9, 1.0]]
    second = [[a - 0.1, s] for a, s in first[:4]] + [[0.79, 1.0]]
    of = {"rows": 10, "columns": 2, "classes": 2, "held_out": {"tree": {"elc": first, "axis": second}}}
    d = aggregated.difference({"a": of, "b": of}, ("tree", "elc"), ("tree", "axis"))
    assert (d.ahead, d.better, d.worse, d.p) == (2, 2, 0, None)
    assert d.gap == pytest.approx(0.102)
    assert "tree elc less axis +10.2 points (significantly better on 2 and worse on 0 of 2 sets)" in aggregated.words(
        {"data": {"a": of, "b": of}}
    )
