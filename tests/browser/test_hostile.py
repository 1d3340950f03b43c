"""The report of hostile names, in a real browser: they run nothing and ask for nothing."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest

import bough
from bough.model.origin import Origin
from support.hostile import NAMES

pytestmark = pytest.mark.slow


def hostile_table():
    rng = np.random.default_rng(1)
    n = 900
    names = [f"{x}{i}" if x == "" else x for i, x in enumerate(NAMES)]
    X = pd.DataFrame({name: rng.choice(names, n) if i % 2 else rng.normal(size=n) for i, name in enumerate(names)})
    y = np.array(names, dtype=object)[rng.integers(0, len(names), n)]
    return X, y


def test_hostile_columns_values_and_classes_run_nothing_and_ask_for_nothing(browser, tmp_path):
    X, y = hostile_table()
    tree = bough.TreeClassifier(max_depth=5).fit(X, y)
    path = tree.report(X, y, include_rows=True, target=NAMES[0]).save(tmp_path / "hostile.html")
    for width in (1400, 390):
        browser.size(width)
        browser.open(path)
        browser.js("document.getElementById('vModel').click()")
        browser.js("document.getElementById('vTree').click()")
        browser.js("document.getElementById('findRow').click()")
        browser.js(
            "for (const i of [...document.querySelectorAll('[data-i]')].map(g => g.getAttribute('data-i')))"
            "document.querySelector(`[data-i=\"${i}\"]`).dispatchEvent(new MouseEvent('click', { bubbles: true }));"
        )
        assert browser.of("Page.javascriptDialogOpening") == []
        assert browser.complaints() == []
        assert browser.requests() == []
        assert browser.js("document.scripts.length") == 2  # the data and the script
        assert browser.js("document.querySelectorAll('iframe, img, link, base, style').length") == 1
        assert browser.js("document.documentElement.scrollWidth <= innerWidth")


def test_hostile_names_of_linear_splits_and_regression_too(browser, tmp_path):
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(300, 30)), columns=[f"{x}{i}" for i, x in enumerate(NAMES[:30])])
    y = X.to_numpy() @ rng.normal(size=30)
    for estimator, answers in (
        (bough.TreeClassifier(split="node_means_pca", max_depth=3), np.where(y > 0, NAMES[1], NAMES[2])),
        (bough.TreeRegressor(max_depth=3), y),
    ):
        path = estimator.fit(X, answers).report(X, answers).save(tmp_path / "h.html")
        browser.size(1400)
        browser.open(path)
        assert browser.of("Page.javascriptDialogOpening") == []
        assert browser.complaints() == []
        assert browser.requests() == []


def test_the_page_cannot_end_its_own_data():
    X, y = hostile_table()
    page = bough.TreeClassifier(max_depth=3).fit(X, y).report(X, y).page
    data = page.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["columns"][0]["n"] == X.columns[0]


def test_the_policy_names_the_hash_of_the_one_script():
    page = bough.TreeClassifier().fit([[0], [1]], [0, 1]).report().page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert "default-src 'none'" in policy
    assert policy.count("script-src 'sha256-") == 1
    assert "unsafe" not in policy


def test_a_stranger_s_file_says_what_it_likes_of_its_origin(browser, tmp_path):
    names = [name[:200] for name in NAMES if name]
    X, y = hostile_table()
    tree = bough.system("ctree", max_depth=2).fit(X, y)
    origin = Origin(
        names[0], {a: b if i % 2 else {a: b} for i, (a, b) in enumerate(itertools.pairwise(names))}, names[1], 0.5
    )
    model = bough.Model.from_bytes(dataclasses.replace(tree.model_, origin=origin).to_bytes())
    assert model.origin == origin
    browser.size(1400)
    browser.open(model.report(X, y).save(tmp_path / "h.html"))
    browser.click("#vModel")
    assert browser.js("[...document.querySelectorAll('#model dt')].map(e => e.textContent)").count(names[2]) == 1
    assert browser.of("Page.javascriptDialogOpening") == []
    assert browser.complaints() == []
    assert browser.requests() == []
