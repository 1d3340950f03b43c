"""`bough report` and `bough export`: a model as a page, or as a program for somewhere else."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..estimators.stumps import Stumps
from ..model.model import Model
from ..model.writing import save
from ..output import OUTPUTS
from ..output.sql_dialect import DIALECTS
from ..registry import did_you_mean
from ..tables import files, values
from ..tables.problem import answers_in, array_of
from . import tidy
from .commands import load_model, table_for
from .fitting import UsageError, check_writable
from .terminal import Output, line


def report(args: argparse.Namespace, out: Output) -> None:
    """Write a page that shows a model, node by node."""
    path = Path(args.out or f"{files.stem(args.model)}.html")
    check_writable(path, args.force, [args.model, *([args.data] if args.data else [])])
    model = load_model(args.model)
    if args.include_rows and not args.data:
        raise UsageError("--include-rows puts rows of DATA into the page; name a table too.")
    if args.groups and not args.data:
        raise UsageError("--groups scores the rows of DATA; name a table too.")
    X = y = groups = None
    target = args.target
    if args.data:
        table = table_for(model, args.data, args)
        X, y, target, kept = rows_of(model, table, args.target)
        if args.groups:
            (name,) = table.named([args.groups])
            groups = next(s for s in kept.sources() if s.name == name)
    rows = {"include_rows": args.include_rows, "groups": groups}
    page = model.report(X, y, tree=args.tree, target=target, others=Stumps, **rows)
    with tidy():
        page.save(path)
    size = path.stat().st_size
    out.say(line("written", f"{path} ({size:,} bytes, one file that needs nothing else)"))
    if args.data and y is None:
        out.say(line("note", "the table has no target column (--target), so there are no scores"))
    if args.open:
        webbrowser.open(path.resolve().as_uri())
    out.facts({"model": args.model, "data": args.data, "target": target, "out": str(path), "bytes": size})


def rows_of(model: Model, table: files.Table, target: str | None) -> tuple[Any, Any, str | None, files.Table]:
    """Columns for the model and, if the table has one, the target; rows without a target are left out of the table."""
    target = target or table.target
    if target is None:
        return table.for_model(model.schema), None, None, table
    table.named([target])
    items, kind = answers_in(table, target)
    keep = [i for i, v in enumerate(items) if not values.is_missing(v)]
    if not keep:
        raise DataError(f"the column {target!r} of {table.label!r} has no values; leave --target away.")
    y = array_of([items[i] for i in keep], kind)
    kept = table.rows(keep)
    return kept.for_model(model.schema), y, target, kept


def export(args: argparse.Namespace, out: Output) -> None:
    """Write a model as ONNX, SQL, JSON, or as source in Python, JavaScript or C."""
    form = next(o for o in OUTPUTS.values() if getattr(args, o.module) is not None)
    target = getattr(args, form.module)
    path = None if target == "-" else Path(target)
    if path is None and args.json:
        raise UsageError(f"--json and --{form.name} - both write to the standard output; name a file.")
    if path is not None:
        check_writable(path, args.force, [args.model], f"--{form.name}")
    if args.dialect not in DIALECTS:
        near = did_you_mean(args.dialect, DIALECTS)
        raise UsageError(f"--dialect {args.dialect!r}: the dialect must be one of {', '.join(DIALECTS)}{near}")
    model = load_model(args.model)
    data = form.write(model, **{name: getattr(args, name) for name in form.options})
    if path is None:
        out.bytes(data)
        return
    with tidy():
        save(path, data)
    out.say(line("written", f"{path} ({len(data):,} bytes)"))
    out.facts({"model": args.model, "form": form.title, "out": str(path), "bytes": len(data)})
