"""What the commands do that work with a fitted model, and `bough list` and `bough demo`."""

from __future__ import annotations

import argparse
import csv
import io
import shlex
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .. import registry
from ..errors import DataError, ModelFileError
from ..estimators.combination import System
from ..estimators.systems import SYSTEMS
from ..model.model import Model, load
from ..model.writing import save
from ..output import OUTPUTS, Form
from ..output import text as words
from ..registry import Parameter, Plugin, did_you_mean
from ..tables import values
from ..tables.files import Table
from . import tidy
from .fitting import (
    UsageError,
    check_writable,
    kinds_text,
    pick,
    read_table,
    size_of,
    size_text,
)
from .terminal import Output, count, line, some


def load_model(path: str) -> Model:
    try:
        return load(path)
    except ModelFileError as e:
        raise ModelFileError(f"{path!r} is not a model file that can be used: {e}.") from None


def table_for(model: Model, data: str, args: argparse.Namespace) -> Table:
    """A table for a model; columns that held text in training are text again, whatever they look like."""
    text = [c.name for c in model.schema.columns if any(isinstance(v, str) for v in c.values)]
    return read_table(data, args, text)


# ---- predict ----------------------------------------------------------------------------------------


def predict(args: argparse.Namespace, out: Output) -> None:
    """Predict the rows of a table with a model file."""
    if args.out:
        check_writable(Path(args.out), args.force, [args.model, args.data])
    model = load_model(args.model)
    if args.proba and model.regression:
        raise UsageError(f"{args.model!r} predicts numbers, so there is no --proba.")
    table = table_for(model, args.data, args)
    kept = kept_columns(table, args.keep)
    cells = table.for_model(model.schema)
    predicted = model.predict(cells).tolist()
    shares = model.predict_proba(cells).tolist() if args.proba else None
    classes = None if model.classes is None else model.classes.tolist()

    reasons = model.reasons(cells) if args.why else None
    text = predictions_csv(predicted, classes or [], shares, kept, reasons)
    if args.out:
        with tidy():
            save(args.out, text.encode())
        out.say(line("written", f"{args.out} ({count(len(predicted), 'prediction')})"))
        out.say(f"next: bough show {shlex.quote(args.model)} --why 1 --data {shlex.quote(args.data)}")
    else:
        out.data(text.removesuffix("\n"))
    facts: dict[str, Any] = {"model": args.model, "data": args.data, "rows": len(predicted), "classes": classes}
    out.facts({**facts, "predictions": predicted, "proba": shares, **kept_facts(kept, reasons), "out": args.out})


def kept_columns(table: Table, given: list[str]) -> dict[str, list[Any]]:
    """Columns that are to stand before the predictions."""
    found = {}
    for name in table.named(pick(given, table.names)):
        place = table.names.index(name)
        cells = table.cells[:, place].tolist() if table.is_array else table.cells[name].to_list()
        found[name] = [None if values.is_missing(v) else v for v in cells]
    if "prediction" in found:
        raise UsageError("--keep prediction: the column of predictions is called so; rename yours first.")
    return found


def kept_facts(kept: dict[str, list[Any]], reasons: list[str] | None) -> dict[str, Any]:
    return {**({"keep": kept} if kept else {}), **({} if reasons is None else {"reasons": reasons})}


def predictions_csv(
    predicted: list[Any],
    classes: list[Any],
    shares: list[list[float]] | None,
    kept: Mapping[str, list[Any]],
    reasons: list[str] | None,
) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*kept, "prediction", *(classes if shares else []), *(["reason"] if reasons else [])])
    parts = [*kept.values(), predicted, *(zip(*shares, strict=True) if shares else []), *([reasons] if reasons else [])]
    writer.writerows(zip(*parts, strict=True))
    return stream.getvalue()


# ---- show -------------------------------------------------------------------------------------------


