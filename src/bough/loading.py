"""`load`: a model file as a model, or as the fitted estimator that it came from."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Literal, overload

from .model import model as models
from .model import rules
from .model.model import Model

if TYPE_CHECKING:
    from .estimators._base import Conduct


@overload
def load(path: str | os.PathLike[str], as_estimator: Literal[False] = False) -> Model: ...
@overload
def load(path: str | os.PathLike[str], as_estimator: Literal[True]) -> Conduct: ...
def load(path: str | os.PathLike[str], as_estimator: bool = False) -> Any:
    """Reads a model file.

    Parameters
    ----------
    path : path-like
        A file that ``save`` of an estimator or a `Model` wrote.
    as_estimator : bool
        Gives the fitted estimator, a tree, a forest or boosted trees, with the parameters that the file keeps, for
        pipelines and whatever else wants scikit-learn's conduct. What only the training rows could tell (out-of-bag
        scores, quantiles) is not there.

    Returns
    -------
    Model, or an estimator

    Raises
    ------
    ModelFileError
        If the file is not a model file, or a damaged one.

    Examples
    --------
    >>> import bough, tempfile, os
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.bough")
    >>> bough.TreeClassifier(max_depth=2).fit(X, y).save(path)
    >>> bough.load(path).predict(X[:3])
    array([0, 0, 0])
    >>> bough.load(path, as_estimator=True)
    TreeClassifier(max_depth=2)
    """
    model = models.load(path)
    return estimator_of(model) if as_estimator else model


def estimator_of(model: Model) -> Any:
    """A fitted estimator around a model."""
    import numpy as np

    from . import estimators
    from .estimators import (
        boosting_classifier,
        boosting_regressor,
        classifier,
        forest_classifier,
        forest_regressor,
        regressor,
    )

    del estimators
    kinds: dict[tuple[bool, bool], Any] = {
        (False, False): classifier.TreeClassifier,
        (False, True): forest_classifier.ForestClassifier,
        (True, False): regressor.TreeRegressor,
        (True, True): forest_regressor.ForestRegressor,
    }
    several = len(model.trees) > 1
    origin = model.origin
    if origin is not None and origin.estimator.startswith("Forest"):
        several = True  # perhaps of one tree
    estimator = kinds[model.regression, several]()
    if model.boosting is not None:
        estimator = (
            boosting_regressor.BoostedRegressor if model.regression else boosting_classifier.BoostedClassifier
        )()
    known = estimator.get_params()
    lost = []
    for name, value in (origin.parameters if origin else {}).items():
        if name not in known:
            continue
        before = known[name]
        if name in rules.NAMES:
            value = rules.read(value)
            if value == rules.LONG:
                lost.append(name)
                continue
        estimator.set_params(**{name: value})
        if name not in rules.NAMES and isinstance(value, dict) and any(not key.isidentifier() for key in value):
            estimator.set_params(**{name: before})
            lost.append(name)
    if lost:
        warnings.warn(
            f"the file describes {', '.join(lost)} in words only: set {'it' if len(lost) == 1 else 'them'} before the "
            "estimator is fitted again. Predictions are those of the file.",
            UserWarning,
            stacklevel=3,
        )
    held: dict[str, Any] = {"model_": model, "n_features_in_": len(model.schema), "_engine": None}
    if model.schema.named:
        held["feature_names_in_"] = np.array(model.schema.names, dtype=object)
    if model.classes is not None:
        held |= {"classes_": model.classes, "n_classes_": len(model.classes)}
    if model.boosting is not None:
        train, held_out = (np.array(s) for s in (model.boosting.train_scores, model.boosting.validation_scores))
        held |= {"n_iter_": len(model.trees) // model.boosting.n_outputs, "do_early_stopping_": len(held_out) > 0}
        held |= {"train_score_": train, "validation_score_": held_out}
    elif several:
        held |= {"n_outputs_": 1, "_seeds": list(range(len(model.trees)))}
    if model.regression:
        held["_neighbours"] = None
    estimator.__dict__.update(held)
    return estimator
