"""bough: decision trees in which published ways to split a node can be used, combined, compared and
trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .errors import BoughError, DataError, ModelFileError, ParameterError

if TYPE_CHECKING:
    from .compare.choose import choose
    from .compare.result import Comparison
    from .compare.run import compare
    from .estimators.boosting_classifier import BoostedClassifier
    from .estimators.boosting_regressor import BoostedRegressor
    from .estimators.classifier import TreeClassifier
    from .estimators.forest_classifier import ForestClassifier
    from .estimators.forest_regressor import ForestRegressor
    from .estimators.functions import directions, edge_weights, partitioner
    from .estimators.partitions import Partition, partition
    from .estimators.pictures import plot_dependence, plot_pruning, plot_regions
    from .estimators.regressor import TreeRegressor
    from .estimators.scored import criterion
    from .estimators.systems import system
    from .loading import load
    from .model.model import Model
    from .readers.read import read
    from .tables.join import JoinColumns


__all__ = [
    "BoostedClassifier",
    "BoostedRegressor",
    "BoughError",
    "Comparison",
    "DataError",
    "ForestClassifier",
    "ForestRegressor",
    "JoinColumns",
    "Model",
    "ModelFileError",
    "ParameterError",
    "Partition",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "choose",
    "compare",
    "criterion",
    "directions",
    "edge_weights",
    "load",
    "partition",
    "partitioner",
    "plot_dependence",
    "plot_pruning",
    "plot_regions",
    "read",
    "system",
]

# Estimators bring scikit-learn along; a saved model does without, so everything is imported when asked for. The command
# line can then react to Ctrl-C before anything large is imported.
_LATER = {
    "BoostedClassifier": "estimators.boosting_classifier",
    "BoostedRegressor": "estimators.boosting_regressor",
    "Comparison": "compare.result",
    "ForestClassifier": "estimators.forest_classifier",
    "ForestRegressor": "estimators.forest_regressor",
    "JoinColumns": "tables.join",
    "Model": "model.model",
    "Partition": "estimators.partitions",
    "TreeClassifier": "estimators.classifier",
    "TreeRegressor": "estimators.regressor",
    "choose": "compare.choose",
    "criterion": "estimators.scored",
    "directions": "estimators.functions",
    "edge_weights": "estimators.functions",
    "load": "loading",
    "partition": "estimators.partitions",
    "partitioner": "estimators.functions",
    "plot_dependence": "estimators.pictures",
    "plot_pruning": "estimators.pictures",
    "plot_regions": "estimators.pictures",
    "read": "readers.read",
    "system": "estimators.systems",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "compare":
        return import_module(".compare", __name__)  # the folder itself: it can be called
    if name in _LATER:
        return globals().setdefault(name, getattr(import_module(f".{_LATER[name]}", __name__), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
