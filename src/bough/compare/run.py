"""`compare`: everything is checked first, then every fold that is still missing is worked on."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import BoughError, ParameterError, shown
from ..registry import is_whole
from ..tables.files import reading_of
from . import folds as splitting
from .data import DataSet, data_sets
from .folds import Split
from .measures import POSITIVE, Measure, find_measure
from .progress import Bar
from .result import Comparison
from .store import FORMAT, Record, Store, fold_key
from .systems import Contestant, contestants
from .work import judged

# What joblib raises when one of its processes is gone; where the classes are depends on its version.
ENDED = ("TerminatedWorkerError", "BrokenProcessPool", "ShutdownExecutorError")


def compare(
    systems: Any,
    data: Any,
    *,
    target: str | None = None,
    task: str = "auto",
    categorical: Iterable[str] = (),
    drop: Iterable[str] = (),
    sep: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    encoding: str = "utf-8",
    text: Iterable[str] = (),
    repeats: int = 10,
    folds: Any = 5,
    seed: int = 0,
    measure: str | None = None,
    positive: Any = None,
    grid: Mapping[str, Any] | None = None,
    inner_folds: int = 3,
    along: Mapping[str, Sequence[Any]] | None = None,
    results: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Compare systems on data sets by repeated cross-validation, every system on the same folds.

    Parameters
    ----------
    systems : str, estimator, or a list or dict of these
        Names of ``bough list systems``, and any classifiers or regressors with scikit-learn's conduct. One that
        is neither of bough nor a pipeline gets nominal columns one-hot encoded, and the median where a number
        is missing if it cannot handle missing values.
    data : str, path, data frame, (X, y), or a list or dict of these
        Built-in names, files, folders of files, frames that hold ``target``, columns and target.
    target : str, optional
        The column to predict; built-in data and (X, y) have their own.
    task : {"auto", "classification", "regression"}
        Whether classes or numbers are predicted; one for all data sets.
    categorical, drop : iterables of str
        Columns that are nominal whatever they look like; columns to leave aside.
    sep : str, optional
        Separator of text files; by default a comma, in .tsv a tab.
    decimal, thousands : str, optional
        The decimal mark and the thousands mark of numbers in text files.
    encoding : str
        Encoding of text files.
    text : iterable of str
        Columns of text files that are text whatever they look like, such as zip codes.
    repeats : int
        How often the rows are divided anew.
    folds : int, float, splitter, list of (training rows, test rows), or a dict of these by data set
        Parts of each division; or the share to test on; or the divisions themselves.
    seed : int
        All that is random follows from it.
    measure : str, optional
        What systems are compared by: "accuracy", or "r2" for numbers, unless said otherwise. All measures are
        kept.
    positive : class, optional
        A class whose own precision, recall and F1 are measured too: ``positive_precision``, ``positive_recall``,
        ``positive_f1``.
    grid : dict, optional
        By system, parameters and values to choose from by cross-validation within each training part.
    inner_folds : int
        Parts of that inner cross-validation.
    along : dict, optional
        Parameters and values: every system takes part once for each combination (see `Comparison.plot_along`).
    results : path, optional
        File to which each finished fold is written. If it exists, only what it lacks is done.
    n_jobs : int, optional
        Processes; -1 uses all processors. The results do not depend on it.
    progress : bool, optional
        Whether a bar is shown on stderr; by default where that is a terminal.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import bough
    >>> found = bough.compare(["cart", "fact"], "iris", repeats=2, folds=5)
    >>> found.systems
    ['cart', 'fact']
    >>> found.best("iris")
    'fact'
    """
    splitting.check_plan(folds, repeats, seed)
    if not is_whole(inner_folds) or inner_folds < 2:
        raise ParameterError(f"inner_folds is {shown(inner_folds)}; it must be an integer of at least 2.")
    jobs = jobs_of(n_jobs)
    how = reading_of(sep, decimal, thousands, encoding, text)
    sets = [replace(s, positive=positive) for s in data_sets(data, target, task, categorical, drop, how)]
    by = find_measure(measure or ("r2" if sets[0].regression else "accuracy"), sets[0].task)
    if by in POSITIVE and positive is None:
        raise ParameterError(f"measure={by.name!r} needs a class: give positive=…")
    found = contestants(systems, sets[0].task, grid, along)
    if grid and by.scorer is None:
        raise ParameterError(f"a grid cannot be searched by {by.name!r}; choose another measure.")
    splits = {s.name: splitting.splits_of(s, folds, int(repeats), int(seed)) for s in sets}
    store = Store(results)
    plan: Record = {"kind": "comparison", "version": FORMAT, "task": sets[0].task, "measure": by.name, "seed": seed}
    plan = {**plan, "inner_folds": inner_folds}
    data_records = [{"kind": "data", **s.describe(), "folds": splitting.describe(splits[s.name])} for s in sets]
    try:
        store.begin(plan, data_records, [{"kind": "system", **c.describe()} for c in found])
        work(store, sets, found, splits, by, inner_folds, jobs, progress)
        store.finish()
    finally:
        store.close()
    wanted = {c.name for c in found}, {s.name for s in sets}
    return Comparison(chosen(store.records, *wanted))


