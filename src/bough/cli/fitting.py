"""`bough fit`: from a table to a model file, with what there is to say about both."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError
from ..estimators.advice import FEWEST_ROWS, MOST_DISTINCT
from ..estimators.combination import System, estimator_class
from ..estimators.criterion import AUTO
from ..estimators.systems import find_system
from ..model.model import Model
from ..output.words import number
from ..registry import KINDS, did_you_mean, find
from ..tables import files as tables
from ..tables import frame, values
from ..tables.cells import meant_as_numbers
from ..tables.problem import Problem, problem_of
from ..tables.schema import Schema
from . import tidy
from .compare import CHOSEN, Best
from .rules import in_places, rules_of
from .terminal import Output, count, line, some

SHOWN_DEPTH = 3
MOST_NAMED = 8  # columns of one kind that are listed

# Parameters of the estimators that have an option of their own; --set takes the others.
OPTIONS = (
    "criterion",
    "split",
    "nominal",
    "selector",
    "missing",
    "leaf",
    "refine",
    "prune",
    "max_depth",
    "min_samples_leaf",
    "min_samples_split",
    "max_leaf_nodes",
    "ccp_alpha",
    "random_state",
    "n_jobs",
)


class UsageError(ParameterError):
    """The command was called in a way that it does not have."""


def fit(args: argparse.Namespace, out: Output) -> None:
    """Grow a tree on a table and write it to a file."""
    if args.dask is not None:
        from .on_dask import fit_on_dask

        return fit_on_dask(args, out)
    if args.more:
        raise UsageError(f"fit reads one file; add --dask for a table of several ({args.data} {args.more[0]} …)")
    path = Path(args.out or f"{tables.stem(args.data)}.bough")
    check_names(args)
    ordered = ordered_of(args.ordered)
    text = [*args.categorical, *split_names(args.categorical), *ordered]
    table = read_table(args.data, args, text)
    problem = problem_of(table, args.target, args.task, table.named(pick(args.drop, table.names)))
    check_writable(path, args.force, [args.data])
    nominal = problem.table.named(pick(args.categorical, problem.table.names))
    rules = rules_of(args, problem.table.names, set(problem.y.tolist()))
    if problem.table.is_array:  # whose columns have their names once the model stands
        rules = in_places(rules, {name: f"x{i}" for i, name in enumerate(problem.table.names)})
    parameters = {**parameters_of(args), **rules, **({"ordinal_features": ordered} if ordered else {})}
    best = Best(args.system, problem, parameters, nominal) if args.system in CHOSEN else None
    system = None if args.system in (None, *CHOSEN) else find_system(args.system)
    estimator = best or estimator_for(problem, with_system(system, parameters, problem), nominal, system)
    data = describe(problem, nominal)
    say_data(data, out)

    held_out = held_out_rows(problem, args.test_share, args.random_state)
    model = grown(estimator, problem.part(~held_out))
    if best:
        best.say(out)
    scores = {
        "training": score(model, problem.part(~held_out)),
        "held_out": score(model, problem.part(held_out)) if held_out.any() else None,
    }
    with tidy():
        model.save(path)
    say_model(model, scores, path, out)
    following = f"bough predict {shlex.quote(str(path))} NEWDATA.csv"
    out.say(f"next: {following}")
    evidence = best.facts() if best else {}
    out.facts({**data, **evidence, **facts_of(model), "scores": scores, "out": str(path), "next": following})


def read_table(data: str, args: argparse.Namespace, text: Collection[str] = ()) -> tables.Table:
    """A table, read as the command line says."""
    as_text = [*text, *args.text, *split_names(args.text)]
    how = tables.reading_of(args.sep, args.decimal, args.thousands, args.encoding, as_text)
    table = tables.read(data, how)
    table.named(pick(args.text, table.names))
    return table


def ordered_of(given: list[str]) -> dict[str, list[str]]:
    """Columns whose values have an order, lowest first: size=small,medium,large."""
    found: dict[str, list[str]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not name or not equals or not all(values.split(",")):
            raise UsageError(f"--ordered {text}: it must be a column and its values in order: size=small,medium,large")
        found[name] = values.split(",")
    return found


def check_names(args: argparse.Namespace) -> None:
    """Refuses names that are nobody's before a table is read."""
    from .. import BoostedClassifier, BoostedRegressor, ForestClassifier, TreeClassifier, TreeRegressor

    for kind in KINDS:
        if getattr(args, kind) is not None and (kind, getattr(args, kind)) != ("criterion", AUTO):
            find(kind, getattr(args, kind))
    named = None if args.system in (None, *CHOSEN) else find_system(args.system)
    forest = named is not None and named.forest
    if named is not None and named.boosted:
        known = {**BoostedClassifier().get_params(), **BoostedRegressor().get_params()}
    else:
        known = {**(ForestClassifier if forest else TreeClassifier)().get_params(), **TreeRegressor().get_params()}
    if args.dask is not None:
        known["move_rows"] = None
    for name, _ in args.set:
        outer = name.partition(".")[0]
        if outer not in known:
            raise UsageError(f"--set {name}: no tree has a parameter {outer!r}{did_you_mean(outer, known)}")


