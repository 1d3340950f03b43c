"""bough: decision trees in which every published way to split a node can be used, combined, compared
and trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import BoughError, DataError, ModelFileError, ParameterError
from .model import Model, load

if TYPE_CHECKING:
    from .classifier import TreeClassifier
    from .functions import directions, partitioner
    from .join import JoinColumns
    from .partitions import Partition, partition
    from .regressor import TreeRegressor
    from .systems import system

__version__ = "0.1.0"

__all__ = [
    "BoughError",
    "DataError",
    "JoinColumns",
    "Model",
    "ModelFileError",
    "ParameterError",
    "Partition",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "directions",
    "load",
    "partition",
    "partitioner",
    "system",
]

# Estimators bring scikit-learn along; a saved model does without, so they are imported when asked for.
_LATER = {
    "JoinColumns": "join",
    "Partition": "partitions",
    "TreeClassifier": "classifier",
    "TreeRegressor": "regressor",
    "directions": "functions",
    "partition": "partitions",
    "partitioner": "functions",
    "system": "systems",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
