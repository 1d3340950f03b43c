"""A comparison in words: the tables that a terminal shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .result import Comparison

Rows = list[list[str]]


def tables(found: Comparison, measure: str | None = None, alpha: float = 0.05) -> str:
    """All tables, one below the other."""
    parts = [data_table(found, d, measure, alpha) for d in found.data]
    if len(found.data) > 1 and len(found.systems) > 1:
        parts.append(rank_table(found, measure, alpha))
    return "\n\n".join(parts)


def data_table(found: Comparison, data: str, measure: str | None, alpha: float) -> str:
    """One data set: a line for each system."""
    header, rows = data_rows(found, data, measure, alpha)
    return data_line(found, data) + "\n" + aligned([header, *rows])


def data_line(found: Comparison, data: str) -> str:
    facts = next(r for r in found.of_kind("data") if r["name"] == data)
    classes = f", {facts['classes']} classes" if "classes" in facts else ""
    n = len(found.places[data])
    return f"{data}: {facts['rows']:,} rows, {facts['columns']} columns{classes}, {n} fold{'s' * (n != 1)}"


def data_rows(found: Comparison, data: str, measure: str | None, alpha: float) -> tuple[list[str], Rows]:
    """Header and lines: the measure ± its deviation, leaves, time to fit, and what differs from the best."""
    by = found.measure_of(measure)
    values, leaves, times = (found.values(data, m) for m in (by.name, "leaves", "fit_seconds"))
    failures = found.failures()
    verdicts = verdicts_of(found, data, measure, alpha)
    rows = []
    for s in found.systems:
        score, failed = values[s], failures.get((data, s), [])
        verdict = verdicts.get(s, "")
        if failed:
            verdict = f"failed on {len(failed)}: {failed[0]}"
        rows.append([s, plus_minus(score), mean_text(leaves[s], 1), time_text(times[s]), verdict])
    return ["system", by.title, "leaves", "fit", "against the best"], rows


def verdicts_of(found: Comparison, data: str, measure: str | None, alpha: float) -> dict[str, str]:
    """Of each system, whether it differs from the best one."""
    if all(np.isnan(v).any() or not len(v) for v in found.values(data, measure).values()):
        return {}
    best = found.best(data, measure)
    out = {best: "best"}
    for s, pair in found.against_best(data, measure).items():
        p = f"p {p_text(pair.corrected)}"
        out[s] = f"worse ({p})" if pair.corrected <= alpha else f"no difference shown ({p})"
    return out


def rank_table(found: Comparison, measure: str | None, alpha: float) -> str:
    """All data sets together: average ranks, wins against the best, and the tests."""
    ranks = found.ranks(measure, alpha)
    header, rows = rank_rows(found, measure, alpha)
    return f"all {ranks.n_data} data sets\n{aligned([header, *rows])}\n{friedman_line(found, measure, alpha)}"


def rank_rows(found: Comparison, measure: str | None, alpha: float) -> tuple[list[str], Rows]:
    ranks, wins = found.ranks(measure, alpha), found.wins(measure)
    rows = []
    for s in sorted(found.systems, key=lambda s: ranks.average[s]):
        own = " / ".join(map(str, wins[s, ranks.best])) if s != ranks.best else ""
        p = p_text(ranks.against_best[s]) if s in ranks.against_best else "best"
        rows.append([s, f"{ranks.average[s]:.2f}", own, p])
    return ["system", "average rank", f"won / tied / lost against {ranks.best}", "p (Holm)"], rows


def friedman_line(found: Comparison, measure: str | None, alpha: float) -> str:
    ranks = found.ranks(measure, alpha)
    if math.isnan(ranks.friedman[1]):
        return f"Nemenyi: average ranks {ranks.critical_difference:.2f} apart differ at {alpha:g}"
    return (
        f"Friedman p {p_text(ranks.friedman[1])}; Nemenyi: average ranks {ranks.critical_difference:.2f} apart "
        f"differ at {alpha:g}"
    )


# ---- LaTeX ------------------------------------------------------------------------------------------

SPECIAL = {c: "\\" + c for c in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def escaped(text: str) -> str:
    """A text that LaTeX prints as it stands."""
    return "".join(SPECIAL.get(c, c) for c in text)


def latex(found: Comparison, measure: str | None = None) -> str:
    """Data sets × systems as a table of LaTeX, the best of each line in bold."""
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(found.systems)}}}",
        r"\toprule",
        " & ".join(["", *map(escaped, found.systems)]) + r" \\",
        r"\midrule",
    ]
    for d in found.data:
        values = found.values(d, measure)
        shown = {s: plus_minus(v).partition(" ")[0] for s, v in values.items()}
        whole = [s for s, v in values.items() if len(v) and not np.isnan(v).any()]
        best = shown[found.best(d, measure)] if whole else None
        cells = []
        for s, v in values.items():
            cell = plus_minus(v).replace(" ± ", r" \pm ")
            bold = shown[s] == best and s in whole
            cells.append("--" if cell == "–" else rf"$\mathbf{{{cell}}}$" if bold else f"${cell}$")
        lines.append(" & ".join([escaped(d), *cells]) + r" \\")
    if len(found.data) > 1 and len(found.systems) > 1:
        average = found.ranks(measure).average
        first = min(average.values())
        cells = [rf"\textbf{{{r:.2f}}}" if r == first else f"{r:.2f}" for r in (average[s] for s in found.systems)]
        lines += [r"\midrule", " & ".join(["average rank", *cells]) + r" \\"]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


# ---- cells ------------------------------------------------------------------------------------------


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows with columns of one width; the first and the last to the left."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    last = len(widths) - 1
    lines = []
    for r in rows:
        cells = [c.ljust(w) if i in (0, last) else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths, strict=True))]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def plus_minus(values: np.ndarray, digits: int = 3) -> str:
    done = values[~np.isnan(values)]
    if not len(done):
        return "–"
    spread = float(done.std(ddof=1)) if len(done) > 1 else 0.0
    if abs(done.mean()) >= 1000:
        return f"{done.mean():.4g} ± {spread:.2g}"
    return f"{done.mean():.{digits}f} ± {spread:.{digits}f}"


def mean_text(values: np.ndarray, digits: int) -> str:
    done = values[~np.isnan(values)]
    return f"{done.mean():,.{digits}f}" if len(done) else "–"


def time_text(values: np.ndarray) -> str:
    done = values[~np.isnan(values)]
    if not len(done):
        return "–"
    seconds = float(done.mean())
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def p_text(p: float) -> str:
    if math.isnan(p):
        return "?"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
