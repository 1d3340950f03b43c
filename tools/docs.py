"""Writes what the docs and the README say of plug-ins and systems, from the registry, and the figures of the long runs,
from ``fuzz/results/``; ``--check`` only tells whether they are up to date."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bough import TreeClassifier, _core
from bough.distributed.fit import Sizes
from bough.estimators._base import parameters_of
from bough.estimators.data import Target
from bough.estimators.plan import plan_of
from bough.estimators.systems import SYSTEMS
from bough.output import OUTPUTS
from bough.registry import Parameter, plugins
from bough.tables.schema import Schema

ROOT = Path(__file__).resolve().parent.parent

# kind: title in docs/plug-ins.md, choice and question in the README's table
KINDS = {
    "criterion": ("Criteria: how good is this partition?", "`criterion`", "how good is this partition?"),
    "split": ("Splits of numeric columns", "`split`", "which splits of numeric columns are tried?"),
    "nominal": ("Partitions of nominal columns", "`nominal`", "which partitions of nominal columns?"),
    "selector": ("Selectors: which columns may be split?", "`selector`", "which column may be split?"),
    "missing": ("Missing values: where do rows without a value go?", "`missing`", "where do rows without a value go?"),
    "leaf": ("Leaves: what does a leaf predict?", "`leaf`", "what does a leaf predict?"),
    "refine": ("Refiners: what is improved once the tree is grown?", "`refine`", "what is improved afterwards?"),
    "prune": ("Pruners: what is pruned afterwards?", "`prune`, `ccp_alpha`", "what is pruned?"),
    "loss": ("Losses: what does boosting minimise?", "`loss`", "what does boosting minimise?"),
}
BEGIN, END = "<!-- table of plug-ins -->", "<!-- end of the table of plug-ins -->"

BEGIN_COUNTS, END_COUNTS = "<!-- what grows from counts -->", "<!-- end of what grows from counts -->"

BEGIN_LAWS, END_LAWS = "<!-- growth laws -->", "<!-- end of the growth laws -->"

BEGIN_RUNS, END_RUNS = "<!-- figures of the long runs -->", "<!-- end of the figures -->"

SYSTEMS_TOP = """# Published systems

Made from `src/bough/estimators/systems.py` by `tools/docs.py`; `bough list systems` shows the same.

