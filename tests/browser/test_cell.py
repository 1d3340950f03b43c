"""The report inside a cell of a notebook, 960 pixels wide."""

from __future__ import annotations

import json

from sklearn.datasets import load_breast_cancer

import bough


def test_the_page_fits_a_cell_of_a_notebook(browser, tmp_path):
    browser.size(960)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    page = bough.TreeClassifier(max_depth=5).fit(X, y).report(X, y).save(tmp_path / "page.html")
    browser.open(page)
    parts = "[...document.getElementById('bar').children]"
    tops = browser.js(f"JSON.stringify({parts}.map(e => e.getBoundingClientRect().top))")
    assert max(json.loads(tops)) - min(json.loads(tops)) < 20  # one row
    assert browser.js("getComputedStyle(document.getElementById('map')).display") == "none"
    assert browser.js("document.documentElement.scrollWidth") <= 960
    assert browser.js("document.querySelector('.foot').getBoundingClientRect().bottom <= innerHeight + 1")
