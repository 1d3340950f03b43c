"""The report in a real browser: what is claimed of it is seen there."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import bough
from bough.output.html.page import asset

pytestmark = pytest.mark.slow


def mixed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n).round(2)
    colour = rng.choice(["red", "green", "blue", "white", "black"], n)
    weight = rng.gamma(2.0, 50.0, n).round(1)
    answer = np.where((colour == "red") | (size > 0.7), "yes", np.where(weight > 120, "perhaps", "no"))
    answer = np.where(rng.random(n) < 0.1, rng.choice(["yes", "no", "perhaps"], n), answer)
    table = pd.DataFrame({"size": size, "colour": colour, "weight": weight, "flag": rng.random(n) < 0.5})
    table.loc[::17, "size"] = np.nan
    table.loc[::23, "colour"] = None
    return table, pd.Series(answer, name="verdict")


def ordered():
    table, verdict = mixed()
    sizes = pd.cut(table["size"], [-9, -1, -0.3, 0.3, 1, 9], labels=["tiny", "small", "medium", "large", "huge"])
    return table.assign(size=sizes), verdict


TREES = {
    "axis": lambda: (bough.TreeClassifier(max_depth=4), *mixed()),
    "multiway": lambda: (bough.TreeClassifier(nominal="multiway", criterion="entropy", max_depth=4), *mixed()),
    "linear": lambda: (
        bough.TreeClassifier(split="lda", max_depth=3),
        mixed()[0][["size", "weight"]].fillna(0).assign(both=lambda t: t["size"] + t["weight"] / 100),
        mixed()[1],
    ),
    "tested": lambda: (bough.system("ctree"), mixed()[0].drop(columns="flag"), mixed()[1]),
    "ordered": lambda: (bough.TreeClassifier(max_depth=4), *ordered()),
    "ordered sums": lambda: (
        bough.TreeClassifier(split="lda", max_depth=3),
        ordered()[0][["size", "weight"]],
        ordered()[1],
    ),
    "numbers": lambda: (bough.TreeRegressor(max_depth=4), mixed()[0], mixed()[0]["weight"].rename("price") ** 1.5),
    "one leaf": lambda: (bough.TreeClassifier(), mixed()[0][:5], pd.Series(["a"] * 5, name="only")),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, make in TREES.items():
        estimator, X, y = make()
        estimator.fit(X, y)
        path = estimator.report(X, y, include_rows=True).save(folder / f"{name}.html")
        made[name] = (path, estimator, X, y)
    return made


def script(name):
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def h2(browser):
    return browser.js("document.querySelector('#panel h2').textContent")


def chosen(browser):
    return browser.js("+document.querySelector('.node.sel').getAttribute('data-i')")


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("width", [1400, 390])
def test_every_node_is_drawn_and_explained_without_error_request_or_overflow(browser, pages, name, width):
    path, estimator, _, _ = pages[name]
    browser.size(width)
    browser.open(path)
    browser.js(f"document.getElementById('depth').value = {max(1, estimator.get_depth())}")
    browser.js("document.getElementById('depth').dispatchEvent(new Event('input'))")
    found = browser.js(script("nodes.js"))
    assert len(found) == estimator.model_.n_nodes
    for node, title, sentence, outside, wide, wide_panel in found:
        assert title, node
        assert re.search(r"\d", sentence), node
        assert not outside, (node, title)
        assert not wide, (node, title)
        assert not wide_panel, (node, title)
    assert browser.complaints() == []
    assert browser.requests() == []


def test_cards_do_not_lie_over_each_other(browser, pages):
    for name in TREES:
        browser.size(1400)
        browser.open(pages[name][0])
        boxes = browser.js(
            "[...document.querySelectorAll('.card')].map(c => { const r = c.getBoundingClientRect();"
            "return [r.left, r.top, r.right, r.bottom]; })"
        )
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (name, a, b)


# ---- mouse and keys -----------------------------------------------------------------------------------------


def test_a_click_chooses_and_the_panel_follows(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    browser.click("[data-i='1'] .card")
    assert chosen(browser) == 1
    assert browser.js("document.querySelector('.eyebrow').textContent").startswith("Node 1")
    assert browser.js("location.hash") == "#1"


def test_a_double_click_and_the_toggle_open_and_close(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    before = browser.js("document.querySelectorAll('[data-i]').length")
    browser.js("document.querySelector('[data-i=\"0\"]').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
    assert browser.js("document.querySelectorAll('[data-i]').length") == 1
    browser.click("[data-t='0'] rect")
    assert browser.js("document.querySelectorAll('[data-i]').length") <= before
    assert browser.js("document.querySelectorAll('[data-i]').length") > 1


def test_the_tree_is_walked_with_the_keyboard_alone(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    browser.js("document.querySelector('.node.sel').focus()")
    browser.key("ArrowRight")
    assert chosen(browser) == 1
    browser.key("ArrowDown")
    assert chosen(browser) > 1
    browser.key("ArrowUp")
    assert chosen(browser) == 1
    browser.key("ArrowLeft")
    assert chosen(browser) == 0
    browser.key("ArrowRight")
    browser.key("Home")
    assert chosen(browser) == 0
    nodes = browser.js("document.querySelectorAll('[data-i]').length")
    browser.key("Enter")
    assert browser.js("document.querySelectorAll('[data-i]').length") == 1
    browser.key("Enter")
    assert 1 < browser.js("document.querySelectorAll('[data-i]').length") <= nodes


def test_a_screen_reader_finds_a_tree_with_levels_names_and_one_tab_stop(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    items = browser.js(
        "[...document.querySelectorAll('[role=tree] [role=treeitem]')].map(g =>"
        "[g.getAttribute('aria-level'), g.getAttribute('aria-label'), g.getAttribute('tabindex')])"
    )
    assert items[0][0] == "1"
    assert all(label and "rows" in label for _, label, _ in items)
    assert [tab for _, _, tab in items].count("0") == 1
    browser.click("[data-i='1'] .card")
    assert "rows" in browser.js("document.getElementById('status').textContent")


def test_search_counts_marks_and_goes_to_the_next_hit(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    browser.js("document.body.focus()")
    browser.key("/")
    assert browser.js("document.activeElement.id") == "search"
    browser.call("Input.insertText", text="weight")
    told = browser.js("document.getElementById('hits').textContent")
    _, estimator, _, _ = pages["axis"]
    splits = [node.split for node in estimator.model_.nodes()]
    expected = sum(s is not None and "weight" in [c.name for c in s.conditions if hasattr(c, "name")] for s in splits)
    assert told.startswith(f"{expected} node")
    assert browser.js("document.querySelectorAll('.node.hit').length") > 0
    browser.key("Enter")
    assert "weight" in h2(browser)
    browser.key("Escape")
    assert browser.js("document.getElementById('hits').textContent") == ""


def test_depth_shows_as_many_levels_as_asked_for(browser, pages):
    browser.size(1400)
    path, estimator, _, _ = pages["axis"]
    browser.open(path)
    for depth in (1, estimator.get_depth()):
        browser.js(f"document.getElementById('depth').value = {depth}")
        browser.js("document.getElementById('depth').dispatchEvent(new Event('input'))")
        shown = browser.js("document.querySelectorAll('[data-i]').length")
        assert shown == sum(d <= depth for d in estimator.model_.nodes().depths)


def test_colours_by_class_purity_rows_and_error(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    seen = set()
    for by in ("class", "purity", "rows", "error"):
        browser.js(f"document.getElementById('colour').value = '{by}'")
        browser.js("document.getElementById('colour').dispatchEvent(new Event('change'))")
        seen.add(browser.js("[...document.querySelectorAll('.card + .kf')].map(s => s.getAttribute('class')).join()"))
        assert browser.js("document.getElementById('legend').textContent")
    assert len(seen) >= 3
    assert browser.complaints() == []


@pytest.mark.parametrize("name", [n for n in TREES if n != "one leaf"])
def test_find_my_row_ends_where_predict_does(browser, pages, name):
    path, estimator, X, _ = pages[name]
    browser.size(1400)
    browser.open(path)
    browser.click("#findRow")
    expected = estimator.predict(X[:24])
    leaves = estimator.apply(X[:24])
    for r in range(24):
        browser.js(
            f"(() => {{ const s = document.querySelector('.form .wide select'); s.value = {r};"
            "s.dispatchEvent(new Event('change')); })()"
        )
        assert chosen(browser) == leaves[r]
        if not estimator.model_.regression:
            assert h2(browser) == str(expected[r])
        assert browser.js("document.querySelectorAll('.rib.onpath').length > 0")


def test_values_in_an_order_are_cut_by_their_names(browser, pages):
    path, estimator, _, _ = pages["ordered"]
    node = next(n for n in estimator.model_.nodes() if n.split and n.split.conditions[0].columns == (0,))
    browser.size(1400)
    browser.open(path, f"#{node.number}")
    level = node.split.conditions[0].level(node.split.conditions[0].high)
    assert h2(browser) == f"size ≤ {level}"
    told = browser.js("document.getElementById('panel').textContent")
    assert "The values of size, in order" in told
    assert "Search" not in told
    assert "or not in the order" in told


def test_typed_values_are_a_row_too(browser, pages):
    path, estimator, X, _ = pages["axis"]
    browser.size(1400)
    browser.open(path)
    browser.click("#findRow")
    for value in ("-3", "3", ""):
        browser.js(
            "(() => { const all = [...document.querySelectorAll('.form label')];"
            "const i = all.find(l => l.textContent.startsWith('size')).querySelector('input');"
            f"i.value = '{value}'; i.dispatchEvent(new Event('change')); }})()"
        )
        row = X[:1].assign(size=float(value) if value else np.nan)
        assert chosen(browser) == estimator.apply(row)[0]


def test_save_svg_gives_a_picture_that_stands_alone(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    browser.js("URL.createObjectURL = b => { window.saved = b.text(); return 'blob:x'; }")
    browser.click("#save")
    root = ElementTree.fromstring(browser.js("window.saved"))
    assert root.tag.endswith("svg")
    texts = [e for e in root.iter() if e.tag.endswith("text")]
    assert len(texts) > 10
    assert all("var(" not in str(e.attrib) and "class" not in e.attrib for e in root.iter())


def test_terms_can_be_dropped_and_the_equation_follows(browser, pages):
    browser.size(1400)
    browser.open(pages["linear"][0])
    before = browser.js("document.querySelector('.code').textContent")
    assert "≤" in before
    browser.js(
        "(() => { const i = document.querySelector('.keep input');"
        "i.value = 1; i.dispatchEvent(new Event('input')); })()"
    )
    after = browser.js("document.querySelector('.code').textContent")
    assert len(after) < len(before)
    assert "would change side" in browser.js("document.querySelector('.keep').textContent")
    first = browser.js("document.querySelector('.term span:last-child').textContent")
    browser.js("[...document.querySelectorAll('.seg.small button')].find(b => b.textContent === 'raw').click()")
    assert browser.js("document.querySelector('.term span:last-child').textContent") != first


# ---- the model page, print, themes, sizes ---------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
def test_the_model_page_tells_scores_size_columns_and_file(browser, pages, name):
    path, estimator, X, y = pages[name]
    browser.size(1400)
    browser.open(path)
    browser.click("#vModel")
    text = browser.js("document.getElementById('model').textContent")
    for heading in ("Performance", "Importance", "How large is it?", "How was it grown?", "The file"):
        assert heading in text
    if not estimator.model_.regression:
        told = float(re.search(r"(\d[\d.]*)\u202f%of [\d,]+ t", text).group(1))
        assert abs(told - 100 * estimator.score(X, y)) <= 0.051
        assert "Confusion matrix" in text
        assert "Calibration" in text
    assert bough.__version__ in text
    assert browser.complaints() == []


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_a_contrast_of_at_least_four_and_a_half(browser, pages, dark):
    for name in ("axis", "linear", "tested", "numbers"):
        browser.size(1400, dark=dark)
        browser.open(pages[name][0])
        assert browser.js(script("contrast.js")) == []
        browser.click("#vModel")
        assert browser.js(script("contrast.js")) == []


def test_print_shows_tree_and_node_without_the_tools(browser, pages):
    browser.size(1400)
    browser.open(pages["axis"][0])
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.js("getComputedStyle(document.getElementById('bar')).display") == "none"
    assert browser.js("document.querySelector('#panel h2').getClientRects().length") == 1
    browser.call("Emulation.setEmulatedMedia", media="")
    pdf = base64.b64decode(browser.call("Page.printToPDF")["data"])
    assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) >= 3  # the tree, the node, the model


def test_the_rules_can_be_read_without_javascript(browser, pages):
    path, estimator, _, _ = pages["axis"]
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open_plain(path)
        text = browser.call("DOM.getOuterHTML", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"])["outerHTML"]
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    listed = re.search(r"<noscript>.*?<ol>(.*?)</ol>", text, flags=re.S).group(1)
    assert listed.count("<li>") == estimator.get_n_leaves()
    assert "weight" in listed


@pytest.mark.parametrize(("rows", "least", "seconds"), [(800, 500, 1.0), (120_000, 100_000, 2.0)])
def test_large_trees_open_in_time(browser, tmp_path, rows, least, seconds):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, 3)), rng.integers(0, 3, rows)
    tree = bough.TreeClassifier().fit(X, y)
    assert tree.model_.n_nodes >= least
    report = tree.report(X[:2000], y[:2000])
    path = report.save(tmp_path / "large.html")
    browser.size(1400)
    taken = []
    for _ in range(3):
        browser.open(path)
        taken.append(browser.js("performance.timing.domComplete - performance.timing.responseEnd") / 1000)
    # a machine that is busy with other things is not the page's fault: compare with a plain count
    idle = browser.js(
        "(() => { const t = performance.now(); let s = 0; for (let i = 0; i < 3e7; i++) s += i % 7;"
        "return [(performance.now() - t) / 1000, s]; })()"
    )[0]
    assert min(taken) < seconds * max(1.0, idle / 0.1)
    assert browser.complaints() == []
    size = len(report.page.encode())
    assert size < 70_000 + 600 * 400 + 150 * tree.model_.n_nodes
    # everything open: what is in view is drawn, and nothing else
    browser.js(f"document.getElementById('depth').value = {tree.get_depth()}")
    browser.js("document.getElementById('depth').dispatchEvent(new Event('input'))")
    assert browser.js("document.querySelectorAll('[data-i]').length") < 2500


def test_no_row_is_in_the_page_unless_asked_for(tmp_path):
    X = pd.DataFrame({"a": [1.2345671, 2.3456781, 3.4567891, 9.8765431] * 10, "b": range(40)})
    y = ["u", "v"] * 20
    tree = bough.TreeClassifier(max_depth=2).fit(X[["b"]], y)
    secret = X.rename(columns={"b": "c"}).rename(columns={"a": "b"})[["b"]]
    assert "9.8765431" not in tree.report(secret, y).page.replace('"gap"', "").split('"h":')[0]
    assert '"rows":[{' not in tree.report(X[["b"]], y).page
    assert '"rows":[{' in tree.report(X[["b"]], y, include_rows=True).page


def test_the_shell_is_at_most_eighty_kilobytes():
    assert sum(len(asset(n).encode()) for n in ("page.html", "page.min.css", "page.min.js")) <= 80_000


def test_in_a_notebook_the_page_sits_in_a_sandboxed_frame(browser, pages, tmp_path):
    _, estimator, X, y = pages["axis"]
    frame = estimator.report(X, y)._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts')
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{frame}</body>", encoding="utf-8")
    browser.size(1400)
    browser.open(path)
    assert browser.of("Page.javascriptDialogOpening") == []
    assert browser.requests() == []
