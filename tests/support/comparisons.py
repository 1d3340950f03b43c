"""Comparisons made from numbers, for tests of what is said about them."""

from __future__ import annotations

import bough


def made(values, leaves=None, data="d", rows=100):
    """A comparison from numbers: by system the accuracy on every fold."""
    records = [{"kind": "comparison", "version": 1, "task": "classification", "measure": "accuracy", "seed": 0}]
    records.append({"kind": "data", "name": data, "rows": rows, "columns": 2, "classes": 2})
    records += [{"kind": "system", "name": s, "estimator": "T", "params": {}} for s in values]
    for s, each in values.items():
        for i, v in enumerate(each):
            record = {"kind": "fold", "data": data, "system": s, "repeat": 0, "fold": i, "train": 80, "test": 20}
            size = 2.0 if leaves is None else leaves[s]
            measures = {"accuracy": v, "leaves": size, "fit_seconds": 0.1}
            records.append({**record, "failure": None, "measures": measures})
    return bough.Comparison(records)
