"""Other tree libraries, each told to grow one full tree with one thread, and why it is told so.

Only the peer's own interpreter runs these functions, so each imports its library itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Peer:
    """How a library gets its data, fits, and is judged."""

    title: str
    package: str  # a line of requirements.txt
    setup: str  # one sentence for the result file
    prepare: Callable[[Array, Array], Any]  # (X, y) -> data in the form that the library likes best; not timed
    fit: Callable[[Any], Any]  # data -> model; timed
    judge: Callable[[Any, Any], tuple[int | None, float]]  # (data, model) -> number of nodes, training accuracy


# ---- LightGBM: histograms and boosting; one round of it is one regression tree -----------------------


def lightgbm_params(rows: int, classes: int, bins: int) -> dict[str, Any]:
    return {
        # The tree of the class number is the only one tree for many classes: "multiclass" grows one for
        # each class and takes longer. For two classes the first round of "binary" is the gini tree.
        "objective": "binary" if classes == 2 else "regression",
        "learning_rate": 1.0,
        "num_leaves": max(2, min(rows, 131_072)),  # 131,072 is the most that it allows
        "max_depth": -1,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "min_gain_to_split": 1e-6,  # at 0 it splits pure nodes: rounding gives them a gain
        "max_bin": bins,
        "min_data_in_bin": 1,
        "bin_construct_sample_cnt": rows,
        "feature_pre_filter": False,
        # MB. All of it is made and touched at the start of every fit, for num_leaves histograms if nothing limits
        # it: 26 GB for 50 columns. 1 was the fastest or within 4 % of it; 64 took 2 to 13 times as long on 569 rows.
        "histogram_pool_size": 1,
        "force_row_wise": True,  # the faster of its two ways here; leaving it open costs a trial of both
        "num_threads": 1,
        "verbosity": -1,
    }


def lightgbm_prepare(bins: int) -> Callable[[Array, Array], Any]:
    def prepare(X: Array, y: Array) -> Any:
        import lightgbm

        params = lightgbm_params(len(X), int(y.max()) + 1, bins)
        dataset = lightgbm.Dataset(X, y, params=params, free_raw_data=False).construct()
        return params, dataset

    return prepare


def lightgbm_fit(data: Any) -> Any:
    import lightgbm

    params, dataset = data
    return lightgbm.train(params, dataset, num_boost_round=1)


def lightgbm_judge(data: Any, model: Any) -> tuple[int | None, float]:
    _, dataset = data
    leaves = [int(n) for n in re.findall(r"^num_leaves=(\d+)", model.model_to_string(), re.MULTILINE)]
    found = np.rint(model.predict(dataset.get_data()))
    return sum(2 * n - 1 for n in leaves), float((found == dataset.get_label()).mean())


# ---- YDF ---------------------------------------------------------------------------------------------


def ydf_prepare(X: Array, y: Array) -> Any:
    import ydf

    columns = {f"x{i}": np.ascontiguousarray(X[:, i], dtype=np.float32) for i in range(X.shape[1])}
    label = ydf.Column("y", ydf.Semantic.CATEGORICAL, min_vocab_frequency=1)
    return ydf.create_vertical_dataset({**columns, "y": y}, columns=[label], include_all_columns=True), y


def ydf_fit(data: Any) -> Any:
    import ydf

    learner = ydf.CartLearner(
        label="y",
        max_depth=-1,
        min_examples=1,
        validation_ratio=0.0,  # nothing is held back, and so nothing is pruned
        num_threads=1,
    )
    return learner.train(data[0], verbose=0)


def ydf_judge(data: Any, model: Any) -> tuple[int | None, float]:
    dataset, y = data
    return model.num_nodes(), float((model.predict_class(dataset).astype(np.int64) == y).mean())


# ---- SnapML ------------------------------------------------------------------------------------------


def snapml_prepare(X: Array, y: Array) -> Any:
    return np.ascontiguousarray(X, dtype=np.float32), y


def snapml_fit(data: Any) -> Any:
    import snapml

    return snapml.DecisionTreeClassifier(use_histograms=False, n_jobs=1, random_state=0).fit(*data)


def snapml_judge(data: Any, model: Any) -> tuple[int | None, float]:
    """It has no function for the number of nodes; its serialised tree starts with it and that of leaves."""
    written, _ = model.model_ptr_.get_model()
    nodes, leaves = written[8:16].view(np.uint32).tolist()
    return (nodes if nodes == 2 * leaves - 1 else None), float(model.score(*data))


# ---- mlpack ------------------------------------------------------------------------------------------


def mlpack_prepare(X: Array, y: Array) -> Any:
    return np.ascontiguousarray(X), y


def mlpack_fit(data: Any) -> Any:
    from mlpack.decision_tree import DecisionTree

    X, y = data
    # A minimum gain of 0 is refused.
    return DecisionTree(minimum_leaf_size=1, maximum_depth=0, minimum_gain_split=1e-12).fit(training=X, labels=y)


def mlpack_judge(data: Any, model: Any) -> tuple[int | None, float]:
    X, y = data
    written = model._DecisionTreeModel._get_cpp_params()
    return written.count(b'"splitDimension"'), float((model.predict(X) == y).mean())


PEERS = {
    "snapml": Peer(
        "SnapML",
        "snapml",
        "DecisionTreeClassifier, exact splits, float32",
        snapml_prepare,
        snapml_fit,
        snapml_judge,
    ),
    "ydf": Peer(
        "YDF",
        "ydf",
        "CART learner, no limits, no validation and so no pruning, float32, information gain",
        ydf_prepare,
        ydf_fit,
        ydf_judge,
    ),
    "lightgbm": Peer(
        "LightGBM",
        "lightgbm",
        "one boosting round without limits, up to 65,535 bins a column; binning not timed",
        lightgbm_prepare(65_535),
        lightgbm_fit,
        lightgbm_judge,
    ),
    "lightgbm_255": Peer(
        "LightGBM 255 bins",
        "lightgbm",
        "the same with its usual 255 bins a column: not exact; binning not timed",
        lightgbm_prepare(255),
        lightgbm_fit,
        lightgbm_judge,
    ),
    "mlpack": Peer(
        "mlpack",
        "mlpack",
        "DecisionTree, leaves of one row, no depth limit, minimum gain 1e-12; it never tries the last cut of a column",
        mlpack_prepare,
        mlpack_fit,
        mlpack_judge,
    ),
}