# ---- files ------------------------------------------------------------------------------------------


def check_writable(path: Path, force: bool, inputs: Iterable[str], option: str = "--out") -> None:
    """Says before the work what would be in the way of its result; ``option`` is the one that names the file."""
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder; {option} names a file.")
    if not path.parent.is_dir():
        raise DataError(f"there is no folder {str(path.parent)!r} to write {path.name!r} to.")
    if not path.exists():
        return
    if any(Path(i).exists() and path.samefile(i) for i in inputs):
        raise DataError(f"{str(path)!r} is read by this command; name another file with {option}.")
    if not force:
        raise DataError(f"{str(path)!r} exists; add --force to overwrite it, or name another file with {option}.")


# ---- the problem ------------------------------------------------------------------------------------


def split_names(given: Iterable[str]) -> list[str]:
    return [n.strip() for g in given for n in g.split(",") if n.strip()]


def pick(given: Iterable[str], names: list[str]) -> list[str]:
    """Names in a list with commas; a column whose own name has a comma is taken whole."""
    return [n for g in given for n in ([g] if g in names else split_names([g]))]


# ---- growing ----------------------------------------------------------------------------------------


def parameters_of(args: argparse.Namespace) -> dict[str, Any]:
    """Parameters of the estimator that the command line gives."""
    found: dict[str, Any] = {n: getattr(args, n) for n in OPTIONS if getattr(args, n) is not None}
    for name, value in args.set:
        outer, dot, inner = name.partition(".")
        if not dot:
            found[name] = value
        elif isinstance(found.setdefault(outer, {}), dict):
            found[outer] = {**found[outer], inner: value}
        else:
            raise UsageError(f"--set {name}: {outer} is {found[outer]!r}, which has no parameters.")
    return found


