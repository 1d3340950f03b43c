"""SQL of boosted trees: sums of what the leaves say, and what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sql_dialect import quoted

if TYPE_CHECKING:
    from ..model.boosting import Boosting
    from .sql import Writer


def select_boosted(writer: Writer, boosting: Boosting, proba: bool) -> str:
    """The query of boosted trees: sums, and what follows from them."""
    k, sums = boosting.n_outputs, []
    for output, start in enumerate(boosting.start):
        own = range(output, len(writer.low.trees), k)
        values = {i: list(map(writer.number, writer.low.trees[i].values.tolist())) for i in own}
        sums.append(" + ".join([writer.number(start), *(writer.by_node(i, values[i]) for i in own)]))
    raws = raw_names(boosting)
    writer.add([f"{total} AS {name}" for total, name in zip(sums, raws, strict=True)])
    return of_sums(writer, boosting, raws, proba)


def raw_names(boosting: Boosting) -> list[str]:
    """What the sums are called."""
    return [quoted(f"raw{output}") for output in range(boosting.n_outputs)]


def of_sums(writer: Writer, boosting: Boosting, raws: list[str], proba: bool) -> str:
    """What is predicted by sums that the last stage has."""
    k = boosting.n_outputs
    if writer.low.classes is None:
        made = f"EXP({raws[0]})" if boosting.link == "exp" else raws[0]
        return writer.joined([f"{made} AS {quoted('prediction')}"])
    powers = [quoted(f"power{output}") for output in range(k)]
    if boosting.link == "logistic":
        writer.add([*raws, f"EXP(-ABS({raws[0]})) AS {powers[0]}"])
        one = writer.number(1.0)
        small, large = f"{powers[0]} / ({one} + {powers[0]})", f"{one} / ({one} + {powers[0]})"
        shares = [f"CASE WHEN {raws[0]} >= 0 THEN {a} ELSE {b} END" for a, b in ((small, large), (large, small))]
    else:
        (top,) = writer.extremes([writer.dialect.greatest], raws, raws)
        writer.add([f"EXP({raw} - {top}) AS {power}" for raw, power in zip(raws, powers, strict=True)])
        shares = [f"{power} / ({' + '.join(powers)})" for power in powers]
    writer.add([f"{share} AS {name}" for share, name in zip(shares, writer.shares, strict=True)])
    carried = writer.shares if proba else []
    return writer.joined(writer.outputs(writer.best(writer.shares, carried), carried))