A published system is a name for a combination of parts. `bough.system(name)` returns a `TreeClassifier` (or
`ForestClassifier`, `BoostedClassifier`) with these parameters; any of them can be given otherwise, as in
`bough.system("cart", criterion="twoing", ccp_alpha=0.01)`.
Dicts of parameters (`split_params`, `nominal_params`, `selector_params`) are merged, unless the part that they
belong to is itself replaced. `bough.system(name, task="regression")` is a `TreeRegressor` (or `ForestRegressor`), for
systems that were published for numbers too; what differs there is in the last column.
"""


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in [list(head), *cells]]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def limits(p: Parameter) -> str:
    if p.type == "choice":
        return ", ".join(f"`{c!r}`" for c in p.choices)
    if p.type == "flag":
        return "`True`, `False`"
    high = "" if p.high == float("inf") else f" to {p.high:g}"
    return f"{p.type}, {p.low:g}{high or ' and more'}{p.words}" if p.low > float("-inf") else p.type


def plugin_page() -> str:
    parts = ["# Plug-ins", "Made from the registry by `tools/docs.py`; `bough list` shows the same."]
    for kind, entries in plugins().items():
        parts += [f"## {KINDS[kind][0]}", f"Parameter `{kind}` of the estimators."]
        parts.append(grid(["name", "what it is", "from"], [(f"`{e.name}`", e.doc, e.source) for e in entries.values()]))
        rows = [
            (f"`{e.name}`", f"`{p.name}`", p.doc, f"`{p.default!r}`", limits(p))
            for e in entries.values()
            for p in e.params
        ]
        if rows:
            parts.append(grid(["name", "parameter", "meaning", "default", "values"], rows))
    parts += ["## Outputs: what can a model be written as?", "Option `--NAME FILE` of `bough export`."]
    parts.append(grid(["name", "what it is", "from"], [(f"`{o.name}`", o.doc, o.source) for o in OUTPUTS.values()]))
    return "\n\n".join(parts) + "\n"


def system_page() -> str:
    rows = [
        (f"`{s.name}`", s.doc, s.source, settings(s.params), "–" if s.numbers is None else settings(s.numbers))
        for s in SYSTEMS.values()
    ]
    return f"{SYSTEMS_TOP}\n{grid(['name', 'what it is', 'from', 'parameters', 'for numbers'], rows)}\n"


def settings(params: Mapping[str, object]) -> str:
    return ", ".join(f"`{k}={v:.3g}`" if isinstance(v, float) else f"`{k}={v!r}`" for k, v in params.items())


def readme() -> str:
    text = (ROOT / "README.md").read_text()
    rows = [
        (choice, question, " ".join(f"`{name}`" for name in plugins()[kind]))
        for kind, (_, choice, question) in KINDS.items()
    ]
    return between(text, BEGIN, grid(["choice", "question", "names"], rows), END)


def between(text: str, begin: str, table: str, end: str) -> str:
    return f"{text.split(begin)[0]}{begin}\n{table}\n{end}{text.split(end)[1]}"


def promises() -> str:
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "fuzz" / "results").glob("*.json"))]
    rows = [(r["run"], f"`{r['command']}`", f"`{r['commit']}`", r["machine"], r["figure"]) for r in runs]
    table = grid(["run", "command", "commit", "machine", "figure"], rows)
    text = between((ROOT / "docs" / "promises.md").read_text(), BEGIN_RUNS, table, END_RUNS)
    laws = next((r["laws"] for r in runs if "laws" in r), None)
    return text if laws is None else between(text, BEGIN_LAWS, growth(laws), END_LAWS)


def growth(laws: list[tuple[str, str, float, int, float]]) -> str:
    """The exponent of each system by each measure of its table; beside it the documented one, where it is its own."""
    axes = dict.fromkeys(axis for _, axis, *_ in laws if axis != "trees") | {"trees": None}
    usual = {axis: min(most for _, a, *_, most in laws if a == axis) for axis in axes}
    told = {(s, a): f"{found:.2f}" + (f" ≤ {most:g}" if most > usual[a] else "") for s, a, found, _, most in laws}
    rows = [[f"`{s}`", *(told.get((s, a), "") for a in axes)] for s in dict.fromkeys(s for s, *_ in laws)]
    return grid(["system", *axes], [["at most", *(f"{most:g}" for most in usual.values())], *rows])


def grows(kind: str, name: str) -> str:
    """How a plan with this part grows where rows lie on several machines."""
    schema = Schema.of_matrix(2)
    sizes = Sizes(9, schema, 9.0, Target(classes=np.arange(2)))
    plan = plan_of(parameters_of(TreeClassifier()), sizes, seed=0, threads=1)  # type: ignore[arg-type]
    part = (name, {})
    value: Any = (part,) if kind == "prune" else name if kind in ("criterion", "missing") else part
    if (kind, name) == ("leaf", "mean"):
        value = None
    functions = {name: None} if plugins()[kind][name].traits.get("function") else {}
    plan = plan._replace(**{kind: value}, functions=functions)
    with_numbers, without = (_core.why_in_one_place(plan, numbers) for numbers in (True, False))
    if not with_numbers:
        return "from sums" if kind == "split" and name != "axis" else "from counts"
    return "rows in one place" if without or kind == "split" else "from counts if all columns are nominal"


def counts() -> str:
    rows = [
        (f"`{kind}`", f"`{name}`", grows(kind, name))
        for kind, known in plugins().items()
        if kind != "loss"
        for name in known
    ]
    return between(
        (ROOT / "docs" / "dask.md").read_text(), BEGIN_COUNTS, grid(["kind", "name", "grows"], rows), END_COUNTS
    )


def main() -> int:
    pages = {"docs/plug-ins.md": plugin_page(), "docs/systems.md": system_page(), "README.md": readme()}
    pages |= {"docs/promises.md": promises(), "docs/dask.md": counts()}
    stale = [name for name, text in pages.items() if (ROOT / name).read_text() != text]
    if "--check" in sys.argv:
        print(*(f"{name} is not what tools/docs.py writes" for name in stale), sep="\n")
        return len(stale)
    for name in stale:
        (ROOT / name).write_text(pages[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