def with_system(system: System | None, parameters: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """The parameters of a published system, and over them those that the command line gives."""
    return parameters if system is None else system.for_task(problem.task).with_overrides(parameters)


def estimator_for(
    problem: Problem, parameters: dict[str, Any], nominal: list[str], system: System | None = None
) -> Any:
    from .. import TreeClassifier, TreeRegressor

    plain = TreeRegressor if problem.regression else TreeClassifier
    estimator = estimator_class(system, problem.task)() if system else plain()
    known = estimator.get_params()
    for name in parameters:
        if name not in known:
            near = did_you_mean(name, known)
            raise UsageError(f"{type(estimator).__name__} has no parameter {name!r}{near} It has: {', '.join(known)}.")
    if nominal:
        kinds = {s.name: s.kind for s in problem.table.sources()}
        chosen = [i for i, n in enumerate(problem.table.names) if n in nominal or kinds[n] == "nominal"]
        parameters = {"categorical_features": chosen, **parameters}
    return estimator.set_params(**parameters)


def held_out_rows(problem: Problem, share: float, seed: int) -> npt.NDArray[np.bool_]:
    """A random share of the rows; of each class the same share, and never all of it."""
    order = np.random.default_rng(seed).permutation(len(problem.y))
    if problem.regression:
        groups = [order]
    else:
        codes = np.unique(problem.y, return_inverse=True)[1][order]
        groups = np.split(order[np.argsort(codes, kind="stable")], np.cumsum(np.bincount(codes))[:-1])
    chosen = np.zeros(len(order), dtype=bool)
    for group in groups:
        chosen[group[: min(round(share * len(group)), len(group) - 1)]] = True
    return chosen


def grown(estimator: Any, problem: Problem) -> Model:
    """The model of a fitted estimator, with the names of the columns even if they came in an array."""
    model: Model = estimator.fit(problem.table.native, problem.y).model_
    columns = (replace(c, name=n) for c, n in zip(model.schema.columns, problem.table.names, strict=True))
    return replace(model, schema=Schema(tuple(columns), named=True))


def score(model: Model, problem: Problem) -> dict[str, Any]:
    predicted = model.predict(problem.table.native)
    found: dict[str, Any] = {"rows": len(predicted)}
    if not problem.regression:
        return {**found, "accuracy": float(np.mean(predicted == problem.y))}
    target = problem.y.astype(np.float64)
    errors, spread = np.square(predicted - target).sum(), np.square(target - target.mean()).sum()
    r2 = 1 - float(errors / spread) if spread > 0 else None
    return {**found, "r2": r2, "rmse": float(np.sqrt(errors / len(target)))}


# ---- what there is to say ---------------------------------------------------------------------------


def describe(problem: Problem, nominal: list[str]) -> dict[str, Any]:
    table = problem.table
    sources = table.sources()
    kinds = Counter("nominal" if s.name in nominal else s.kind for s in sources)
    target: dict[str, Any] = {"name": problem.target, "task": problem.task, "reason": problem.reason}
    if problem.regression:
        numbers = problem.y.astype(np.float64)
        target["range"] = [float(numbers.min()), float(numbers.max())]
    else:
        counts = Counter(problem.y.tolist())
        target["classes"] = [{"class": c, "rows": counts[c]} for c in values.sorted_values(counts)]
    return {
        "data": {
            "name": table.label,
            "rows": table.n_rows,
            "rows_without_target": problem.unanswered,
            "columns": dict(kinds),
            "missing_cells": sum(missing_cells(s) for s in sources),
            "ids": [s.name for s in sources if is_id(s)],
            "read_as": {kind: names for kind in KIND_WORDS if (names := read_as(table, nominal, kind))},
            "doubts": doubts(table, nominal),
        },
        "target": target,
    }


KIND_WORDS = {
    "numeric": "numbers",
    "boolean": "true or false",
    "nominal": "categories",
    "ordinal": "ordered categories",
    "date": "dates",
    "datetime": "times",
    "datetime_utc": "times",
    "duration": "durations",
}


def read_as(table: tables.Table, nominal: list[str], kind: str) -> list[str]:
    """The columns of a file that were read as one kind; built-in data is as it is."""
    if table.is_array:
        return []
    return [s.name for s in table.sources() if ("nominal" if s.name in nominal else s.kind) == kind]


def doubts(table: tables.Table, nominal: list[str]) -> list[str]:
    """Columns that somebody may have meant otherwise, each with the option for that."""
    found = []
    for s in table.sources():
        if s.kind == "numeric" and s.name in table.zeros and s.name not in nominal:
            found.append(
                f"{s.name!r} is read as numbers, although {table.zeros[s.name]} begins with 0; add --text {s.name} to "
                "keep it as text"
            )
        elif s.kind == "nominal" and s.name not in nominal:
            texts = [v for v in dict.fromkeys(s.items()) if isinstance(v, str)]
            if option := meant_as_numbers(texts):
                found.append(f"{s.name!r} is read as text such as {texts[0]}; if these are numbers, add {option}")
    return found


def is_id(source: frame.Source) -> bool:
    """Does a fit warn of it?"""
    if source.kind != "nominal":
        return False
    items = source.items()
    return len(items) >= FEWEST_ROWS and len(set(items)) > MOST_DISTINCT * len(items)


def missing_cells(source: frame.Source) -> int:
    if source.kind == "numeric":
        return int(np.isnan(source.numbers()).sum())
    return sum(values.is_missing(v) for v in source.items())


def kinds_text(kinds: dict[str, int]) -> str:
    return f"{count(sum(kinds.values()), 'column')} ({', '.join(f'{n} {k}' for k, n in kinds.items())})"


def say_data(facts: dict[str, Any], out: Output) -> None:
    data, target = facts["data"], facts["target"]
    missing = count(data["missing_cells"], "missing cell") if data["missing_cells"] else "no missing cells"
    out.say(line("data", f"{data['name']}: {count(data['rows'], 'row')}, {kinds_text(data['columns'])}, {missing}"))
    for kind, names in data["read_as"].items():
        out.say(line("", f"{KIND_WORDS[kind]}: {some(names, MOST_NAMED)}"))
    if data["rows_without_target"]:
        out.say(line("", f"left out: {count(data['rows_without_target'], 'row')} without a target"))
    say_target(target, out)
    for doubt in data["doubts"]:
        out.say(line("note", doubt))


def say_target(target: dict[str, Any], out: Output) -> None:
    if "classes" in target:
        counts = some(f"{c['class']} {c['rows']:,}" for c in target["classes"])
        out.say(line("target", f"{target['name']}: {count(len(target['classes']), 'class', 'classes')} ({counts})"))
    else:
        low, high = target["range"]
        out.say(line("target", f"{target['name']}: numbers from {number(low)} to {number(high)}"))
    out.say(line("task", f"{target['task']}: {target['reason']}"))


def size_of(model: Model) -> dict[str, int]:
    trees = {"trees": len(model.trees)} if len(model.trees) > 1 else {}
    leaves, depth = sum(t.n_leaves for t in model.trees), max(t.max_depth for t in model.trees)
    return {**trees, "nodes": model.n_nodes, "leaves": leaves, "depth": depth}


def facts_of(model: Model) -> dict[str, Any]:
    tree = {"tree": model.show(max_depth=SHOWN_DEPTH)} if len(model.trees) == 1 else {}
    return {**tree, "size": size_of(model), "criterion": model.criterion}


def size_text(model: Model) -> str:
    size = size_of(model)
    trees = f"{count(size['trees'], 'tree')}, " if "trees" in size else ""
    return f"{trees}{count(size['nodes'], 'node')}, {count(size['leaves'], 'leaf', 'leaves')}, depth {size['depth']}"


def score_text(found: dict[str, Any]) -> str:
    rows = count(found["rows"], "row")
    if "accuracy" in found:
        return f"accuracy {found['accuracy']:.3f} on {rows}"
    r2 = "undefined" if found["r2"] is None else f"{found['r2']:.3f}"
    return f"R² {r2}, RMSE {number(found['rmse'], 4)} on {rows}"


def say_model(model: Model, scores: dict[str, Any], path: Path, out: Output) -> None:
    out.say(f"\n{model.show(max_depth=SHOWN_DEPTH)}\n" if len(model.trees) == 1 else "")
    out.say(line("size", size_text(model)))
    out.say(line("training", score_text(scores["training"])))
    out.say(line("held out", score_text(scores["held_out"]) if scores["held_out"] else "nothing to judge the tree by"))
    out.say(line("written", f"{path} ({path.stat().st_size:,} bytes)"))
