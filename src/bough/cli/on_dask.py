"""`bough fit --dask`: the same on a cluster, for tables of many files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from .. import dask as on_cluster
from ..dask.extra import ClusterError, client_of, needs, told_in_a_sentence
from ..errors import DataError
from ..estimators.systems import find_system
from ..registry import did_you_mean
from ..tables.files import reading_of
from ..tables.problem import MOST_INTEGER_CLASSES
from . import tidy
from .compare import CHOSEN
from .fitting import (
    UsageError,
    check_names,
    check_writable,
    facts_of,
    ordered_of,
    parameters_of,
    pick,
    say_model,
    say_target,
    split_names,
)
from .rules import rules_of
from .terminal import Output, count, line

LOCAL = "local"  # --dask without an address
KINDS_OF_FILES = {".parquet": "parquet", ".pq": "parquet", ".csv": ",", ".tsv": "\t"}


def fit_on_dask(args: argparse.Namespace, out: Output) -> None:
    """Grow a tree on a cluster and write it to a file."""
    path = Path(args.out or f"{Path(args.data).stem.strip('*?-_.') or 'model'}.bough")
    check_writable(path, args.force, [])
    check_names(args)
    if args.system in CHOSEN:
        raise UsageError(f"--system {args.system} tries many systems on one machine; with --dask, name one")
    if args.target is None:
        raise UsageError("--dask needs --target COL")
    with tidy(), cluster_of(args.dask) as client, told_in_a_sentence(client):
        table = frame_of([args.data, *args.more], reading(args))
        names = list(table.columns)
        if args.target not in names:
            raise DataError(f"--target {args.target}: no such column. Columns: {', '.join(map(repr, names[:20]))}.")
        table = table.drop(columns=known(pick(args.drop, names), names)).dropna(subset=[args.target])
        facts = describe(table, args)
        say(facts, out)
        model = fitted(args, table, facts, client, path, out)
        out.facts({**facts, **facts_of(model), "out": str(path)})


@contextmanager
def cluster_of(address: str) -> Iterator[Any]:
    """The cluster at an address, or one of this machine for as long as it is used."""
    distributed = needs("distributed")
    where = {"dashboard_address": ":0"} if address == LOCAL else {"address": address, "timeout": 10}
    try:
        client = distributed.Client(**where, set_as_default=False)
    except (OSError, ValueError) as e:
        raise ClusterError(f"no Dask scheduler answers at {address!r} ({type(e).__name__}).") from None
    with client, client.as_current():
        yield client_of(client)


def reading(args: argparse.Namespace) -> dict[str, Any]:
    """The options that say how a text file is read, as `dask.dataframe.read_csv` takes them."""
    how = reading_of(args.sep, args.decimal, args.thousands, args.encoding, split_names(args.text))
    options = {"decimal": how.marks.decimal, "thousands": how.marks.thousands or None, "encoding": how.encoding}
    return {"sep": how.separator, **options, "dtype": dict.fromkeys(how.text, "string")}


def frame_of(given: list[str], how: dict[str, Any]) -> Any:
    """The files that are named, by names or patterns, as a Dask DataFrame."""
    dd = needs("dask.dataframe")
    files = [file for data in given for file in files_of(data)]
    kinds = {KINDS_OF_FILES.get(Path(f).suffix, "folder" if Path(f).is_dir() else "") for f in files}
    if "" in kinds:
        raise DataError(
            f"{given[0]!r}: --dask reads files of Parquet and CSV (.parquet, .csv, .tsv), patterns of them or folders"
        )
    if len(kinds) > 1:
        raise DataError(f"{', '.join(map(repr, given[:5]))}: files of one table have one format.")
    (kind,) = kinds
    try:
        if kind in ("parquet", "folder"):
            return dd.read_parquet(files[0] if len(files) == 1 else files)
        return dd.read_csv(files, **{**how, "sep": how["sep"] or kind})
    except (OSError, FileNotFoundError) as e:
        raise DataError(f"{given[0]!r} cannot be read: {e}.") from None


def files_of(data: str) -> list[str]:
    """The files that a name or a pattern stands for, part2 before part10."""
    if "://" in data or Path(data).exists():
        return [data]
    files = sorted(glob(data, recursive=True), key=needs("dask.utils").natural_sort_key)
    if not files:
        raise DataError(f"there is no file {data!r}.")
    return files


def known(given: list[str], names: list[str]) -> list[str]:
    for name in given:
        if name not in names:
            raise DataError(f"no column is called {name!r}{did_you_mean(name, names)}")
    return given


def describe(table: Any, args: argparse.Namespace) -> dict[str, Any]:
    """Rows, columns and the target, counted on the cluster."""
    column = table[args.target]
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    n_rows, n_values = (int(x) for x in needs("dask").compute(table.index.size, column.nunique()))
    few = kind in "iu" and n_values <= MOST_INTEGER_CLASSES
    regression = args.task == "regression" or (args.task == "auto" and kind in "iuf" and not few)
    reason = {"f": "the target has fractions", "b": "the target is true or false"}.get(kind, "the target is text")
    if kind in "iu":
        reason = f"the target has {n_values} different integers"
    target: dict[str, Any] = {
        "name": args.target,
        "task": "regression" if regression else "classification",
        "reason": reason if args.task == "auto" else "--task says so",
    }
    if regression:
        target["range"] = [float(x) for x in needs("dask").compute(column.min(), column.max())]
    else:
        counts = column.value_counts().compute().sort_index()
        target["classes"] = [{"class": c, "rows": int(n)} for c, n in zip(counts.index.tolist(), counts, strict=True)]
    data = {
        "name": " ".join([args.data, *args.more]),
        "rows": n_rows,
        "columns": len(table.columns) - 1,
        "partitions": table.npartitions,
    }
    return {"data": data, "target": target}


def say(facts: dict[str, Any], out: Output) -> None:
    data, target = facts["data"], facts["target"]
    parts = count(data["partitions"], "partition")
    out.say(
        line("data", f"{data['name']}: {count(data['rows'], 'row')}, {count(data['columns'], 'column')}, in {parts}")
    )
    say_target(target, out)


def fitted(args: argparse.Namespace, table: Any, facts: dict[str, Any], client: Any, path: Path, out: Output) -> Any:
    task = facts["target"]["task"]
    names = [n for n in table.columns if n != args.target]
    parameters = {**parameters_of(args), **({"ordinal_features": o} if (o := ordered_of(args.ordered)) else {})}
    parameters |= rules_of(args, names, [c["class"] for c in facts["target"].get("classes", [])])
    nominal = known(pick(args.categorical, names), names)
    if nominal:
        text = [n for n in names if not isinstance(table[n].dtype, np.dtype) or table[n].dtype.kind == "O"]
        parameters["categorical_features"] = [n for n in names if n in {*nominal, *text}]
    system = None if args.system is None else find_system(args.system)
    if system is not None:
        parameters = system.for_task(task).with_overrides(parameters)
    kind = "Forest" if system is not None and system.forest else "Tree"
    estimator = getattr(on_cluster, f"{kind}{'Regressor' if task == 'regression' else 'Classifier'}")(client=client)
    for name in parameters:
        if name not in estimator.get_params():
            near = did_you_mean(name, estimator.get_params())
            raise UsageError(f"{type(estimator).__name__} has no parameter {name!r}{near}")
    held = None
    if args.test_share > 0:
        table, held = table.random_split([1 - args.test_share, args.test_share], random_state=args.random_state)
    estimator.set_params(**parameters).fit(table, args.target)
    model = estimator.model_
    model.save(path)
    scores = {"training": score(estimator, table, args.target), "held_out": None}
    if held is not None:
        scores["held_out"] = score(estimator, held, args.target)
    facts["scores"] = scores
    say_model(model, scores, path, out)
    sent = estimator.exchanged_
    travelled = sum(level.counts + level.numbers for level in sent["levels"]) + sent["moved"]
    out.say(line("travelled", f"{count(len(sent['levels']), 'level')} of large nodes, {travelled:,} bytes"))
    return model


def score(estimator: Any, table: Any, target: str) -> dict[str, Any] | None:
    """How well predictions fit a frame, found on the cluster; None: it has no rows."""
    found = estimator.judged(table, target)
    if not found.rows:
        return None
    if hasattr(estimator, "classes_"):
        return {"rows": found.rows, "accuracy": found.accuracy}
    return {"rows": found.rows, "r2": found.r2 if found.spread > 0 else None, "rmse": found.rmse}
