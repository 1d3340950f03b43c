"""Every table and figure of the five seeds: what came out, in one table, from the JSON files.

``python -m experiments.summary`` writes it into experiments/README.md. What a study found is counted here; why
something is not there is said by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .boundary import loop as compiled
from .cart_elc import published as elc_published
from .cart_elc import report as elc
from .common import aggregated
from .common.lines import HERE, Line, apart, gap, result_of
from .common.table import markdown
from .max_cut.lines import max_cut
from .nominal import chapter4
from .nominal import published as nominal_published
from .nominal import report as nominal
from .scratch import published as scratch_published
from .scratch import report as scratch

BEGIN, END = "<!-- every table and figure -->", "<!-- end of every table and figure -->"


# ---- 001: boundary points -------------------------------------------------------------------------------


def boundary() -> Iterator[Line]:
    result = result_of("boundary/results/boundary.json")
    page = "boundary/results/boundary.md"
    differences = {way: errors_more(result["cuts"], way) for way in ("boundary", "forgetful")}
    for least in ("1", "10"):
        same = [sum(r[least]["same"]) for r in result["cuts"].values()]
        of = [len(r[least]["same"]) for r in result["cuts"].values()]
        what = f"the same tree on {sum(same)} of {sum(of)} folds of {', '.join(result['cuts'])}; test error: "
        what += beside_published(differences["boundary"][least], "+.0004", "−.002")
        yield Line("text", f"boundary points against all cuts, {least} row{'s' * (least != '1')} in a leaf", what, page)
    for least in ("1", "10"):
        what = beside_published(differences["forgetful"][least], "+.0012", "−.0013")
        yield Line("text", f"repeated values forgotten, {least} row{'s' * (least != '1')} in a leaf: error", what, page)
    if "loop" in result:
        yield Line("text", "boundary points alone, how many times as fast", compiled.words(result["loop"]), page)
    what = categories(result["categories"])
    yield Line("text", "partitions of categories: exact, k-means, a branch for each value", what, page)


def errors_more(cuts: dict[str, Any], way: str) -> dict[str, dict[str, float]]:
    """By rows in a leaf and data set: the test error of a way less that of all cuts."""
    found: dict[str, dict[str, float]] = {}
    for name, by_least in cuts.items():
        for least, r in by_least.items():
            error = {w: float(np.mean([f["error"] for f in r["folds"][w]])) for w in (way, "all")}
            found.setdefault(least, {})[name] = error[way] - error["all"]
    return found


def beside_published(ours: dict[str, float], covertype: str, mnist: str) -> str:
    """Differences of test error on the two sets that have published ones, and on the others."""
    others = ", ".join(f"{name} {ours[name]:+.4f}" for name in ours if name not in ("covertype", "mnist"))
    return (
        f"covertype published {covertype}, ours {ours['covertype']:+.4f}, "
        f"mnist published {mnist}, ours {ours['mnist']:+.4f}; {others}"
    )


def categories(found: dict[str, Any]) -> str:
    """Whether a branch for each value is better or worse than the best two groups, to 0.1 points, and how large."""
    means = {
        name: {search: np.mean(folds, axis=0)[:2] for search, folds in r["searches"].items()}
        for name, r in found.items()
    }
    words: dict[str, list[str]] = {"less accurate": [], "equal": [], "more accurate": []}
    for name, m in means.items():
        more = round(100 * float(m["multiway"][0] - m["exact"][0]), 1)
        words["equal" if more == 0 else "more accurate" if more > 0 else "less accurate"].append(name)
    told = ", ".join(f"{word} on {', '.join(names)}" for word, names in words.items() if names)
    larger = [name for name, m in means.items() if m["multiway"][1] > m["exact"][1]]
    apart = max(100 * abs(float(m["k_means"][0] - m["exact"][0])) for m in means.values())
    return (
        f"a branch for each value is {told} than two groups, and has more leaves on {len(larger)} of {len(means)}; "
        f"k-means is within {apart:.1f} points of exact"
    )


# ---- 002: CART-ELC --------------------------------------------------------------------------------------


def cart_elc() -> Iterator[Line]:
    result = result_of("cart_elc/results/cart_elc.json")
    page, names = "cart_elc/results/cart_elc.md", list(result["data"])
    six = f"{len(names)} of {len(elc_published.DATA)} data sets (star/galaxy is not public)"
    yield Line("Figure 1, Table 1", "hyperplanes of two samples; operations by formula", "nothing to run")
    for title, text, what in (("accuracy", elc_published.ACCURACY, 0), ("leaves", elc_published.LEAVES, 1)):
        known = elc_published.summaries(text)
        pairs = [
            (known[s][d].mean, own.mean)
            for s in known
            for d in names
            if (own := elc.ours(result, s, d, what)) is not None
        ]
        yield Line(
            "Table 2", f"eight systems: {title}", f"{six}; {apart(pairs, 'points' if what == 0 else 'leaves')}", page
        )
    yield Line("Table 3", "p-values", f"{six}; verdicts at 5 %: {elc.verdicts(result, names)[1]}", page)
    effects = elc_published.numbers(elc_published.EFFECTS)
    signs = []
    for system in effects:
        for d in names:
            a, b = elc.ours(result, "CART-ELC", d, 0), elc.ours(result, system, d, 0)
            if a is not None and b is not None and effects[system][d] != 0:
                signs.append((elc.cohens_d(a, b) > 0) == (effects[system][d] > 0))
    yield Line("Table 4", "Cohen's d", f"{six}; {sum(signs)} of {len(signs)} have the published sign", page)
    pairs, known = [], elc_published.summaries(elc_published.CRITERIA)
    for criterion in elc.CRITERIA:
        for d in names:
            r, depth = elc_published.CHOSEN[criterion][d]
            run = elc.elc_run(result, d, criterion, r)
            if run is not None:
                pairs.append((known[criterion][d].mean, elc.cell(run, depth, 0).mean))
    yield Line("Table 5", "criteria", f"{six}; where its r was run, {apart(pairs)}", page)
    for figure, criterion in zip(("2", "3", "4"), elc.CRITERIA, strict=True):
        known_cells = {k: v for k, v in elc_published.grids().items() if k[1] == criterion and k[0] in names}
        pairs, sizes = [], []
        for (d, _, r, depth), (accuracy, leaves) in known_cells.items():
            run = elc.elc_run(result, d, criterion, r)
            if run is not None and str(depth) in run["depths"]:
                pairs.append((accuracy, elc.cell(run, depth, 0).mean))
                sizes.append((leaves, elc.cell(run, depth, 1).mean))
        what = f"{len(pairs)} of {len(known_cells)} cells of the data sets at hand: {gap(pairs, 'points')}; "
        what += gap(sizes, "leaves")
        yield Line(f"Figure {figure}", f"every r and depth, {elc.CRITERIA[criterion].lower()}", what, page)
    yield from future_work("aggregated_elc", "forests and boosted trees of it")


def future_work(name: str, title: str) -> Iterator[Line]:
    path = f"{name}/results/{name}"
    if (HERE / f"{path}.json").exists():
        yield Line("future work", title, aggregated.words(result_of(f"{path}.json")), f"{path}.md")


# ---- 003: nominal columns -------------------------------------------------------------------------------


def nominal_columns() -> Iterator[Line]:
    four, five = result_of("nominal/results/chapter4.json"), result_of("nominal/results/chapter5.json")
    page = "nominal/results/chapter4.md"
    yield Line("Figures 2.1, 2.2, 3.1", "illustrations", "nothing to run")
    for number, criterion, key, known in (
        ("4.1", "gini", "hits", nominal_published.HITS),
        ("4.2", "entropy", "hits", nominal_published.HITS),
        ("4.3", "gini", "excess", nominal_published.EXCESS),
        ("4.4", "entropy", "excess", nominal_published.EXCESS),
    ):
        parts: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        for row in four[criterion]:
            figures = zip(known[criterion][row["n"], row["k"]], row[key], strict=True)
            parts[chapter4.first_part(row)] += [(a, b) for a, b in figures if a is not None and b is not None]
        what = (
            f"up to (25, 5), {apart(parts[True])}; from (25, 7) on, as if published from other tables than the rest, "
        )
        what += apart(parts[False])
        title = "how often the purest partition is found" if key == "hits" else "excess where two differ"
        yield Line(f"Table {number}", f"{title}, {criterion}", what, page)
    advice = 'nothing to run; `nominal="auto"` goes further than its advice: the best of about ten searches'
    yield Line("Table 4.5", "guidelines", advice)
    times, what = four.get("seconds"), "not measured"
    if times:
        lca, ls = (times["PC-ext"] / times[m] for m in ("LCA", "LS"))
        what = f"published: almost 50 times faster than PC-ext on 8 cores; ours {lca:.0f} and {ls:.0f} times, on one"
    yield Line("text of 4", "time of LCA and LS for 200 values and 100 classes", what, page)
    yield Line("Tables 5.1, 5.2", "the data sets and an aggregation", "nothing to run; KDD98 is not at hand")
    page = "nominal/results/chapter5.md"
    what = "published: an SDP takes about 2 s, GL is 60 to 70 times faster than GW; "
    if "cuts" in four:
        by = {c: cuts for c, cuts in four["cuts"].items() if c != "made by"}
        ms = ", ".join(f"{1000 * cuts['GW']:.1f} ms ({c})" for c, cuts in by.items())
        times_as_fast = [cuts["GW"] / cuts["GL"] for cuts in by.values()]
        what += f"ours {ms}, GL {min(times_as_fast):.0f} to {max(times_as_fast):.0f} times faster"
    else:
        what += "not measured by itself"
    yield Line("text of 5.2", "time for 100 values", f"{what}{gw_words(five)}", "nominal/results/chapter4.md")
    for number in nominal.TABLES:
        title = nominal.TITLES[number]
        if number not in five["tables"]:
            yield Line(f"Table {number}", title, "not run")
            continue
        cells = five["tables"][number]
        of = nominal_published.PRINTED_SETS[nominal.TABLES[number].numeric]
        (n, same, *_), (m, close, *_) = (nominal.counts(number, cells, w) for w in (True, False))
        what = f"{len(cells)} of {of} data sets (two are of KDD98, which is not at hand); "
        what += f"{same} of {n} figures of 20 trials come out to {nominal.CLOSE} points"
        what += f", {close} of {m} of fewer trials" if m else ""
        won, wins = nominal.same_wins(number, cells)
        what += f"; {won} of {wins} win counts of 20 trials are those published" if wins else ""
        rule = nominal.TABLES[number].rule
        if rule:
            what += "; made by experiment code, which splits the nodes by that rule"
            inside = rule == "first of the sure"
            what += "; in bough it is `p_values='saturated'`" if inside else "; bough does not have it"
        yield Line(f"Table {number}", title, what, page)
        for timed in (t for t, runs in nominal.TIMES.items() if runs == number):
            yield Line(f"Table {timed}", f"seconds of Table {number}", ratios_of_times(timed, cells), page)
    if "all classes" in five:
        for number, section in (("5.6", "5.3.2"), ("5.10", "5.3.3")):
            published = [x for known in nominal_published.ALL_CLASSES.values() for x in known[number]]
            ours = [
                s for n in nominal_published.ALL_CLASSES for s in five["all classes"][n]["seconds"][number].values()
            ]
            what = f"published {min(published)} to {max(published)} s; ours, of another machine, {min(ours):.2f} to "
            title = "time with all classes of S.F. Crime and Shelter"
            yield Line(f"text of {section}", title, f"{what}{max(ours):.2f} s", page)
    yield from future_work("aggregated_nominal", "aggregated and boosted trees")


def ratios_of_times(table: str, cells: dict[str, Any]) -> str:
    """Of seconds of two machines only ratios compare: their medians over data sets, published and ours."""
    known, told = nominal_published.seconds(table), []
    for slow, fast in (("Twoing", "GLχ²"), ("HcC", "PC-ext"), ("PC-ext", "LCA")):
        pairs = [
            (known[d][slow] / known[d][fast], by_method[slow]["seconds"] / by_method[fast]["seconds"])
            for d, by_method in cells.items()
            if {slow, fast} <= by_method.keys() and by_method[slow]["run"] == by_method[fast]["run"]
        ]
        published, ours = np.median(pairs, axis=0)
        most = np.max(pairs, axis=0)
        told.append(f"{slow} / {fast} {published:.2g} and {ours:.2g} (at most {most[0]:.2g} and {most[1]:.2g})")
    return f"other machines; medians over data sets of ratios, published and ours: {', '.join(told)}"


def gw_words(five: dict[str, Any]) -> str:
    """How much longer trees by GW take than by GL in Table 5.6, where one machine has run both."""
    ratios = []
    for cells in five["tables"].get("5.6", {}).values():
        for gw, gl in (("GWSG", "GLSG"), ("GWχ²", "GLχ²")):
            if gw in cells and gl in cells and cells[gw]["run"] == cells[gl]["run"]:
                ratios.append(cells[gw]["seconds"] / cells[gl]["seconds"])
    if not ratios:
        return ""
    return f" (trees of Table 5.6 by GW take {min(ratios):.1f} to {max(ratios):.0f} times as long as by GL)"


# ---- 004: a tree from scratch ---------------------------------------------------------------------------


def from_scratch() -> Iterator[Line]:
    result = result_of("scratch/results/scratch.json")
    page = "scratch/results/scratch.md"
    yield Line("Figure 1", "a decision tree", "an illustration")
    for measure, (number, figure, title, unit, known) in scratch_published.TABLES.items():
        agree = scratch.table(result["folds"], measure)[1]
        what = f"{agree} of {len(scratch_published.CASES)} verdicts at 5 % are those published"
        if measure in scratch.SCALED:  # of other machines: no verdict can be compared
            more = [difference for difference, _ in known]
            published = f"{min(more):.2g} to {max(more):.2g} {unit} more than scikit-learn's, no ratio"
            if measure == "bytes":
                published = "almost half of scikit-learn's"
            ratios = scratch.ratios(result["folds"], measure)
            what = f"published: {published}; ours {min(ratios):.2f} to {max(ratios):.2f} of scikit-learn's"
        yield Line(f"Table {number}, Figure {figure}", title.lower(), what, page)
    found = scratch.readings(result_of("scratch/results/draws.json"))[1]
    yield Line("text", "which value of a column is random", f"not said; {found}", "scratch/results/draws.md")


SEEDS: dict[str, Callable[[], Iterator[Line]]] = {
    "000: Max-Cut and means PCA (Bodine & Hochbaum 2022)": max_cut,
    "001: a proposal to mlpack (issue 884)": boundary,
    "002: CART-ELC (Laack 2025)": cart_elc,
    "003: nominal columns (Mello Pereira 2018)": nominal_columns,
    "004: a tree from scratch (SCC.461, 2020)": from_scratch,
}


def summary() -> str:
    """The tables in Markdown."""
    parts = []
    for seed, lines in SEEDS.items():
        rows = [[f"[{n.what}]({n.page})" if n.page else n.what, n.title, n.found] for n in lines()]
        parts += [f"### {seed}", "", markdown(["", "what", "what came of it"], rows, align_left=3), ""]
    return "\n".join(parts).rstrip()


def main() -> None:
    path = HERE / "README.md"
    text = path.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n\n{summary()}\n\n{END}{after}")
    print(summary())


if __name__ == "__main__":
    main()
