"""Everything that a user could do with a model that loaded; whatever it raises is a fault of the library."""

from __future__ import annotations

import pickle

import numpy as np

from bough import Model
from bough.model.arrays import TreeArrays

FEW = 200  # columns; a file may claim a million, and a row of so many takes a second


def rows_for(model: Model) -> np.ndarray:
    """Rows that take different ways: small and large numbers, known, missing and unknown values."""
    table = np.empty((4, len(model.schema)), dtype=object)
    for i, c in enumerate(model.schema.columns):
        cells: list[object] = [0.5, -1e300, None, 1e300]
        if c.nominal or c.ordinal:
            text = isinstance(c.values[0], str)
            same = [v for v in c.values if v is None or isinstance(v, str) == text]  # a column is text or numbers
            cells = [same[0], same[-1], None, same[-1] if c.ordinal else "unknown" if text else 12345.5]
        table[:, i] = cells
    return table


def use(model: Model) -> None:
    if len(model.schema) > FEW:
        assert Model.from_bytes(model.to_bytes()) == model
        return
    table = rows_for(model)
    model.predict(table)
    model.apply(table)
    if not model.regression:
        model.predict_proba(table)
    model.show()
    model.show(max_depth=1, digits=3, max_values=2)
    for rule in model.rules():
        str(rule)
    for row in table[::2]:
        model.why(list(row))
    if model.missing == "surrogate":
        model.show(surrogates=True)
    if model.log_p_values is not None:
        model.show(p_values=True)
        model.p_values(0)
    for node in model.nodes():
        _ = (
            node.condition,
            node.path,
            node.gain,
            node.tests,
            node.weight,
            node.surrogates,
            node.missing_shares,
            node.impurity,
            node.prediction,
        )
        numeric = node.nodes.classes is None
        _ = (node.mean, node.impurity, getattr(node, "spread", None), node.model) if numeric else node.shares
    tree = TreeArrays(model.nodes())
    _ = tree.impurity, tree.value, tree.threshold, tree.feature, tree.children_left, tree.compute_feature_importances()
    repr(model)
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()  # it goes through from_bytes
