"""What a comparison says and shows: tables, tests, plots, the page."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris

import bough
from bough import ParameterError
from bough.compare.plots import pareto
from support.chromium import Chromium
from support.comparisons import made


@pytest.fixture(scope="module")
def found():
    return bough.compare(["cart", "fact", "ctree"], ["iris", "wine", "breast_cancer"], repeats=2, folds=5)


# ---- tests -----------------------------------------------------------------------------------------------------------


def test_tests_of_two_systems_are_those_of_scipy():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.8, 0.05, 12), rng.normal(0.77, 0.05, 12)
    both = made({"a": a, "b": b})
    d = a - b
    t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / 12 + 0.25))
    assert both.test("a", "b") == pytest.approx(2 * stats.t.sf(abs(t), 11))
    assert both.test("a", "b", method="paired") == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert both.test("a", "b", method="welch") == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert both.test("a", "b", method="wilcoxon") == pytest.approx(stats.wilcoxon(a, b).pvalue)
    (pair,) = both.pairs()
    assert (pair.a, pair.b, pair.difference) == ("a", "b", pytest.approx(d.mean()))
    with pytest.raises(ParameterError, match="did you mean 'welch'"):
        both.test("a", "b", method="welsh")
    with pytest.raises(ParameterError, match="no system 'c'"):
        both.test("a", "c")


def test_the_corrected_test_is_more_careful_than_the_plain_one(found):
    assert found.test("cart", "fact", "wine") > found.test("cart", "fact", "wine", method="paired")


def test_mcnemar_uses_the_rows_of_the_first_repeat(found):
    a, b = found.right("cart", "fact", "wine")
    only = int((a & ~b).sum()), int((b & ~a).sum())
    assert found.test("cart", "fact", "wine", method="mcnemar") == pytest.approx(
        stats.binomtest(only[0], sum(only)).pvalue
    )


def test_less_is_better_where_it_is(found):
    assert found.best("wine", "log_loss") == "fact"
    assert found.best("wine", "leaves") == min(found.systems, key=lambda s: found.values("wine", "leaves")[s].mean())


@pytest.mark.slow
def test_labels_follow_a_clear_order():
    rng = np.random.default_rng(2)
    base = rng.normal(0.7, 0.01, 30)
    noise = [rng.normal(scale=0.001, size=30) for _ in range(3)]
    clear = made({"a": base + 0.2 + noise[0], "b": base + 0.1 + noise[1], "c": base + noise[2]})
    assert clear.labels() == {"a": "Best", "b": "Not best", "c": "Not best"}
    assert clear.labels(method="paired") == clear.labels()
    draw = made({"a": base + noise[0], "b": base + noise[1]})
    assert set(draw.labels().values()) == {"Undecidable"}


def test_many_data_sets_are_ranked(found):
    ranks = found.ranks()
    assert ranks.best == "fact"
    assert ranks.n_data == 3
    assert found.wins()["fact", "cart"] == (3, 0, 0)
    posterior = found.bayes("fact", "cart")
    assert posterior.better > 0.8
    assert posterior.better + posterior.equal + posterior.worse == pytest.approx(1)


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_the_table_says_what_differs_from_the_best():
    rng = np.random.default_rng(3)
    base = rng.normal(0.7, 0.01, 30)
    lines = str(made({"good": base + 0.2, "bad": base, "near": base + 0.199 + rng.normal(0, 0.01, 30)})).splitlines()
    assert lines[0] == "d: 100 rows, 2 columns, 2 classes, 30 folds"
    assert lines[2].endswith("best")
    assert "worse (p < 0.001)" in lines[3]
    assert "no difference shown" in lines[4]


def test_a_frame_has_a_row_for_every_fold(found):
    frame = found.frame()
    assert len(frame) == 3 * 3 * 10
    assert {"accuracy", "brier", "leaves", "terms", "bytes", "fit_seconds", "failure"} <= set(frame.columns)


def test_a_frame_of_means_has_a_row_for_each_data_set_and_the_ranks(found):
    frame = found.to_frame()
    assert list(frame.columns) == found.systems
    assert list(frame.index) == [*found.data, "average rank"]
    assert frame.loc["wine", "fact"] == pytest.approx(found.values("wine")["fact"].mean())
    assert frame.loc["average rank"].to_dict() == pytest.approx(found.ranks().average)


def test_latex_has_the_best_in_bold_and_escapes_names(found):
    lines = found.to_latex().splitlines()
    assert lines[0] == r"\begin{tabular}{lrrr}"
    for d in found.data:
        line = next(x for x in lines if x.startswith(d.replace("_", r"\_")))
        cells = line.removesuffix(r" \\").split(" & ")[1:]
        best = found.systems.index(found.best(d))
        assert cells[best].startswith(r"$\mathbf{")
        assert len(cells) == 3
    assert lines[-3].startswith("average rank & ")
    assert lines[-1] == r"\end{tabular}"


def test_a_notebook_shows_tables(found):
    html = found._repr_html_()
    assert html.count("<table>") == 4
    assert "average rank" in html


def test_compare_is_a_function_with_help():
    import inspect

    assert callable(bough.compare)
    assert "systems" in inspect.signature(bough.compare).parameters
    assert "Parameters" in inspect.getdoc(bough.compare)


def test_the_page_has_a_table_of_contents_that_leads_to_every_section(pages):
    for name in ("found", "hostile"):
        page = (pages / f"{name}.html").read_text()
        places = set(re.findall(r'id="([^"]+)"', page))
        links = set(re.findall(r'href="#([^"]+)"', page))
        assert links <= places
        assert bool(links) == (name == "found")
        assert "overflow-wrap:anywhere;" not in page.split("dd{")[0]
        assert page.count("<details>") == page.count("</details>") > 0


def test_what_is_not_there_is_named(found):
    with pytest.raises(ParameterError, match="data is needed"):
        found.values()
    with pytest.raises(ParameterError, match="did you mean 'wine'"):
        found.values("vine")
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        found.values("wine", "acuracy")


# ---- plots -----------------------------------------------------------------------------------------------------------


def test_the_pareto_front_has_what_nothing_beats():
    points = {"small": (2, 0.8), "large": (9, 0.9), "worse": (9, 0.85), "same": (2, 0.8)}
    assert pareto(points) == ["small", "large", "same"]
    assert pareto({"a": (1, 0.5), "b": (2, 0.4)}, -1.0) == ["a", "b"]


def test_plots_are_drawn(found):
    assert [t.get_text() for t in found.plot_dots("wine").get_yticklabels()] == found.systems
    drawn = " ".join(t.get_text() for t in found.plot_ranks().texts)
    assert "fact  1.00" in drawn
    assert "critical difference" in drawn
    assert found.plot_front("wine").get_xlabel() == "leaves"


def test_a_measure_is_drawn_along_a_parameter():
    depths = bough.compare(["cart", "fact"], "iris", repeats=1, folds=3, along={"max_depth": [1, 2, 4]})
    ax = depths.plot_along("max_depth")
    assert [line.get_label() for line in ax.get_lines()] == ["cart", "fact"]
    assert ax.get_lines()[0].get_xdata().tolist() == [1, 2, 4]
    with pytest.raises(ParameterError, match="'ccp_alpha'"):
        depths.plot_along("ccp_alpha")


# ---- the page --------------------------------------------------------------------------------------------------------

HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def pages(tmp_path_factory, found):
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    hostile = made({HOSTILE: rng.normal(0.8, 0.1, 9), "b": rng.normal(0.8, 0.1, 9)}, data=HOSTILE)
    found.report(folder / "found.html")
    hostile.report(folder / "hostile.html")
    return folder


@pytest.mark.slow
def test_the_page_asks_for_nothing_and_holds_no_script(pages):
    for name in ("found", "hostile"):
        text = (pages / f"{name}.html").read_text()
        assert "default-src 'none'" in text
        assert "<script" not in text.lower()
        assert not re.search(r"(?:src|href|srcset)=\"(?!data:image/svg|#)", text)
        assert "<img src=x" not in text
        assert "url(" not in text
    assert (pages / "found.html").stat().st_size < 1_000_000


@pytest.mark.slow
def test_the_page_is_shown_by_a_browser_without_complaint(pages):
    browser = Chromium()
    try:
        for name in ("found", "hostile"):
            browser.open(pages / f"{name}.html")
            sizes = browser.js("[...document.images].map(i => i.complete && i.naturalWidth > 50)")
            assert sizes
            assert all(sizes)
            assert browser.js("document.querySelectorAll('script').length") == 0
            assert browser.complaints() == []
            assert browser.requests() == []
    finally:
        browser.close()


def test_the_paired_test_along_a_parameter_is_that_of_scipy_on_the_means():
    from scipy.stats import ttest_rel

    systems = {"gini": bough.TreeClassifier(), "lda": bough.TreeClassifier(split="lda")}
    found = bough.compare(systems, "wine", repeats=1, folds=4, along={"max_depth": [1, 2, 3, 4]})
    values = found.values()
    a, b = ([values[f"{s} max_depth={d}"].mean() for d in (1, 2, 3, 4)] for s in ("gini", "lda"))
    difference, p = found.test_along("max_depth", "gini", "lda")
    assert difference == pytest.approx(np.mean(a) - np.mean(b))
    assert p == pytest.approx(ttest_rel(a, b).pvalue)
    with pytest.raises(ParameterError, match="along 'max_depth'"):
        found.test_along("max_depth", "gini", "pca")


def test_a_positive_class_has_precision_recall_and_f1_of_its_own():
    from sklearn.metrics import f1_score, precision_score, recall_score

    X, y = load_iris(return_X_y=True)
    rows = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    found = bough.compare("cart", (X, y), folds=rows, positive=1, measure="positive_f1")
    said = bough.system("cart", random_state=found.folds[0]["seed"]).fit(X[rows[0][0]], y[rows[0][0]]).predict(X[1::2])
    measures = found.folds[0]["measures"]
    for name, score in (("f1", f1_score), ("precision", precision_score), ("recall", recall_score)):
        assert measures[f"positive_{name}"] == pytest.approx(score(y[1::2], said, labels=[1], average="macro"))
    assert measures["fit_wall"] > 0
    assert "positive_f1" not in bough.compare("cart", (X, y), folds=rows).folds[0]["measures"]
    with pytest.raises(ParameterError, match="positive is 'x'; it must be a class"):
        bough.compare("cart", (X, y), positive="x")
    with pytest.raises(ParameterError, match="needs a class"):
        bough.compare("cart", (X, y), measure="positive_recall")