def show(args: argparse.Namespace, out: Output) -> None:
    """Print a model: its tree, its rules, or the way of one row."""
    if (args.why is None) != (args.data is None):
        raise UsageError("--why and --data go together: the number of a row, and the table it is in.")
    model = load_model(args.model)
    facts: dict[str, Any] = {"model": args.model, "size": size_of(model)}
    if args.why is not None:
        table = table_for(model, args.data, args)
        facts["row"], facts["why"] = args.why, why_of(model, table, args.why, args.digits)
        out.result(facts["why"])
    elif args.rules:
        rules = list(model.rules(args.digits, tree=args.tree))
        facts["rules"] = [
            {"if": r.conditions, "then": r.prediction, "rows": r.rows, "weight": r.weight, "text": str(r)}
            for r in rules
        ]
        out.result("\n".join(map(str, rules)))
    elif args.dot:
        facts["dot"] = model.to_dot(args.tree, args.max_depth, args.digits)
        out.result(facts["dot"].removesuffix("\n"))
    else:
        most = None if args.all else words.MOST_NODES
        facts["tree"] = words.show(
            model,
            args.max_depth,
            args.digits,
            p_values=args.p_values,
            max_nodes=most,
            tree=args.tree,
            more="--max-depth N shows more, --all everything",
            other="--tree N",
        )
        out.result(facts["tree"])
    out.facts(facts)


def why_of(model: Model, table: Table, row: int, digits: int | None = None) -> str:
    if not 1 <= row <= table.n_rows:
        raise DataError(f"--why {row}: {table.label!r} has rows 1 to {table.n_rows}.")
    return str(model.why(table.rows([row - 1]).for_model(model.schema), digits))


# ---- check ------------------------------------------------------------------------------------------


def check(args: argparse.Namespace, out: Output) -> None:
    """Read a model file strictly and tell what it is."""
    model = load_model(args.model)
    kinds = Counter[str](c.kind for c in model.schema.columns)
    size, classes = Path(args.model).stat().st_size, None if model.classes is None else model.classes.tolist()
    task = "regression" if classes is None else "classification"
    out.say(line("file", f"{args.model}, {size:,} bytes"))
    listed = "" if classes is None else f", {count(len(classes), 'class', 'classes')}: {some(classes)}"
    out.say(line("task", f"{task}{listed}"))
    out.say(line("columns", f"{kinds_text(dict(kinds))}: {some(c.name for c in model.schema.columns)}"))
    out.say(line("tree", size_text(model)))
    out.say(line("criterion", model.criterion))
    if model.saved_by is not None:
        out.say(line("saved by", f"bough {model.saved_by}"))
    for name, value in model.user_metadata.items():
        out.say(line("metadata", f"{name}: {value}"))
    if model.origin is not None:
        out.say(line("grown by", str(model.origin)))
    out.say("ok")
    out.say(f"next: bough show {shlex.quote(args.model)}")
    columns = [{"name": c.name, "kind": c.kind} for c in model.schema.columns] if out.as_json else []
    facts = {"ok": True, "file": args.model, "bytes": size, "task": task, "classes": classes, "columns": columns}
    origin = None if model.origin is None else model.origin.described()
    out.facts({**facts, "size": size_of(model), "criterion": model.criterion, "origin": origin})


# ---- list -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shelf:
    """One kind of thing that `bough list` shows."""

    title: str
    entries: Callable[[], Iterable[Plugin | System | Form]]


def registered(kind: str) -> Iterable[Plugin]:
    return registry.plugins()[kind].values()


# A module with a further kind of thing to list adds its shelf here.
SHELVES: dict[str, Shelf] = {
    "criterion": Shelf("how good a split is", partial(registered, "criterion")),
    "split": Shelf("which splits of numeric columns are tried", partial(registered, "split")),
    "nominal": Shelf("which partitions of nominal columns are tried", partial(registered, "nominal")),
    "selector": Shelf("which columns may be split at a node", partial(registered, "selector")),
    "missing": Shelf("where rows with a missing value go", partial(registered, "missing")),
    "leaf": Shelf("what a leaf predicts", partial(registered, "leaf")),
    "refine": Shelf("what is improved once the tree is grown", partial(registered, "refine")),
    "prune": Shelf("what is pruned after growing", partial(registered, "prune")),
    "loss": Shelf("what boosting minimises", partial(registered, "loss")),
    "systems": Shelf("published combinations of the above, for bough.system(name)", SYSTEMS.values),
    "output": Shelf("what a model can be written as, by bough export", OUTPUTS.values),
}


