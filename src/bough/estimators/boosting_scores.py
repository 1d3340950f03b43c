"""Scorers of scikit-learn, asked after every round what they think of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ..model.boosting import Boosting
from .apart import must
from .data import Data, Floats

MOST_JUDGING = 10_000  # training rows that a scorer sees, as in scikit-learn
Judge = Callable[[Floats], tuple[float, float]]


class Said(BaseEstimator):
    """Stands for the estimator so far: a table of row numbers gets the predictions for these rows."""

    def __init__(self, raw: Floats | None = None, boosting: Boosting | None = None) -> None:
        self.raw, self.boosting = raw, boosting

    def fit(self, X: Any, y: Any) -> Said:  # a scorer asks for it, and never calls it
        return self

    def _at(self, X: Any) -> Floats:
        assert self.raw is not None
        assert self.boosting is not None
        return self.boosting.linked(self.raw[np.asarray(X)[:, 0]])

    def __sklearn_is_fitted__(self) -> bool:
        return True


class SaidOfNumbers(RegressorMixin, Said):
    def predict(self, X: Any) -> Floats:
        return self._at(X)


class SaidOfClasses(ClassifierMixin, Said):
    classes_: npt.NDArray[Any]

    def predict_proba(self, X: Any) -> Floats:
        return self._at(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        return self.classes_[self._at(X).argmax(axis=1)]

    def decision_function(self, X: Any) -> Floats:
        assert self.raw is not None
        found = self.raw[np.asarray(X)[:, 0]]
        return found[:, 0] if found.shape[1] == 1 else found


def check_scoring_name(scoring: Any) -> None:
    """Refuse what is no scorer, also where no round is judged."""
    if scoring is None or callable(scoring) or (isinstance(scoring, str) and scoring == "loss"):
        return
    what = "'loss', None, a function, or the name of one of scikit-learn's scorers"
    if not isinstance(scoring, str):
        raise must("scoring", scoring, what)
    from sklearn.metrics import get_scorer_names

    if scoring not in get_scorer_names():
        raise must("scoring", scoring, f"{what} (sklearn.metrics.get_scorer_names())")


def judge_of(
    estimator: Any,
    params: Mapping[str, Any],
    data: Data,
    train: npt.NDArray[np.uint32] | None,
    held: npt.NDArray[np.uint32],
    seed: int,
) -> Judge | None:
    """What judges rounds; None: the loss does."""
    scoring = params["scoring"]
    if isinstance(scoring, str) and scoring == "loss":
        return None
    from sklearn.metrics import check_scoring

    target = data.target
    said: Any = SaidOfNumbers() if target.classes is None else SaidOfClasses()
    if target.classes is not None:
        said.classes_ = target.classes
    score = check_scoring(said, scoring=scoring)
    truth = target.numbers if target.classes is None else target.classes[target.codes]
    assert truth is not None
    assert train is not None
    few = train
    if len(few) > MOST_JUDGING:
        few = np.sort(np.random.default_rng(seed).choice(train, MOST_JUDGING, replace=False))
    k = 1 if target.n_classes <= 2 else target.n_classes
    boosting = Boosting(estimator._loss(params)[0], 1.0, (0.0,) * k)

    def of(rows: npt.NDArray[np.uint32]) -> float:
        more = {} if data.weights is None else {"sample_weight": data.weights[rows]}
        return float(score(said, rows[:, np.newaxis].astype(np.int64), truth[rows], **more))

    def judge(raw: Floats) -> tuple[float, float]:
        said.raw, said.boosting = raw.reshape(-1, k), boosting
        return of(few), of(held) if len(held) else 0.0

    return judge
