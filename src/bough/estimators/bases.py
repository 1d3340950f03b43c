"""The classes of scikit-learn that estimators are made of.

scikit-learn has no types, and type checkers let any argument pass where a class has a base of which they know nothing.
So they read the declarations below; what runs is scikit-learn's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["BaseEstimator", "CallbackSupportMixin", "ClassifierMixin", "RegressorMixin"]

if TYPE_CHECKING:
    from typing_extensions import Self

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]: ...
        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def __getattr__(self, name: str) -> Any: ...

    class CallbackSupportMixin:
        pass

    class ClassifierMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class RegressorMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:  # scikit-learn before 1.9

        class CallbackSupportMixin:
            """Stands in where scikit-learn has no callbacks."""
