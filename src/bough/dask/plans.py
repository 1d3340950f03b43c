"""Which plans can be grown from counts that were added up, and why others cannot: those need the rows of a node in one
place, and are for tables that one worker has room for."""

from __future__ import annotations

from collections.abc import Mapping

from .. import _core
from ..estimators.plan import Plan
from ..model.stakes import Stakes
from ..registry import Plugin, find
from ..tables.schema import Schema


def why_not(
    plan: Plan, schema: Schema, stakes: Stakes, some_weights: list[float], most: float = 1.0, forest: bool = False
) -> str | None:
    """What in a plan needs the rows of every node in one place; None: nothing. ``most``: how far numbers to be
    predicted are from their mean."""
    numbers = not all(c.nominal for c in schema.columns)
    checks = (
        criterion_needs_rows(find("criterion", plan.criterion), numbers),
        split_needs_rows(plan.split.name, plan.split.params) if numbers else None,
        directions_need_rows(plan, forest) if numbers and plan.split.name != "axis" else None,
        selector_needs_rows(plan.selector.name, numbers),
        None if plan.missing == "either" else f"missing={plan.missing!r}",
        next((f"prune={p.name!r}" for p in plan.prune if pruner_needs_rows(find("prune", p.name))), None),
        stakes_need_rows(stakes, forest),
        "a function of your own" if plan.functions else None,
        "weights that differ more than 2^30-fold" if apart(some_weights) else None,
        "a target of very large or very small numbers" if most and not 2.0**-200 < most < 2.0**200 else None,
    )
    return next((c for c in checks if c is not None), None)


def criterion_needs_rows(criterion: Plugin, numbers: bool) -> str | None:
    """Cuts of numbers are bounded by class counts; nominal columns are judged by their tables."""
    if numbers and not criterion.traits["box_corners"] and not criterion.traits["regression"]:
        return f"criterion={criterion.name!r}"
    return None


def split_needs_rows(name: str, params: Mapping[str, float]) -> str | None:
    if name != "axis" and not _core.most_directions(name, 2, 2):
        return f"split={name!r}"
    if params.get("sides") or params.get("price") or params.get("cut") == 1:
        return "split_params"
    return None


def directions_need_rows(plan: Plan, forest: bool) -> str | None:
    """Directions are over all columns, and of all rows."""
    if plan.simplify or forest:
        return "simplify=True" if plan.simplify else f"a forest with split={plan.split.name!r}"
    return f"max_features with split={plan.split.name!r}" if plan.max_features else None


def selector_needs_rows(name: str, numbers: bool) -> str | None:
    """Filters and tests look at tables of nominal columns."""
    by_tables = name == "score" or (name == "conditional_inference" and not numbers)
    return None if by_tables else f"selector={name!r}"


def stakes_need_rows(stakes: Stakes, forest: bool) -> str | None:
    """Priors and altered costs are weights of classes; costs of pairs of classes have no bound."""
    if stakes.costs is not None and stakes.splits == "pairs":
        return "costs of pairs of classes (cost_splits='pairs')"
    return "costs and priors of a forest" if forest and stakes.in_splits is not None else None


def pruner_needs_rows(pruner: Plugin) -> bool:
    return bool(pruner.traits["needs_data"])


def apart(some_weights: list[float]) -> bool:
    if not some_weights:
        return False
    low, high = some_weights[:2]
    return high > low * 2.0**30 or high >= 2.0**60 or low <= 2.0**-60


def listed() -> list[tuple[str, str, str]]:
    """What there is, by kind and name: grown from counts, or with the rows in one place. For the docs."""
    from ..registry import plugins

    def words(rows: bool) -> str:
        return "rows in one place" if rows else "from counts"

    def by_columns(with_numbers: str | None, without: str | None) -> str:
        only = with_numbers is not None and without is None
        return "from counts if all columns are nominal" if only else words(with_numbers is not None)

    rows: list[tuple[str, str, str]] = []
    for kind, known in plugins().items():
        for name, plugin in known.items():
            if kind == "criterion":
                rows.append((kind, name, by_columns(*(criterion_needs_rows(plugin, n) for n in (True, False)))))
            elif kind == "selector":
                rows.append((kind, name, by_columns(*(selector_needs_rows(name, n) for n in (True, False)))))
            elif kind == "split":
                needs = split_needs_rows(name, {}) is not None
                rows.append((kind, name, words(needs) if needs or name == "axis" else "from sums"))
            elif kind == "missing":
                rows.append((kind, name, words(name != "either")))
            elif kind == "prune":
                rows.append((kind, name, words(pruner_needs_rows(plugin))))
            else:
                rows.append((kind, name, words(bool(plugin.traits["function"]))))
    return rows