def chosen(records: list[Record], systems: set[str], data: set[str]) -> list[Record]:
    """Only what was asked for now; a file may hold more."""

    def is_asked(r: Record) -> bool:
        if r["kind"] == "fold":
            return r["system"] in systems and r["data"] in data
        if r["kind"] in ("data", "system"):
            return r["name"] in (data if r["kind"] == "data" else systems)
        return True

    return [r for r in records if is_asked(r)]


def jobs_of(n_jobs: int | None) -> int:
    from joblib import effective_n_jobs

    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ParameterError(f"n_jobs is {shown(n_jobs)}; it must be None or an integer other than 0.")
    return 1 if n_jobs is None else int(effective_n_jobs(n_jobs))


# ---- the work ---------------------------------------------------------------------------------------


def work(
    store: Store,
    sets: list[DataSet],
    found: list[Contestant],
    splits: dict[str, list[Split]],
    by: Measure,
    inner_folds: int,
    jobs: int,
    progress: bool | None,
) -> None:
    """Does every fold that the store lacks; those of one data set follow each other, so that few are in memory."""
    done = {fold_key(r) for r in store.folds()}
    tasks = [
        (d, i, c)
        for d, data in enumerate(sets)
        for i, split in enumerate(splits[data.name])
        for c, contestant in enumerate(found)
        if (data.name, contestant.name, split.repeat, split.fold) not in done
    ]
    if not tasks:
        return
    bar = Bar([(sets[d].name, found[c].name) for d, _, c in tasks], jobs, progress)
    one_by_one = jobs == 1 or len(tasks) == 1
    try:
        if one_by_one:
            records: Iterator[Record] = (
                judged(sets[d], found[c], splits[sets[d].name][i], by, inner_folds) for d, i, c in tasks
            )
            for record in records:
                store.add(record)
                bar.step(record)
        else:
            for record in in_processes(tasks, sets, found, splits, by, inner_folds, jobs):
                store.add(record)
                bar.step(record)
    finally:
        bar.close()


def in_processes(
    tasks: list[tuple[int, int, int]],
    sets: list[DataSet],
    found: list[Contestant],
    splits: dict[str, list[Split]],
    by: Measure,
    inner_folds: int,
    jobs: int,
) -> Iterator[Record]:
    """Records as they are finished. Data travels to each process once, through a file."""
    from joblib import Parallel, delayed

    with tempfile.TemporaryDirectory(prefix="bough-compare-") as folder:
        for i, data in enumerate(sets):
            Path(folder, f"data{i}").write_bytes(pickle.dumps((data, splits[data.name])))
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
        try:
            yield from parallel(delayed(judged_there)(folder, d, i, found[c], by, inner_folds) for d, i, c in tasks)
        except Exception as e:
            if type(e).__name__ not in ENDED:
                raise
            raise BoughError(
                "a process of the comparison was ended from outside, often for lack of memory; "
                "with a results file the same call goes on where it stopped, and fewer n_jobs need less memory."
            ) from None


def judged_there(folder: str, d: int, i: int, contestant: Contestant, by: Measure, inner_folds: int) -> Record:
    data, splits = data_in(folder, d)
    return judged(data, contestant, splits[i], by, inner_folds)


@lru_cache(maxsize=2)
def data_in(folder: str, d: int) -> tuple[DataSet, list[Split]]:
    found: tuple[DataSet, list[Split]] = pickle.loads(Path(folder, f"data{d}").read_bytes())
    return found