# How what is listed is chosen, where the command line has an option for it.
NEXT_OPTIONS = {kind: f" --{kind} NAME" for kind in registry.KINDS}


def list_plugins(args: argparse.Namespace, out: Output) -> None:
    """List everything that can be chosen."""
    if args.kind is not None and args.kind not in SHELVES:
        near = did_you_mean(args.kind, SHELVES)
        raise UsageError(f"there is no kind {args.kind!r}{near} Kinds: {', '.join(SHELVES)}.")
    kinds = [args.kind] if args.kind else list(SHELVES)
    found = {kind: list(SHELVES[kind].entries()) for kind in kinds}
    for kind, entries in found.items():
        width = max((len(e.name) for e in entries), default=0)
        out.say(f"{kind}: {SHELVES[kind].title}")
        shared = shared_parameters(entries)
        for e in entries:
            out.result(e.name if out.quiet else wrapped(f"  {e.name:<{width}}  ", f"{e.doc} [{e.source}]"))
            for detail in details(e, shared):
                out.say(wrapped(f"  {'':<{width}}    ", detail))
        for p, owners in shared.items():
            of = "all" if len(owners) == len(entries) else some(owners, len(entries))
            out.say(wrapped("  ", f"{p.name}={p.default}: {p.doc} ({limits(p)}); a parameter of {of}"))
        out.say()
    out.say(f"next: bough fit DATA --target COLUMN{NEXT_OPTIONS.get(args.kind, '')}")
    out.facts([entry_facts(e) for entries in found.values() for e in entries])


def wrapped(lead: str, text: str) -> str:
    """A text behind a lead, in lines that a terminal holds; those after the first stand below its beginning."""
    width = max(60, min(100, shutil.get_terminal_size((100, 24)).columns)) if sys.stdout.isatty() else 100
    lines = textwrap.wrap(text, max(30, width - len(lead)), break_long_words=False, break_on_hyphens=False)
    return ("\n" + " " * len(lead)).join([lead + lines[0], *lines[1:]]) if lines else lead


def shared_parameters(entries: Iterable[Plugin | System | Form]) -> dict[Parameter, list[str]]:
    """Parameters that several plug-ins have alike, with the names of these; they are listed once."""
    owners: dict[Parameter, list[str]] = {}
    for e in entries:
        for p in e.params if isinstance(e, Plugin) else ():
            owners.setdefault(p, []).append(e.name)
    return {p: names for p, names in owners.items() if len(names) > 1}


def details(e: Plugin | System | Form, shared: Mapping[Parameter, list[str]]) -> list[str]:
    if isinstance(e, Form):
        return []
    if isinstance(e, System):
        return [", ".join(f"{name}={value}" for name, value in e.params.items())]
    return [f"{p.name}={p.default}: {p.doc} ({limits(p)})" for p in e.params if p not in shared]


def limits(p: Parameter) -> str:
    if p.type == "choice":
        return " or ".join(p.choices)
    return "true or false" if p.type == "flag" else f"{p.type}{registry.in_range(p.low, p.high)}{p.words}"


def entry_facts(e: Plugin | System | Form) -> dict[str, Any]:
    if isinstance(e, Form):
        return {"kind": "output", "name": e.name, "doc": e.doc, "source": e.source}
    if isinstance(e, System):
        return {"kind": "systems", "name": e.name, "doc": e.doc, "source": e.source, "params": dict(e.params)}
    params = [
        {"name": p.name, "doc": p.doc, "type": p.type, "default": p.default}
        | ({"choices": p.choices} if p.choices else {})
        | ({"low": p.low, "high": p.high} if p.type in ("integer", "real") else {})
        for p in e.params
    ]
    return {
        "kind": e.kind,
        "name": e.name,
        "doc": e.doc,
        "source": e.source,
        "params": params,
        "traits": dict(e.traits),
    }
