"""What was published: Tables 2 to 5 of the paper, and the authors' result files behind its appendix."""

from __future__ import annotations

from bough.compare.statistics import Summary

DATA = ("bright", "dim", "cancer", "iris", "housing", "diabetes")
TRIALS = 10

# Table 2: accuracy in percent, mean ± deviation over ten trials.
ACCURACY = """
CART-ELC   98.9 0.2   95.2 0.5   96.3 0.4   95.1 0.8   83.5 0.7   74.5 1.3
HHCART(A)  98.3 0.5   93.7 0.8   96.9 0.3   95.5 1.4   83.9 0.8   73.2 1.2
HHCART(D)  98.1 0.4   93.7 0.9   96.9 0.3   94.3 1.5   82.2 1.4   73.2 1.2
OC1        98.9 0.2   95.0 0.3   96.2 0.3   94.7 3.1   82.4 0.8   74.4 1.0
OC1-AP     98.1 0.2   94.0 0.2   94.5 0.5   92.7 2.4   81.8 1.0   73.8 1.0
CART-LC    98.8 0.2   92.8 0.5   95.3 0.6   93.5 2.9   81.4 1.2   73.7 1.2
CART       98.5 0.5   94.2 0.7   95.0 1.6   93.8 3.7   82.1 3.5   73.9 3.4
C4.5       98.5 0.5   93.3 0.8   95.3 2.0   95.1 3.2   83.2 3.1   71.4 3.3
"""
# Table 2: leaves.
LEAVES = """
CART-ELC   3.7 0.2    9.8 4.2    2.0 0.0    4.8 0.1    4.0 0.0    4.0 0.0
HHCART(A)  6.1 0.3    14.6 4.8   2.0 0.0    3.1 0.1    7.8 0.2    4.0 0.0
HHCART(D)  6.3 0.4    14.9 5.0   2.0 0.0    4.7 0.1    23.3 0.8   4.0 0.0
OC1        4.3 1.0    13.0 8.7   2.8 0.9    3.1 0.2    6.9 3.2    5.4 3.8
OC1-AP     6.9 2.4    29.3 8.8   6.4 1.7    3.2 0.3    8.6 4.5    11.4 7.5
CART-LC    3.9 1.3    24.2 8.7   3.5 0.9    3.2 0.3    5.8 3.2    8.0 5.2
CART       13.9 5.7   30.4 10.0  11.5 7.2   4.3 1.6    15.1 10.0  11.5 9.1
C4.5       14.3 2.2   77.9 7.4   9.8 2.2    4.6 0.8    28.2 3.3   56.3 7.9
"""
# Table 3: p-values of Welch's test against CART-ELC.
P_VALUES = """
HHCART(A)  0.004  0.000  0.001  0.446  0.250  0.032
HHCART(D)  0.000  0.000  0.001  0.159  0.021  0.032
OC1        1.000  0.296  0.536  0.701  0.004  0.849
OC1-AP     0.000  0.000  0.000  0.012  0.000  0.195
CART-LC    0.278  0.000  0.000  0.122  0.000  0.170
CART       0.037  0.002  0.032  0.303  0.244  0.612
C4.5       0.037  0.000  0.153  1.000  0.771  0.017
"""
# Table 4: Cohen's d, positive where CART-ELC is better.
EFFECTS = """
HHCART(A)  1.576  2.249  -1.697  -0.351  -0.532  1.039
HHCART(D)  2.530  2.060  -1.697  0.666   1.175   1.039
OC1        0.000  0.485  0.283   0.177   1.463   0.086
OC1-AP     4.000  3.151  3.976   1.342   1.970   0.604
CART-LC    0.500  4.800  1.961   0.752   2.138   0.639
CART       1.050  1.644  1.115   0.486   0.555   0.233
C4.5       1.050  2.848  0.693   0.000   0.133   1.236
"""
# Table 5 by criterion: accuracy, leaves.
CRITERIA = """
twoing 98.9 0.2 95.2 0.5 96.3 0.4 95.1 0.8 83.5 0.7 74.5 1.3 3.7 0.2 9.8 4.2 2.0 0.0 4.8 0.1 4.0 0.0 4.0 0.0
gini 98.9 0.3 95.1 0.5 96.3 0.4 95.1 0.9 83.5 0.7 74.5 1.3 3.6 0.1 12.4 8.3 2.0 0.0 3.0 0.1 4.0 0.0 4.0 0.0
entropy 98.9 0.2 94.9 0.5 96.0 0.4 95.3 0.8 81.8 1.0 74.0 1.1 3.8 0.2 9.9 4.5 2.0 0.0 4.8 0.1 2.0 0.0 4.0 0.0
"""
# The authors' result files: accuracy (leaves) of depth 1 … 5 for each r, from which the appendix was drawn.
GRIDS = """
cancer gini 1: 91.7 (2.0) 93.9 (4.0) 94.5 (7.8) 94.8 (13.1) 94.8 (18.4)
cancer gini 2: 96.3 (2.0) 95.7 (4.0) 95.9 (6.6) 95.4 (9.2) 95.1 (11.7)
cancer twoing 1: 91.7 (2.0) 93.9 (4.0) 94.5 (7.8) 94.8 (13.1) 94.8 (18.4)
cancer twoing 2: 96.3 (2.0) 95.7 (4.0) 96.0 (6.6) 95.5 (9.2) 95.1 (11.8)
cancer entropy 1: 91.5 (2.0) 92.0 (4.0) 94.7 (7.6) 94.8 (12.2) 94.6 (16.0)
cancer entropy 2: 96.0 (2.0) 95.7 (4.0) 95.5 (6.6) 95.1 (8.8) 94.9 (10.6)
iris gini 1: 61.1 (2.0) 94.2 (3.0) 95.1 (4.8) 94.5 (6.9) 94.1 (7.7)
iris gini 2: 59.5 (2.0) 94.1 (3.1) 94.1 (4.1) 94.2 (4.8) 94.0 (5.1)
iris gini 3: 58.8 (2.0) 94.7 (3.1) 93.9 (3.9) 93.8 (4.1) 93.8 (4.1)
iris gini 4: 57.6 (2.0) 95.1 (3.0) 94.1 (3.7) 94.1 (3.7) 94.1 (3.7)
iris twoing 1: 61.1 (2.0) 94.2 (3.0) 95.1 (4.8) 94.5 (6.9) 94.1 (7.7)
iris twoing 2: 59.5 (2.0) 94.1 (3.1) 94.1 (4.1) 94.2 (4.8) 94.0 (5.1)
iris twoing 3: 58.8 (2.0) 94.7 (3.1) 93.8 (3.9) 93.7 (4.1) 93.7 (4.1)
iris twoing 4: 57.4 (2.0) 94.9 (3.2) 94.0 (3.7) 94.0 (3.7) 94.0 (3.7)
iris entropy 1: 61.1 (2.0) 94.2 (3.0) 95.3 (4.8) 94.1 (6.8) 94.3 (7.5)
iris entropy 2: 60.8 (2.0) 93.7 (3.0) 94.1 (4.0) 94.0 (4.8) 93.8 (4.9)
iris entropy 3: 59.6 (2.0) 94.7 (3.1) 94.1 (3.9) 93.7 (4.1) 93.7 (4.1)
iris entropy 4: 58.5 (2.0) 94.9 (3.1) 94.1 (3.7) 94.1 (3.7) 94.1 (3.7)
housing gini 1: 81.8 (2.0) 83.5 (4.0) 81.0 (8.0) 81.2 (14.6) 81.6 (23.6)
housing gini 2: 82.2 (2.0) 81.3 (4.0) 80.6 (7.9) 81.4 (14.0) 81.2 (19.7)
housing twoing 1: 81.8 (2.0) 83.5 (4.0) 81.0 (8.0) 81.3 (14.6) 81.5 (23.6)
housing twoing 2: 82.2 (2.0) 81.3 (4.0) 80.6 (7.9) 81.2 (14.0) 81.2 (19.7)
housing entropy 1: 81.4 (2.0) 81.6 (4.0) 80.9 (8.0) 80.7 (13.9) 81.7 (21.1)
housing entropy 2: 81.8 (2.0) 81.7 (4.0) 80.0 (7.6) 81.0 (12.0) 81.5 (16.0)
diabetes gini 1: 72.0 (2.0) 74.2 (4.0) 74.0 (8.0) 73.6 (15.1) 74.6 (25.3)
diabetes gini 2: 73.4 (2.0) 74.5 (4.0) 73.1 (7.9) 73.2 (14.7) 71.9 (23.8)
diabetes twoing 1: 72.0 (2.0) 74.2 (4.0) 74.0 (8.0) 73.6 (15.1) 74.6 (25.3)
diabetes twoing 2: 73.4 (2.0) 74.5 (4.0) 73.1 (7.9) 73.2 (14.7) 71.9 (23.8)
diabetes entropy 1: 71.2 (2.0) 74.0 (4.0) 73.8 (8.0) 72.8 (14.8) 73.5 (24.2)
diabetes entropy 2: 71.5 (2.0) 73.6 (4.0) 73.0 (7.9) 73.2 (14.1) 72.1 (21.4)
bright gini 1: 97.4 (2.0) 97.8 (4.0) 98.4 (6.2) 97.6 (10.4) 95.1 (12.3)
bright gini 2: 97.9 (2.0) 98.9 (3.6) 97.7 (5.8) 97.1 (6.3) 96.2 (6.7)
bright twoing 1: 97.5 (2.0) 97.5 (4.0) 97.3 (6.2) 98.7 (11.2) 96.3 (12.3)
bright twoing 2: 97.6 (2.0) 98.9 (3.7) 97.6 (5.0) 97.1 (5.7) 96.3 (6.5)
bright entropy 1: 96.1 (2.0) 96.5 (4.0) 97.3 (6.4) 98.7 (12.2) 98.4 (13.4)
bright entropy 2: 97.4 (2.0) 98.9 (3.8) 97.7 (5.3) 97.2 (6.0) 96.1 (6.9)
dim gini 1: 69.0 (2.0) 78.5 (4.0) 76.4 (8.0) 80.0 (15.8) 84.5 (24.3)
dim gini 2: 81.6 (2.0) 89.6 (4.0) 94.2 (7.2) 94.6 (9.8) 95.1 (12.4)
dim twoing 1: 71.6 (2.0) 78.6 (4.0) 77.1 (8.0) 80.8 (15.7) 83.6 (24.8)
dim twoing 2: 82.4 (2.0) 88.6 (4.0) 93.2 (7.2) 95.2 (9.8) 94.6 (12.3)
dim entropy 1: 65.1 (2.0) 79.6 (4.0) 77.7 (8.0) 79.1 (15.9) 83.1 (25.7)
dim entropy 2: 82.6 (2.0) 90.8 (4.0) 92.6 (7.2) 94.9 (9.9) 92.1 (13.3)
"""
# The pair (r, depth) that each figure of Table 5 belongs to, by the result files.
CHOSEN = {
    "twoing": {
        "bright": (2, 2),
        "dim": (2, 4),
        "cancer": (2, 1),
        "iris": (1, 3),
        "housing": (1, 2),
        "diabetes": (2, 2),
    },
    "gini": {"bright": (2, 2), "dim": (2, 5), "cancer": (2, 1), "iris": (4, 2), "housing": (1, 2), "diabetes": (2, 2)},
    "entropy": {
        "bright": (2, 2),
        "dim": (2, 4),
        "cancer": (2, 1),
        "iris": (1, 3),
        "housing": (2, 1),
        "diabetes": (1, 2),
    },
}
# The depths of HHCART, by its published number of leaves.
HHCART_DEPTH = {
    "HHCART(A)": {"bright": 3, "dim": 4, "cancer": 1, "iris": 2, "housing": 3, "diabetes": 2},
    "HHCART(D)": {"bright": 3, "dim": 4, "cancer": 1, "iris": 3, "housing": 5, "diabetes": 2},
}


def summaries(text: str, skip: int = 0) -> dict[str, dict[str, Summary]]:
    """Per row and data set the (mean, deviation) pairs of a table, ``skip`` data columns left out."""
    out = {}
    for line in text.strip().splitlines():
        name, *numbers = line.split()
        pairs = list(zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True))[skip : skip + len(DATA)]
        out[name] = {data: Summary(m, s, TRIALS) for data, (m, s) in zip(DATA, pairs, strict=True)}
    return out


def numbers(text: str) -> dict[str, dict[str, float]]:
    """Per row and data set the single numbers of a table."""
    rows = (line.split() for line in text.strip().splitlines())
    return {name: dict(zip(DATA, map(float, values), strict=True)) for name, *values in rows}


def grids() -> dict[tuple[str, str, int, int], tuple[float, float]]:
    """Accuracy and leaves by (data set, criterion, r, depth)."""
    out = {}
    for line in GRIDS.strip().splitlines():
        key, _, cells = line.partition(":")
        data, criterion, r = key.split()
        parts = cells.replace("(", "").replace(")", "").split()
        for depth in range(1, 6):
            pair = parts[2 * depth - 2 : 2 * depth]
            out[data, criterion, int(r), depth] = (float(pair[0]), float(pair[1]))
    return out
