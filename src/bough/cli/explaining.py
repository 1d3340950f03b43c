"""`bough why-not`: what would have to change about a row."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import DataError
from ..model.model import Model
from .commands import load_model, table_for
from .fitting import UsageError
from .terminal import Output


def why_not(args: argparse.Namespace, out: Output) -> None:
    """Print the nearest changes of a row that give another prediction."""
    model = load_model(args.model)
    table = table_for(model, args.data, args)
    if not 1 <= args.row <= table.n_rows:
        raise DataError(f"--row {args.row}: {table.label!r} has rows 1 to {table.n_rows}.")
    usual = table_for(model, args.background, args) if args.background else table
    fixed = [name for names in args.fixed for name in listed(names)]
    direction = {name: way for way in ("up", "down") for names in getattr(args, way) for name in listed(names)}
    found = model.why_not(
        table.rows([args.row - 1]).for_model(model.schema),
        wanted_of(model, args.wanted),
        fixed=fixed,
        direction=direction,
        costs=dict(args.cost),
        n=args.n,
        background=usual.for_model(model.schema) if usual.n_rows > 1 else None,
    )
    out.result(str(found))
    changes = [
        {
            "prediction": a.prediction,
            "node": a.node,
            "rows": a.rows,
            "share": a.share,
            "distance": a.distance,
            "changes": [{"column": c.name, "value": c.value, "to": c.to, "needed": c.needed} for c in a.changed],
            "text": str(a),
        }
        for a in found.changes
    ]
    out.facts({"model": args.model, "row": args.row, "predicted": found.predicted, "changes": changes})


def listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def wanted_of(model: Model, text: str) -> Any:
    """A class by its text, or a range written as LOW:HIGH."""
    if model.classes is not None:
        return {str(c): c for c in model.classes.tolist()}.get(text, text)
    low, colon, high = text.partition(":")
    try:
        if colon and (low or high):
            return (float(low) if low else None, float(high) if high else None)
    except ValueError:
        pass
    raise UsageError(f"--wanted {text}: this model predicts numbers, so give a range such as 100:200, 100: or :50.")
