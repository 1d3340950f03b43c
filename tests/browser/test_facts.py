"""The report in a real browser: what it tells of searches, tests and pruning, and the map of a large tree."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bough

pytestmark = pytest.mark.slow


def table(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"number {i}": rng.normal(size=n) for i in range(6)})
    X["word"] = rng.choice(["ash", "birch", "cedar", "date", "elm"], n)
    y = np.where(X["word"].isin(["ash", "elm"]), "tall", "low")
    noisy = np.where(X["number 0"] + X["number 1"] > 1, "wide", y)
    return X, pd.Series(np.where(rng.random(n) < 0.1, "odd", noisy), name="shape")


def opened(browser, tmp_path, estimator, data=True, words=True):
    X, y = table()
    X = X if words else X.drop(columns="word")
    estimator.fit(X, y)
    path = (estimator.report(X, y) if data else estimator.model_.report()).save(tmp_path / "page.html")
    browser.size(1400)
    browser.open(path)
    assert browser.complaints() == []
    return estimator


def panel(browser):
    return browser.js("document.getElementById('panel').textContent").replace("\u202f", " ")


def to_depth(browser, depth):
    browser.js(f"document.getElementById('depth').value = {depth}")
    browser.js("document.getElementById('depth').dispatchEvent(new Event('input'))")


def test_the_limit_of_p_values_is_the_one_that_was_used(browser, tmp_path):
    for alpha in (0.2, 1e-4):
        tree = opened(browser, tmp_path, bough.system("ctree", selector_params={"alpha": alpha}))
        assert f"p = {alpha}" in panel(browser).replace("1e-4", "0.0001")
        leaf = next(n.number for n in tree.model_.nodes() if n.is_leaf and n.tests and n.tests[0].p > alpha)
        browser.open(tmp_path / "page.html", f"#{leaf}")
        assert "So the tree stops" in panel(browser)
    tree = opened(browser, tmp_path, bough.system("ctree"), data=False)
    assert "dashed line, p = 0.05" in panel(browser)
    dataclasses.replace(tree.model_, origin=None).report().save(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    assert "dashed" not in panel(browser)  # the model of an old file does not know its alpha


def test_a_sum_of_many_columns_is_named_by_what_it_parts(browser, tmp_path):
    tree = opened(browser, tmp_path, bough.TreeClassifier(split="lda", max_depth=2), words=False)
    assert tree.model_.nodes()[0].kind == "linear"
    title = browser.js("document.querySelector('[data-i=\"0\"]').textContent")
    assert "by 6 columns" in title
    assert " | " in title


def test_figures_of_terms_stand_on_one_line(browser, tmp_path):
    opened(browser, tmp_path, bough.TreeClassifier(split="lda", max_depth=2), words=False)
    heights = browser.js(
        "[...document.querySelectorAll('.term span:last-child')].map(s => s.getBoundingClientRect().height)"
    )
    assert len(heights) == 6
    assert max(heights) < 24


def test_the_model_page_draws_what_pruning_does(browser, tmp_path):
    opened(browser, tmp_path, bough.TreeClassifier())
    browser.click("#vModel")
    assert "on the training rows (dots) and in training (dashed)" in browser.js(
        "document.getElementById('model').textContent"
    )
    assert browser.js("document.querySelectorAll('#model .curve').length") == 2  # calibration and pruning
    assert browser.complaints() == []


def test_a_map_shows_where_one_is_in_a_large_tree_and_leads_elsewhere(browser, tmp_path):
    tree = opened(browser, tmp_path, bough.TreeClassifier())
    assert tree.get_depth() > 5
    to_depth(browser, 1)
    assert browser.js("document.getElementById('map').hidden")
    to_depth(browser, tree.get_depth())
    assert not browser.js("document.getElementById('map').hidden")
    pane = "document.getElementById('scroll')"
    assert browser.js(f"{pane}.scrollHeight > {pane}.clientHeight")
    assert browser.js("document.documentElement.scrollHeight <= innerHeight + 1")  # the pane scrolls, not the page
    assert browser.js("document.querySelectorAll('#map .kf').length") == tree.model_.n_nodes
    before = browser.js(f"{pane}.scrollTop")
    browser.js(
        "(() => { const m = document.getElementById('map'), r = m.getBoundingClientRect();"
        "m.dispatchEvent(new MouseEvent('click', { clientX: r.right - 5, clientY: r.bottom - 5 })); })()"
    )
    assert browser.js(f"{pane}.scrollTop") > before
    browser.size(390)
    browser.open(tmp_path / "page.html")
    assert browser.js("document.getElementById('map').hidden")


def test_all_levels_open_with_the_chosen_node_in_view(browser, tmp_path):
    tree = opened(browser, tmp_path, bough.TreeClassifier())
    to_depth(browser, tree.get_depth())
    box = browser.js(
        "(() => { const r = document.querySelector('.node.sel').getBoundingClientRect(),"
        "p = document.getElementById('scroll').getBoundingClientRect(); return [r.top, r.bottom, p.top, p.bottom]; })()"
    )
    assert box[2] <= box[0]
    assert box[1] <= box[3]


def test_a_grouping_of_values_tells_its_search_and_what_is_proven(browser, tmp_path):
    tree = opened(browser, tmp_path, bough.TreeClassifier(nominal="exact", max_depth=1))
    assert tree.model_.nodes()[0].kind == "subset"
    told = panel(browser)
    assert "Searchexact" in told
    assert "no grouping gains more on the training rows" in told
    assert "Unseen values" in told
    opened(browser, tmp_path, bough.TreeClassifier(nominal="exact", max_depth=1), data=False)
    assert "give the report labelled rows to see" in panel(browser)


def test_the_sheet_of_a_phone_opens_by_tap_swipe_and_key(browser, tmp_path):
    opened(browser, tmp_path, bough.TreeClassifier(max_depth=2))
    browser.size(390, 844)
    browser.open(tmp_path / "page.html")

    def is_up():
        return browser.js("document.getElementById('panel').classList.contains('up')")

    def swiped(by):
        x, y = browser.js(
            "(() => { const r = document.querySelector('.handle').getBoundingClientRect();"
            "return [r.left + r.width / 2, r.top + 8]; })()"
        )
        steps = (("mousePressed", 0), ("mouseMoved", by), ("mouseReleased", by))
        for kind, dy in steps:
            browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y + dy, button="left", clickCount=1)

    for by, up in ((-60, True), (-30, True), (60, False), (0, True), (0, False)):
        swiped(by)
        assert is_up() == up, by
    browser.js("document.querySelector('.handle').focus()")
    browser.key("Enter")
    assert is_up()


def test_the_rule_of_a_leaf_can_be_copied(browser, tmp_path):
    tree = opened(browser, tmp_path, bough.TreeClassifier(max_depth=2))
    leaf = next(n.number for n in tree.model_.nodes() if n.is_leaf)
    browser.open(tmp_path / "page.html", f"#{leaf}")
    browser.js("navigator.clipboard.writeText = t => { window.copied = t; return Promise.resolve(); }")
    browser.js("[...document.querySelectorAll('#panel .btn')].find(b => b.textContent === 'Copy').click()")
    assert browser.js("window.copied.includes('word is') && window.copied.includes(' and ')")


DEAR = {"costs": {("low", "wide"): 9}, "cost_splits": "altered_priors", "max_depth": 4}


@pytest.mark.parametrize(("missing", "stakes"), [("surrogate", {}), ("shared", {}), ("shared", DEAR)])
def test_rows_without_a_value_are_explained_and_followed(browser, tmp_path, missing, stakes):
    X, y = table()
    rng = np.random.default_rng(3)
    X["height"] = X["word"].isin(["ash", "elm"]) + rng.normal(scale=0.2, size=len(X))  # as good as the word
    X = X.mask(rng.random(X.shape) < 0.15)
    tree = bough.TreeClassifier(missing=missing, min_samples_leaf=5, **stakes).fit(X, y)
    path = tree.report(X, y, include_rows=True).save(tmp_path / "page.html")
    browser.size(1400)
    browser.open(path)
    told = panel(browser)
    assert "Rows without a value" in told
    assert ("each branch gets its share" if missing == "shared" else "The first of these that has a value") in told
    assert "went below the cut" not in told
    assert "500 rows start here" in told  # parts of rows are not counted twice
    assert browser.js("document.getElementById('tree').textContent.includes(' or missing')") is False
    browser.click("#findRow")
    leaves = tree.apply(X[:24])
    gaps = X[:24].isna().any(axis=1).to_numpy()
    assert gaps.any()
    answers, reached = tree.predict(X[:24]), tree.decision_path(X[:24])
    for r in range(24):
        browser.js(
            f"(() => {{ const s = document.querySelector('.form .wide select'); s.value = {r};"
            "s.dispatchEvent(new Event('change')); })()"
        )
        if missing == "surrogate" or not gaps[r]:
            assert browser.js("+document.querySelector('.node.sel').getAttribute('data-i')") == leaves[r]
        assert browser.js("document.querySelector('#panel h2').textContent") == answers[r]
        lit = browser.js("[...document.querySelectorAll('.node:not(.dim)')].map(e => +e.getAttribute('data-i'))")
        assert set(lit) <= set(reached[r].indices.tolist())
        assert set(leaves[r : r + 1].tolist()) <= set(lit)
        if missing == "shared" and gaps[r] and reached[r].nnz < 40:  # all of them are open
            assert set(lit) == set(reached[r].indices.tolist())
    assert browser.complaints() == []
