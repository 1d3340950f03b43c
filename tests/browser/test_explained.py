"""The report in a real browser: contributions of a row and what would have to change are those of the library."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import bough
from support.hostile import NAMES

pytestmark = pytest.mark.slow


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "duration": rng.integers(4, 60, n),
            "amount": np.round(rng.lognormal(7, 1, n), 2),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True),
            "status": rng.choice(["none", "low", "high"], n),
        }
    )
    X.loc[rng.random(n) < 0.1, "amount"] = np.nan
    y = X["duration"] / 20 + X["amount"].fillna(900) / 2000 - 2 * (X["status"] == "none") + (X["size"] == "l")
    return X, y.to_numpy() + 0.4 * rng.normal(size=n)


def found_rows(browser, page, width=1400):
    browser.size(width)
    browser.open(page)
    browser.click("#findRow")


def pick(browser, row):
    browser.js(
        "(() => { const s = document.querySelector('#panel .form .wide select');"
        f"s.value = {row}; s.dispatchEvent(new Event('change')); }})()"
    )


def waterfall(browser):
    """The texts of the picture: columns with the value of the row, and what they contribute."""
    svg = '#panel svg[aria-label="What each column contributes"]'
    texts = browser.js(
        f"[...document.querySelectorAll('{svg} .lab')].map(t => [t.getAttribute('text-anchor'), t.textContent])"
    )
    names = [t for anchor, t in texts if anchor == "end"]
    values = [t for anchor, t in texts if anchor != "end"]
    return list(zip(names, values, strict=True))


def number(text):
    return float(text.replace("−", "-").replace("\u202f", "").replace(",", "").replace("+", "").replace("%", ""))


@pytest.mark.parametrize("kind", ["numbers", "classes", "shared", "linear"])
def test_the_waterfall_has_the_contributions_of_the_library(browser, tmp_path, kind):
    X, y = table()
    if kind == "numbers":
        model = bough.TreeRegressor(max_depth=4, min_samples_leaf=5).fit(X, y)
    elif kind == "linear":
        X = X[["duration", "amount"]]
        model = bough.TreeRegressor(split="node_pca", max_depth=3).fit(X, y)
    else:
        params = {"missing": "shared"} if kind == "shared" else {}
        model = bough.TreeClassifier(max_depth=4, min_samples_leaf=5, **params).fit(X, np.digitize(y, [0.5, 2]))
    found_rows(browser, model.report(X, include_rows=True).save(tmp_path / "page.html"))
    found = model.contributions(X[:24])
    for row in range(0, 24, 3):
        pick(browser, row)
        own = (
            found[row]
            if kind in ("numbers", "linear")
            else found[row].of(found.output_names[int(np.argmax(found[row].predictions[0]))])
        )
        factor = 1 if kind in ("numbers", "linear") else 100
        shown = waterfall(browser)
        assert number(shown[0][1]) == pytest.approx(factor * own.base_values[0], abs=0.51 if factor == 100 else 0.01)
        told = {name.split(" = ")[0]: text for name, text in shown[1:-1]}
        for column, value in zip(own.feature_names, own.values[0], strict=True):
            if abs(value) < 1e-5:  # shares of rows have six digits in the page
                assert told.get(column, "<").startswith("<")
            elif "<" not in told[column]:
                assert number(told[column]) == pytest.approx(
                    factor * value, abs=0.51 if factor == 100 else 0.06 * abs(value)
                )
            else:
                assert abs(value) < 0.005
    assert browser.complaints() == []


def test_what_would_have_to_change_is_what_why_not_says(browser, tmp_path):
    X, y = table()
    X = X.drop(columns="size")
    tree = bough.TreeClassifier(max_depth=4, min_samples_leaf=5).fit(X, np.where(y > 1, "bad", "good"))
    found_rows(browser, tree.report(X, include_rows=True).save(tmp_path / "page.html"))
    predicted, compared = tree.predict(X), 0
    for row in range(24):
        pick(browser, row)
        wanted = "good" if predicted[row] == "bad" else "bad"
        found = tree.why_not(X.iloc[row], wanted, background=X)
        texts = browser.js("[...document.querySelectorAll('#panel .want + ol li')].map(li => li.textContent)")
        if not found.changes or len(found[0].changed) > 1 or "missing" in str(found[0]):
            continue  # values between two bounds are not printed alike
        (change,) = found[0].changed
        compared += 1
        said = re.sub(r"(?<=\d),(?=\d)", "", texts[0])
        assert said.startswith(f"If {change.name} were {change.needed} instead of"), (texts, str(found))
    assert compared > 12


def test_a_change_that_is_chosen_is_made(browser, tmp_path):
    X, y = table()
    tree = bough.TreeClassifier(max_depth=4, min_samples_leaf=5).fit(X, np.where(y > 1, "bad", "good"))
    found_rows(browser, tree.report(X, include_rows=True).save(tmp_path / "page.html"))
    changed = 0
    for row in range(8):
        pick(browser, row)
        before = browser.js("document.querySelector('#panel h2').textContent")
        if browser.js("document.querySelectorAll('#panel .want + ol li button').length"):
            browser.js("document.querySelector('#panel .want + ol li button').click()")
            changed += 1
            assert browser.js("document.querySelector('#panel h2').textContent") != before
    assert changed >= 6
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_runs_over_the_panel(browser, tmp_path, width):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"{name}{i}": rng.normal(size=300) for i, name in enumerate(NAMES)})
    X[NAMES[1] + "word"] = rng.choice([n + "v" for n in NAMES], 300)
    y = np.where(X.iloc[:, 0] + X.iloc[:, 5] > 0, NAMES[2] + "a", NAMES[3] + "b")
    tree = bough.TreeClassifier(max_depth=5).fit(X, y)
    found_rows(browser, tree.report(X, y, include_rows=True).save(tmp_path / "page.html"), width)
    for row in range(0, 24, 5):
        pick(browser, row)
        assert browser.js("(p => p.scrollWidth <= p.clientWidth)(document.getElementById('panel'))")
        boxes = browser.js(
            "(s => [...s.querySelectorAll('text')].map(t => [t.getBBox().x, t.getBBox().x + t.getBBox().width]))"
            "(document.querySelector('#panel svg[aria-label=\"What each column contributes\"]'))"
        )
        assert all(a >= -1 and b <= 373 for a, b in boxes), boxes
    assert browser.complaints() == []
    assert browser.requests() == []


def test_the_model_page_has_constraints_costs_and_contributions(browser, tmp_path):
    X, y = table()
    tree = bough.TreeClassifier(max_depth=4, monotonic_cst={"duration": -1}, costs={("bad", "good"): 5})
    tree.fit(X, np.where(y > 1, "bad", "good"))
    browser.size(1400)
    browser.open(tree.report(X, np.where(y > 1, "bad", "good")).save(tmp_path / "page.html"))
    browser.click("#vModel")
    told = browser.js("document.getElementById('model').textContent")
    assert "the share of good never rises as it rises" in told
    assert "bad predicted as good" in told
    assert "Importance by contributions" in told
    assert "Partial dependence" in told
    drawn = browser.js(
        "document.querySelector('#model svg[aria-label=\"Dependence on duration\"] .ks').getAttribute('d')"
    )
    heights = [float(y) for y in re.findall(r",([\d.]+)", drawn)]
    step = tree.model_.dependence(X, "duration", ice=0).mean[:, 0]
    assert len(heights) == 2 * len(step)
    np.testing.assert_allclose((156 - np.array(heights[::2])) / 144, step, atol=2e-3)
    assert browser.complaints() == []
