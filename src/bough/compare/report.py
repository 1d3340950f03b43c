"""The report of a comparison: one HTML page with tables, tests and plots. It has no script; plots are pictures inside
the page, drawn once for light and once for dark."""

from __future__ import annotations

import base64
import hashlib
import html
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .extra import needs
from .words import data_line, data_rows, friedman_line, p_text, plus_minus, rank_rows

if TYPE_CHECKING:
    from .result import Comparison

INKS = {"light": ("#1d2126", "#c6c1b6"), "dark": ("#e9ebee", "#475059")}  # text, lines
MOST_DRAWN = 4  # data sets whose plots are not folded
MOST_MEASURES = 8  # columns of the table of all measures
ALPHA = 0.05

STYLE = """
:root{color-scheme:light dark;--bg:light-dark(#faf9f6,#14171b);--surface:light-dark(#fff,#1c2026);
--ink:light-dark(#1d2126,#e9ebee);--ink2:light-dark(#5a6068,#a3abb5);--line:light-dark(#e2dfd7,#2c323a);
--good:light-dark(#1d7a4f,#6fd3a2);--bad:light-dark(#a3402a,#f0937c)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1020px;padding:28px 24px 60px;background:var(--bg);color:var(--ink);
font:15px/1.5 system-ui,"Segoe UI",Roboto,Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
h1{font:600 30px/1.15 Charter,"Iowan Old Style",Georgia,"Noto Serif",serif;margin:0 0 6px}
h2{font-size:19px;margin:40px 0 4px}
h3{font-size:15px;margin:24px 0 4px}
p{margin:4px 0 10px;max-width:80ch}.muted{color:var(--ink2)}
.scroll{overflow-x:auto;margin:8px 0 16px}
table{border-collapse:collapse;background:var(--surface);border:1px solid var(--line)}
th,td{padding:5px 12px;border-top:1px solid var(--line);text-align:right;vertical-align:top}
th{white-space:nowrap;font-weight:600;color:var(--ink2);border-top:0}
th:first-child,td:first-child,th.l,td.l{text-align:left}
nav{columns:3 200px;margin:12px 0}nav a{display:block}a{color:inherit}
details{margin:4px 0 12px}summary{cursor:pointer;color:var(--ink2)}
dd{overflow-wrap:anywhere}
.good{color:var(--good)}.bad{color:var(--bad)}
.plots{display:flex;flex-wrap:wrap;gap:16px}.plots img{max-width:100%;height:auto;display:block}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 16px}dt{color:var(--ink2)}dd{margin:0}
"""


