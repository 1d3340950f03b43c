"""The work on one fold: a system is fitted on the training rows and measured on the others."""

from __future__ import annotations

import base64
import math
import time
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from .data import DataSet
from .folds import Split
from .measures import Measure, class_scores, number_scores, sizes_of
from .systems import Contestant, seeded, takes_tables, with_encoding

Record = dict[str, Any]
MESSAGE = 300  # characters of a failure's message that are kept


def judged(data: DataSet, contestant: Contestant, split: Split, measure: Measure, inner_folds: int) -> Record:
    """The record of one fold; a system that fails is a record with its message."""
    record: Record = {
        "kind": "fold",
        "data": data.name,
        "system": contestant.name,
        "repeat": split.repeat,
        "fold": split.fold,
        "seed": split.seed,
        "train": len(split.train),
        "test": len(split.test),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {**record, "failure": None, **measured(data, contestant, split, measure, inner_folds)}
    except Exception as e:  # of whatever library: a failure is a result
        words = " ".join(f"{type(e).__name__}: {e}".split())
        return {**record, "failure": words[:MESSAGE]}


def clocks() -> npt.NDArray[np.float64]:
    """Seconds of the processor and of the clock on the wall."""
    return np.array([time.process_time(), time.perf_counter()])


def measured(data: DataSet, contestant: Contestant, split: Split, measure: Measure, inner_folds: int) -> Record:
    estimator, rows = prepared(data, contestant, split.seed)
    if contestant.grid is not None:
        estimator = searched(estimator, contestant, data, split.seed, measure, inner_folds)
    X, y = rows(split.train), data.y[split.train]
    begin = clocks()
    estimator.fit(X, y)
    fitted = clocks() - begin
    X = rows(split.test)
    begin = clocks()
    predicted = np.asarray(estimator.predict(X))
    taken = clocks() - begin
    truth = data.truth[split.test]
    out: Record = {}
    if data.regression:
        scores = number_scores(truth, predicted.astype(np.float64))
    else:
        said = codes_of(predicted, data.classes)
        scores = class_scores(truth, said, proba_of(estimator, X, data.classes), len(data.classes), data.positive_code)
        if split.repeat == 0:
            out["right"] = base64.b64encode(np.packbits(said == truth).tobytes()).decode()
    seconds = dict(zip(("fit_seconds", "fit_wall", "predict_seconds", "predict_wall"), (*fitted, *taken), strict=True))
    values = {**scores, **sizes_of(estimator), **seconds}
    out["measures"] = {k: float(v) if math.isfinite(v) else None for k, v in values.items()}
    if contestant.grid is not None:
        out["chosen"] = {k.removeprefix("system__"): v for k, v in estimator.best_params_.items()}
    return out


def prepared(data: DataSet, contestant: Contestant, seed: int) -> tuple[Any, Any]:
    """An estimator ready to fit, and what gives it rows of the table."""
    estimator = seeded(contestant.estimator, seed)
    if takes_tables(contestant.estimator):
        return estimator, lambda rows: data.table.rows(rows).native
    matrix = data.matrix
    missing = bool(np.isnan(matrix).any())
    return with_encoding(estimator, data.nominal, matrix.shape[1], missing), lambda rows: matrix[rows]


def searched(
    estimator: Any, contestant: Contestant, data: DataSet, seed: int, measure: Measure, inner_folds: int
) -> Any:
    """An estimator that first chooses its parameters by cross-validation within the rows that it is given."""
    from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

    wrapped = hasattr(estimator, "named_steps") and "system" in estimator.named_steps
    prefix = "system__" if wrapped and not hasattr(contestant.estimator, "steps") else ""
    grid = {prefix + k: list(v) for k, v in (contestant.grid or {}).items()}
    cut = (KFold if data.regression else StratifiedKFold)(inner_folds, shuffle=True, random_state=seed)
    return GridSearchCV(estimator, grid, scoring=measure.scorer, cv=cut)


def codes_of(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Places of labels among the classes; −1 for one that is none."""
    labels = labels.astype(classes.dtype) if labels.dtype.kind != classes.dtype.kind else labels
    places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[places] == labels, places, -1).astype(np.int64)


def proba_of(estimator: Any, X: Any, classes: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Probabilities of all classes; None where the system has none. A class it never saw has probability 0."""
    if not hasattr(estimator, "predict_proba"):
        return None
    found = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    known = codes_of(np.asarray(estimator.classes_), classes)
    if np.array_equal(known, np.arange(len(classes))):
        return found
    out = np.zeros((len(found), len(classes)))
    out[:, known] = found
    return out


def right_rows(record: Record) -> npt.NDArray[np.bool_]:
    """Which test rows of a fold the system got right."""
    bits = np.frombuffer(base64.b64decode(record["right"]), dtype=np.uint8)
    return np.unpackbits(bits, count=record["test"]).astype(bool)
