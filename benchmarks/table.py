"""A result as Markdown: times faster than scikit-learn, the trees that were grown, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .checks import title
from .forest_peers import FOREST_PEERS
from .forests import BUSY
from .measure import titles


def markdown(result: dict[str, Any]) -> str:
    parts = [
        *fit_tables(result),
        *forest_table(result),
        *boosting_table(result),
        *further_table(result),
        "\n".join(troubles(result)),
        origin(result),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def grid(head: Sequence[str], rows: list[list[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [list(head), rule, *rows])


# ---- fits ------------------------------------------------------------------------------------------


def fit_tables(result: dict[str, Any]) -> Iterator[str]:
    fits = result.get("fits", {})
    if not fits:
        return
    columns = {name: t for name, t in titles().items() if any(name in f["contestants"] for f in fits.values())}
    head = ["fit of a full tree", *columns.values()]
    yield "Times faster than scikit-learn, one thread unless said otherwise:"
    yield grid(head, [[title(name), *speeds(found["contestants"], columns)] for name, found in fits.items()])
    yield "Nodes of the tree, and training accuracy where it is not 100 %:"
    yield grid(head, [[title(name), *trees(found["contestants"], columns)] for name, found in fits.items()])


README_BEGIN, README_END = "<!-- benchmark table -->", "<!-- end of benchmark table -->"


def in_readme(text: str, result: dict[str, Any]) -> str:
    """The README with the table of fits of this result between its two marks."""
    begin, end = text.index(README_BEGIN) + len(README_BEGIN), text.index(README_END)
    fits = result["fits"]
    columns = {name: t for name, t in titles().items() if any(name in f["contestants"] for f in fits.values())}
    table = grid(["", *columns.values()], [[title(n), *speeds(f["contestants"], columns)] for n, f in fits.items()])
    return f"{text[:begin]}\n\n{table}\n\n{origin(result)}\n\n{text[end:]}"


def speeds(contestants: dict[str, Any], columns: dict[str, str]) -> list[str]:
    base = contestants["sklearn"]["min"]
    cells = []
    for name in columns:
        timing = contestants.get(name, {})
        if "min" not in timing:
            cells.append("–")
        elif name == "sklearn":
            cells.append(f"1 ({seconds(base)})")
        else:
            cells.append(f"{base / timing['min']:.2g}" if base < 10 * timing["min"] else f"{base / timing['min']:.0f}")
    return cells


def trees(contestants: dict[str, Any], columns: dict[str, str]) -> list[str]:
    cells = []
    for name in columns:
        found = contestants.get(name, {})
        if "accuracy" not in found:
            cells.append("–")
            continue
        nodes = "?" if found["nodes"] is None else f"{found['nodes']:,}"
        cells.append(nodes if found["accuracy"] == 1 else f"{nodes} ({100 * found['accuracy']:.2f} %)")
    return cells


def seconds(s: float) -> str:
    if s < 1e-3:
        return f"{s * 1e6:.0f} µs"
    return f"{s * 1e3:.1f} ms" if s < 1 else f"{s:.1f} s"


# ---- forests ---------------------------------------------------------------------------------------


def forest_table(result: dict[str, Any]) -> Iterator[str]:
    forests = {name: found for name, found in result.get("forests", {}).items() if "error" not in found}
    if not forests:
        return
    peers = list(dict.fromkeys(p for found in forests.values() for p in found.get("peers", {})))
    head = ["forest", "scikit-learn", "bough", *peers, "predict", "two threads", "nodes", "accuracy"]
    yield "Forests of 100 trees unless said, processor time, times scikit-learn, one thread, portable kernels:"
    yield grid(head, [forest_row(name, found, peers) for name, found in forests.items()])
    if peers:
        told = "; ".join(f"{name}: {FOREST_PEERS[name][2]}" for name in peers)
        yield (
            "Peers: for each tree, of forests of a tenth as many trees; in brackets their accuracy. All draw √columns "
            f"at a node and grow until leaves are pure. {told}. –: not asked, or not done in time."
        )


def forest_row(name: str, found: dict[str, Any], peers: list[str]) -> list[str]:
    theirs, ours = found["sklearn"], found["bough"]
    base = min(theirs["fit"])
    trees = "" if found["trees"] == 100 else f", {found['trees']} trees"
    cells = [name + trees, f"1 ({seconds(base)})", f"{found['fit_ratio']:.3g}"]
    for peer in peers:
        said = found.get("peers", {}).get(peer, {})
        cells.append(f"{said['fit_ratio']:.2g} ({said['score']:.3f})" if "fit_ratio" in said else "–")
    threads = f"{found['two_threads']:.2f}" if "two_threads" in found else "–"
    if found.get("two_threads_share", 1) < BUSY:
        threads += f" (busy; by processor time {found['two_threads_work']:.2f})"
    scores = [sum(who["score"]) / len(who["score"]) for who in (theirs, ours)]
    return [
        *cells,
        f"{found['predict_ratio']:.2g}",
        threads,
        f"{found['nodes_ratio']:.3f}",
        "{:.4f} / {:.4f}".format(*scores),
    ]


# ---- boosting --------------------------------------------------------------------------------------


def boosting_table(result: dict[str, Any]) -> Iterator[str]:
    found = {name: of for name, of in result.get("boosting", {}).items() if "error" not in of}
    if not found:
        return
    titles = list(dict.fromkeys(title for of in found.values() for title in of))
    yield (
        "Boosted trees, 100 rounds of 31 leaves, one thread: processor time of a fit, in brackets R² or accuracy on "
        "a tenth of the rows that the fit has not seen. `bough` has at most 255 bins of each column:"
    )
    rows = []
    for name, of in found.items():
        cells = [f"{seconds(of[t]['min'])} ({of[t]['score']:.3f})" if t in of else "–" for t in titles]
        rows.append([name, *cells])
    versions = {f"{t} {e['version']}" for of in found.values() for t, e in of.items() if "version" in e}
    yield grid(["table", *titles], rows) + (f"\n\n{', '.join(sorted(versions))}." if versions else "")


# ---- the rest --------------------------------------------------------------------------------------


def further_table(result: dict[str, Any]) -> Iterator[str]:
    rows = [[what, value] for what, value in further_rows(result)]
    if rows:
        yield grid(["further measurements of bough", "value"], rows)


def further_rows(result: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, found in result.get("threads", {}).items():
        yield f"two threads against one, {title(name)}", f"{found['ratio']:.2f}"
    for name, found in result.get("variants", {}).items():
        for variant, timing in found.items():
            if variant != "gini":
                yield f"time of {variant} against gini, {title(name)}", f"{timing['ratio']:.2f}"
    for name, found in result.get("stages", {}).items():
        if "whole" in found:
            what = f"processor time of a fit, {title(name)}; of reading and sorting; with portable kernels"
            yield what, " / ".join(seconds(found[stage]) for stage in ("whole", "sorted", "portable"))
    found = result.get("predict")
    if found:
        what = f"prediction of {found['rows']:,} rows × 20, times faster than scikit-learn"
        yield what, f"{found['ratio']:.2f} ({seconds(found['bough']['min'])})"
        yield f"{what} given float32", f"{found['sklearn_float32']['min'] / found['bough']['min']:.2f}"
    for name, found in result.get("directions", {}).items():
        if "ratio" in found:
            what = f"max-cut-node-means-pca against scikit-learn's axis tree, {title(name)}"
            yield what, f"{found['ratio']:.1f} ({seconds(found['bough']['min'])})"
    for name, found in result.get("numpy_trees", {}).items():
        yield f"max_cut along {name}, 10,000 × 20, against the same tree in NumPy", f"{found['ratio']:.0f}"
    for section, kind in (("regression", "tree"), ("regression_forests", "forest")):
        for name, found in result.get(section, {}).items():
            what = f"regression {kind}, {name}, times faster than scikit-learn"
            yield what, f"{found['ratio']:.1f} ({seconds(found['bough']['min'])})"
            yield f"prediction of a regression {kind}, {name}, times faster", f"{found['predict']['ratio']:.1f}"
    for name, found in result.get("losses", {}).items():
        yield (
            f"a tree by {name}, times faster than scikit-learn",
            f"{found['ratio']:.1f} ({seconds(found['bough']['min'])})",
        )
    for name, found in result.get("random_splits", {}).items():
        what = f"random splits, {name}, all columns drawn, times faster than scikit-learn"
        yield what, f"{found['ratio']:.1f} ({seconds(found['bough']['min'])})"
    for name, found in result.get("components", {}).items():
        if "ratio" in found:
            yield f"time of split='pca' against an axis tree, {title(name)}", f"{found['ratio']:.1f}"
    found = result.get("linear_predict")
    if found:
        yield "time of prediction of a linear tree against an axis tree, depth 10", f"{found['ratio']:.2f}"
    for name, found in result.get("memory", {}).items():
        for threads, peak in found.items():
            if threads != "error":
                yield (
                    f"memory of a fit against the data, {title(name)}, {threads}",
                    f"{peak['ratio']:.2f}",
                )
    for name, found in result.get("files", {}).items():
        yield (
            f"model file against scikit-learn's pickle, {title(name)}",
            f"{found['ratio']:.2f} ({found['bough']:,} bytes)",
        )


def troubles(result: dict[str, Any]) -> Iterator[str]:
    """What could not be measured, and why."""
    for peer in result["peers"].values():
        if "error" in peer:
            yield f"- {peer['title']}: {peer['error']}"
    for name, reason in result.get("skipped", {}).items():
        yield f"- {title(name)}: {reason}"
    for name, found in result.get("fits", {}).items():
        for contestant, timing in found["contestants"].items():
            for key in ("error", "not_judged"):
                if key in timing:
                    yield f"- {titles()[contestant]}, {title(name)}: {timing[key]}"
    for name, found in result.get("memory", {}).items():
        if "error" in found:
            yield f"- memory, {title(name)}: {found['error']}"


def origin(result: dict[str, Any]) -> str:
    m, v = result["machine"], result["versions"]
    commit = (result["commit"] or "unknown")[:10] + (" with changes" if result["dirty"] else "")
    peers = "".join(f", {p['title']} {p['version']}" for p in result["peers"].values() if "version" in p)
    size = " Quick run: smaller tables than their names say." if result["quick"] else ""
    return (
        f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, {m['os']}; Python {v['python']}, "
        f"scikit-learn {v['scikit-learn']}, numpy {v['numpy']}{peers}; bough {v['bough']} with kernels up to "
        f"{result['kernels'][-1]}; commit {commit}; {result['date'][:10]}.{size}"
    )
