"""How boosted trees are added up: where their sum starts, the step, and what the sum means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelFileError, shown
from ..registry import LARGEST, plugins

Floats = npt.NDArray[np.float64]
MOST_SCORES = 400_000  # of a file
MOST_POWER = 700.0  # e to it is still a number
LINKS = {"log_loss": "softmax", "poisson": "exp"}


@dataclass(frozen=True)
class Boosting:
    """What a model of boosted trees is besides its trees.

    Attributes
    ----------
    loss : str
        What was made small.
    learning_rate : float
        By which the step of every tree is shortened.
    start : tuple of float
        What is predicted before the first tree, on the raw scale: one number, or one for each of more than two classes.
    train_scores, validation_scores : tuple of float
        The scores before the first round and after each round; the larger, the better.
    """

    loss: str
    learning_rate: float
    start: tuple[float, ...]
    train_scores: tuple[float, ...] = ()
    validation_scores: tuple[float, ...] = ()

    @property
    def n_outputs(self) -> int:
        """Trees of a round."""
        return len(self.start)

    @property
    def link(self) -> str:
        """What makes a prediction of a raw sum: "identity", "exp", "logistic" or "softmax"."""
        if self.loss == "log_loss" and self.n_outputs == 1:
            return "logistic"
        return LINKS.get(self.loss, "identity")

    def linked(self, raw: Floats) -> Floats:
        """Predictions of raw sums, rows × outputs: numbers, or class shares."""
        with np.errstate(over="ignore", under="ignore"):
            if self.link == "softmax":
                shares: Floats = np.exp(raw - raw.max(axis=1, keepdims=True))
                shares /= shares.sum(axis=1, keepdims=True)
                return shares
            raw = raw[:, 0]
            if self.link == "logistic":
                e = np.exp(-np.abs(raw))
                second = np.where(raw >= 0, 1 / (1 + e), e / (1 + e))
                first = np.where(raw >= 0, e / (1 + e), 1 / (1 + e))
                return np.column_stack([first, second])
            numbers: Floats = np.exp(np.minimum(raw, MOST_POWER)) if self.link == "exp" else raw
            return numbers

    def described(self) -> dict[str, Any]:
        """As a file keeps it."""
        found: dict[str, Any] = {"loss": self.loss, "learning_rate": self.learning_rate, "start": list(self.start)}
        for name in ("train_scores", "validation_scores"):
            if getattr(self, name):
                found[name] = list(getattr(self, name))
        return found


def n_outputs_of(n_classes: int) -> int:
    """How many numbers the trees of a round add to."""
    return n_classes if n_classes > 2 else 1


def boosting_of(meta: dict[str, Any], n_classes: int) -> Boosting | None:
    """What a file says of it; None: its trees are no boosted ones."""
    given = meta.get("boosting")
    if given is None:
        return None
    names = {"loss", "learning_rate", "start", "train_scores", "validation_scores"}
    if not isinstance(given, dict) or not {"loss", "learning_rate", "start"} <= set(given) <= names:
        raise ModelFileError("boosting is not described")
    loss = given["loss"]
    known = plugins()["loss"]
    if not isinstance(loss, str) or loss not in known or known[loss].traits["classes"] != (n_classes > 0):
        raise ModelFileError(f"the loss {shown(loss)} is not known here, or does not fit the task")
    if not is_real(given["learning_rate"]) or given["learning_rate"] <= 0:
        raise ModelFileError("the learning rate is not a positive number")
    lists = [given["start"], given.get("train_scores", []), given.get("validation_scores", [])]
    for numbers in lists:
        if not isinstance(numbers, list) or len(numbers) > MOST_SCORES or not all(map(is_real, numbers)):
            raise ModelFileError("a list of boosting is not one of numbers")
    if len(lists[0]) != n_outputs_of(n_classes):
        raise ModelFileError("boosting does not start from one number for each output")
    start, train, held = (tuple(map(float, numbers)) for numbers in lists)
    return Boosting(loss, float(given["learning_rate"]), start, train, held)


def is_real(value: Any) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST
