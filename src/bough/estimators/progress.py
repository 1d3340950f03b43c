"""Progress of a fit, by scikit-learn's callback protocol where it exists (1.9 and later)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Progress", "with_callbacks"]

try:
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn before 1.9

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        return method


STEPS = 100  # subtasks of a fit: per cent of the rows that have reached a leaf


class Progress:
    """Tells an estimator's callbacks how much of a fit is done."""

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.estimator, self.X, self.y = estimator, X, y
        self.step: Any = None
        self.done = 0
        self.context = estimator._init_callback_context(max_subtasks=STEPS)
        self.context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

    def update(self, share: float) -> None:
        """Closes the steps that are done and opens the next one."""
        while self.done < int(share * STEPS):
            self._begin()
            self._end()
        if self.done < STEPS:
            self._begin()

    def finish(self, attributes: dict[str, Any]) -> None:
        self.update(1.0)
        self.context.call_on_fit_task_end(
            estimator=self.estimator, X=self.X, y=self.y, reconstruction_attributes=attributes
        )

    def _begin(self) -> None:
        if self.step is None:
            self.step = self.context.subcontext(task_name="per cent of the rows settled")
            self.step.call_on_fit_task_begin(estimator=self.estimator, X=self.X, y=self.y)

    def _end(self) -> None:
        self.step.call_on_fit_task_end(estimator=self.estimator, X=self.X, y=self.y)
        self.step = None
        self.done += 1
