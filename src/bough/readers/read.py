"""`read`: a tree or forest of another library as a `Model`."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, ParameterError, shown
from ..model.model import Model
from ..model.origin import Origin
from ..model.printed import Printed, printed
from ..registry import find
from ..tables.native import names_of
from ..tables.schema import Schema
from .build import LARGEST, Floats, Foreign, margins_of, tree_of

ROWS = 10_000  # on which both are asked
NEAR = 1e-9  # of shares and numbers, as a share of the largest; libraries that predict in float32 are less exact
NEAR32 = 1e-5


def read(estimator: Any, X: Any = None, *, tree: int | None = None) -> Model:
    """A fitted tree or forest of another library as a model: with it come the report, exports, safe files and
    explanations.

    Knows scikit-learn's decision trees, extra trees and forests of them; of scikit-learn's histogram boosting, LightGBM
    and XGBoost a model of one tree, or one tree's raw scores; and trees in PMML, as R writes them. Both the estimator
    and the model predict 10,000 rows around all cuts, and an error is raised if they disagree.

    Parameters
    ----------
    estimator : fitted estimator, dict or path
        An estimator or booster; the dict of LightGBM's ``dump_model``; a file that XGBoost's ``save_model`` wrote
        (``.json``), or a PMML file.
    X : table, optional
        Rows, best those of training: numbers are then printed with the digits that part these rows, and columns have
        their names (LightGBM keeps them without spaces).
    tree : int, optional
        Which tree of several. Of boosted trees its raw scores are read.

    Returns
    -------
    Model

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    >>> print(bough.read(tree, X).show())
    petal width (cm) <= 0.8
    ├─ yes: class 0 (50 rows)
    └─ no: class 1: 50 % (100 rows)
    """
    if tree is not None and (isinstance(tree, bool) or not isinstance(tree, (int, np.integer))):
        raise ParameterError(f"tree is {shown(tree)}; it must be a non-negative integer.")
    library, given = library_of(estimator)
    found: Foreign = import_module(f".{library}", __package__).read(given, tree)
    if X is not None:
        found.schema = with_names_of(X, found.schema)
    n_classes = 0 if found.classes is None else len(found.classes)
    keeps_inner = not n_classes and not find("criterion", found.criterion).traits["squares"]
    trees = tuple(tree_of(nodes, found.schema, n_classes, keeps_inner) for nodes in found.trees)
    digits: Printed | None = None
    if len(trees) == 1:
        digits = printed(trees[0], margins_of(found.trees[0]))
    parameters = {**found.parameters, **({} if tree is None else {"tree": int(tree)})}
    model = Model(
        trees, found.schema, found.classes, found.criterion, origin=Origin(found.name, parameters), printed=digits
    )
    if found.predict is not None:
        check(model, found)
    if X is not None and len(trees) == 1:
        columns = model.columns_of(X)
        digits = printed(trees[0], trees[0].margins(columns))
        model = Model(trees, found.schema, found.classes, found.criterion, origin=model.origin, printed=digits)
    return model


def library_of(given: Any) -> tuple[str, Any]:
    """The module that reads it, and what that module is given."""
    if isinstance(given, (str, os.PathLike)):
        path = Path(given)
        data = path.read_bytes()
        if path.suffix == ".json":
            try:
                return "xgboost", json.loads(data)
            except ValueError as e:
                raise DataError(f"{str(path)!r} is not JSON: {e}. Write it with XGBoost's save_model.") from None
        return "pmml", data
    if isinstance(given, Mapping):
        return ("lightgbm" if "tree_info" in given else "xgboost"), given
    library = type(given).__module__.partition(".")[0]
    for name, module in (("sklearn", "scikit"), ("lightgbm", "lightgbm"), ("xgboost", "xgboost")):
        if library == name:
            return module, given
    if library == "bough":
        raise ParameterError("this is a tree of bough already: its model is estimator.model_.")
    raise ParameterError(
        f"bough.read knows no {type(given).__name__}; it reads trees of scikit-learn, LightGBM, XGBoost and PMML."
    )


def with_names_of(X: Any, schema: Schema) -> Schema:
    """The schema with the names of a table, if these are the ones it has but for blanks and other signs."""
    names = names_of(X)
    if names is None or len(names) != len(schema):
        return schema
    if schema.named and any(
        re.sub(r"\W", "_", a) != re.sub(r"\W", "_", b) for a, b in zip(names, schema.names, strict=True)
    ):
        return schema
    columns = tuple(replace(c, name=name) for c, name in zip(schema.columns, names, strict=True))
    return Schema(columns, True)


# ---- both are asked ------------------------------------------------------------------------------------


def check(model: Model, found: Foreign) -> None:
    """Refuses a model that predicts otherwise than what it was read from."""
    assert found.predict is not None
    cells = rows_around(model, found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the cells have no names
        expected = np.asarray(found.predict(cells))
    outputs = model.outputs(columns_of(cells, model))
    predicted = outputs.predictions() if found.classes is None else outputs.shares()
    near = NEAR32 if expected.dtype == np.float32 or "XGBoost" in found.name else NEAR
    scale = max(float(np.abs(expected).max(initial=0.0)), 1e-300)
    apart = np.abs(predicted - expected).reshape(len(cells), -1).max(axis=1) > near * scale
    if apart.any():
        row = int(np.flatnonzero(apart)[0])
        raise DataError(
            f"the model predicts {predicted[row].tolist()} where {found.name} predicts {expected[row].tolist()}, "
            f"on row {cells[row].tolist()}; {int(apart.sum()):,} of {len(cells):,} rows differ. "
            "This is a fault of bough.read: please report it."
        )


def rows_around(model: Model, found: Foreign) -> Floats:
    """Random rows whose cells are at, just beside and between the cuts; a nominal cell is the place of its category."""
    rng = np.random.default_rng(0)
    cuts: dict[int, list[float]] = {}
    for nodes in found.trees:
        for node in nodes:
            if node.left >= 0 and node.codes_left is None:
                near = [x for x in (node.cut, *(node.between or ())) if math.isfinite(x)]
                cuts.setdefault(node.column, [0.0]).extend(near)
    cells = rng.normal(size=(ROWS, len(model.schema)))
    for c, own in cuts.items():
        at = rng.choice(np.array(own), ROWS)
        kind = rng.integers(0, 6, ROWS)
        spread = float(np.ptp(own)) or max(abs(own[0]), 1.0)
        with np.errstate(over="ignore"):
            beside = np.select(
                [kind == 1, kind == 2, kind == 3, kind == 4],
                [
                    np.nextafter(at, -np.inf),
                    np.nextafter(at, np.inf),
                    at - spread * rng.random(ROWS),
                    at + rng.random(ROWS),
                ],
                at,
            )
        most = float(np.finfo(np.float32).max) / 2 if np.abs(at).max() < 1e38 else LARGEST
        cells[:, c] = np.clip(beside, -most, most)
    for c, column in enumerate(model.schema.columns):
        if column.nominal:
            cells[:, c] = rng.integers(0, len(column.values) - 1, ROWS)
    if found.takes_missing:
        used = sorted({*cuts, *(c for c, column in enumerate(model.schema.columns) if column.nominal)})
        cells[:, used] = np.where(rng.random((ROWS, len(used))) < 0.05, math.nan, cells[:, used])
    return cells


def columns_of(cells: Floats, model: Model) -> _core.Columns:
    columns = _core.Columns()
    for c, column in enumerate(model.schema.columns):
        own: npt.NDArray[Any] = np.ascontiguousarray(cells[:, c])
        if column.nominal:
            codes = np.where(np.isnan(own), len(column.values) - 1, own).astype(np.int32)
            columns.add_nominal(codes, len(column.values))
        else:
            columns.add_numeric(own)
    return columns