def page(found: Comparison, measure: str | None = None) -> str:
    """The whole page."""
    by = found.measure_of(measure)
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    n_systems, n_data = len(found.systems), len(found.data)
    title = f"{n_systems} system{'s' * (n_systems != 1)} on {n_data} data set{'s' * (n_data != 1)}"
    body = [
        f"<h1>{text(title)}</h1>",
        f"<p class=muted>Compared by {text(by.title)}, all on the same folds, {len(found.folds):,} fits. Differences "
        "on one data set are judged by the corrected resampled t-test (Nadeau and Bengio), p-values corrected by "
        "Holm's method.</p>",
        *(contents(found) if n_data > 1 else []),
        *(many_data(found, measure) if n_data > 1 and n_systems > 1 else []),
        *(part for d in found.data for part in one_data(found, d, measure)),
        *about(found),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def contents(found: Comparison) -> list[str]:
    """A table of contents."""
    places = [("all", "All data sets")] if len(found.systems) > 1 else []
    places += [(f"d{i}", d) for i, d in enumerate(found.data)]
    links = "".join(f'<a href="#{at}">{text(name)}</a>' for at, name in [*places, ("about", "What was compared")])
    return [f'<nav aria-label="Contents">{links}</nav>']


# ---- parts ------------------------------------------------------------------------------------------


def many_data(found: Comparison, measure: str | None) -> list[str]:
    header, rows = rank_rows(found, measure, ALPHA)
    ranks = found.ranks(measure, ALPHA)
    posterior = [
        [s, *(f"{v:.3f}" for v in (p.better, p.equal, p.worse))]
        for s in found.systems
        if s != ranks.best
        for p in [found.bayes(ranks.best, s, measure)]
    ]
    return [
        '<h2 id="all">All data sets</h2>',
        table(header, rows),
        f"<p>{text(friedman_line(found, measure, ALPHA))}.</p>",
        f'<div class="plots">{picture(lambda: found.plot_ranks(measure), "Critical difference diagram")}</div>',
        f"<h3>How probable it is that {text(ranks.best)} is better on a further data set</h3>",
        "<p class=muted>Bayesian signed-rank test; differences below 0.01 count as none.</p>",
        table(["than", "better", "practically equal", "worse"], posterior),
    ]


def one_data(found: Comparison, data: str, measure: str | None) -> list[str]:
    header, rows = data_rows(found, data, measure, ALPHA)
    values = found.values(data, measure)
    several = sum(len(v) > 1 and not bool((v != v).any()) for v in values.values()) > 1
    labels = found.labels(data, measure, ALPHA) if several else {}
    rows = [[*r[:-1], labels.get(r[0], "–"), r[-1]] for r in rows]
    header = [*header[:-1], "label", header[-1]]
    drawn = [picture(lambda: found.plot_dots(data, measure), f"Means and intervals on {data}")]
    sizes = found.values(data, "leaves")
    if any((v == v).any() for v in sizes.values()):
        drawn.append(picture(lambda: found.plot_front(data, measure), f"Leaves and {found.measure_of(measure).title}"))
    out = [
        f'<h2 id="d{found.data.index(data)}">{text(data)}</h2>',
        f"<p class=muted>{text(data_line(found, data))}</p>",
        table(header, rows, left=(len(header) - 1, len(header) - 2)),
    ]
    many = len(found.data) > MOST_DRAWN
    pictures = f'<div class="plots">{"".join(drawn)}</div>'
    out += [f"<details><summary>{'Plots, p' if many else 'P'}airs and all measures</summary>"]
    out.insert(-1 if not many else len(out), pictures)
    if several:
        pairs = found.pairs(data, measure)
        cells = [[p.a, p.b, f"{p.difference:+.4f}", p_text(p.p), p_text(p.corrected), f"{p.d:+.2f}"] for p in pairs]
        out += ["<h3>Pairs</h3>", table(["a", "b", "a − b", "p", "p (Holm)", "Cohen’s d"], cells, left=(1,))]
    return [*out, "<h3>All measures</h3>", all_measures(found, data), "</details>"]


def all_measures(found: Comparison, data: str) -> str:
    """Every measure that some system has, systems as rows."""
    names = list(dict.fromkeys(k for r in found.folds for k in r.get("measures") or ()))
    each = {m: found.values(data, m) for m in names}
    kept = [m for m in names if any((v == v).any() for v in each[m].values())]
    parts = []
    for begin in range(0, len(kept), MOST_MEASURES):
        some = kept[begin : begin + MOST_MEASURES]
        rows = [[s, *(plus_minus(each[m][s], 4 if "seconds" in m else 3) for m in some)] for s in found.systems]
        parts.append(table(["system", *(found.measure_of(m).title for m in some)], rows))
    return "".join(parts)


def about(found: Comparison) -> list[str]:
    """Systems, versions, machine and seed."""
    facts = [("seed", str(found.plan["seed"]))]
    for run in found.of_kind("run"):
        facts.append(("machine", ", ".join(f"{k} {v}" for k, v in run["machine"].items())))
        facts.append(("versions", ", ".join(f"{k} {v}" for k, v in run["versions"].items())))
    for s in found.of_kind("system"):
        words = ", ".join(f"{k}={v!r}" for k, v in s["params"].items())
        grid = f"; chosen from {s['grid']}" if "grid" in s else ""
        facts.append((s["name"], f"{s['estimator']}({words}){grid}"))
    listed = "".join(f"<dt>{text(k)}</dt><dd>{text(v)}</dd>" for k, v in facts)
    return ['<h2 id="about">What was compared</h2>', f"<dl>{listed}</dl>"]


def notebook(found: Comparison) -> str:
    """The tables of a comparison, for a notebook."""
    parts = []
    for d in found.data:
        header, rows = data_rows(found, d, None, ALPHA)
        parts.append(f"<p>{text(data_line(found, d))}</p>{table(header, rows, left=(len(header) - 1,))}")
    if len(found.data) > 1 and len(found.systems) > 1:
        parts.append(f"<p>all data sets</p>{table(*rank_rows(found, None, ALPHA))}")
        parts.append(f"<p>{text(friedman_line(found, None, ALPHA))}</p>")
    return "".join(parts)


# ---- pieces -----------------------------------------------------------------------------------------


def text(value: object) -> str:
    return html.escape(str(value), quote=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """A table; columns in ``left`` and the first one are to the left."""

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}{mark(tag, i, c)}>{text(c)}</{tag}>" for i, c in enumerate(row))

    def mark(tag: str, i: int, c: str) -> str:
        kinds = ["l"] if i in left else []
        if tag == "td" and c in ("best", "Best"):
            kinds.append("good")
        elif tag == "td" and c.startswith(("worse", "failed", "Not best")):
            kinds.append("bad")
        return f' class="{" ".join(kinds)}"' if kinds else ""

    body = "".join(f"<tr>{cells('td', r)}</tr>" for r in rows)
    return (
        f'<div class="scroll"><table><thead><tr>{cells("th", header)}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def picture(draw: Callable[[], Any], what: str) -> str:
    """A plot as two pictures inside the page, of which the browser shows the one that fits."""
    light, dark = (data_address(draw, theme) for theme in INKS)
    source = f'<source srcset="{dark}" media="(prefers-color-scheme: dark)">'
    return f'<picture>{source}<img src="{light}" alt="{text(what)}"></picture>'


def data_address(draw: Callable[[], Any], theme: str) -> str:
    matplotlib = needs("matplotlib", "the plots of a report")
    ink, line = INKS[theme]
    inks = dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color"), ink)
    lines = {"axes.edgecolor": line, "axes.facecolor": "none", "figure.facecolor": "none"}
    fonts = {"svg.fonttype": "none", "font.family": "sans-serif", "svg.hashsalt": "bough", "axes.titlesize": "medium"}
    stream = io.BytesIO()
    with matplotlib.rc_context({**inks, **lines, **fonts}):
        figure = draw().figure
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    return "data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode()
