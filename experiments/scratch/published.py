"""Tables 1–8 of the report: mean difference, its own tree − scikit-learn's, and p of a paired t-test."""

from __future__ import annotations

# (criterion, kind of split) in the report's order: sub-figures a, b, c, d.
CASES = (("gini", "best"), ("gini", "random"), ("entropy", "best"), ("entropy", "random"))
LEAST, MOST = 2, 170  # the range of the minimum number of rows to split
FOLDS = 10

# measure: number of its table and figure, title, unit, and (difference, p) for each case; p is 0 where the printed
# one is smaller than any double.
TABLES = {
    "accuracy": (1, 2, "Accuracy", "", ((4e-4, 0.0937), (-0.0076, 5.6795e-15), (2e-4, 0.258), (-0.0087, 5.7609e-17))),
    "f1": (2, 3, "F1-score", "", ((4e-4, 0.1011), (-0.0074, 2.5283e-14), (3e-4, 0.1128), (-0.0084, 3.1351e-16))),
    "precision": (3, 4, "Precision", "",
        ((0.0015, 1.362e-08), (-0.0205, 2.3509e-23), (-0.0025, 2.0665e-08), (-0.0215, 2.1003e-22))),
    "recall": (4, 5, "Recall", "", ((-7e-4, 0.3296), (0.0028, 0.1254), (0.0039, 9.1709e-14), (0.0016, 0.4789))),
    "fit": (5, 6, "Fitting time", "s",
        ((0.9054, 2.9226e-98), (0.0374, 2.5052e-84), (0.7269, 2.8423e-86), (0.0369, 1.0336e-80))),
    "predict": (6, 7, "Prediction time", "s",
        ((0.0041, 3.2569e-37), (0.0044, 2.4717e-42), (0.0033, 1.8433e-28), (0.0041, 0.0))),
    "depth": (7, 8, "Tree depth", "levels",
        ((-0.055, 4.6098e-11), (1.2399, 1.0177e-64), (0.006, 0.2224), (1.2405, 0.0))),
    "bytes": (8, 9, "Model size", "bytes",
        ((-1588.761, 2.5335e-83), (-1198.958, 6.3747e-137), (-1384.715, 1.1741e-73), (-1124.116, 3.3e-136))),
}  # fmt: skip
