"""Growth laws: ``make growth`` (``python -m fuzz.growth``) fits time against rows, columns, classes, categories, depth
and trees, for every system, and fails where an exponent exceeds its documented one.

Each table is doubled until a fit takes as long as ``--seconds`` allows; the exponent is that of the last two doublings,
by processor time, the least of some fits. One that is too large is measured again, so that a busy machine is not taken
for a law. `LAWS` has what is documented; ``--record`` keeps what was measured for docs/promises.md.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import bough
from bough.estimators.systems import SYSTEMS

from .campaign import close, options, spread

SECONDS = 600.0  # of a process
LEAST = 0.004  # seconds of a fit whose time means anything
TIMES = 3  # fits of a table, of which the quickest counts
AGAIN = 3  # measurements of an exponent that is too large
MOST_DOUBLINGS = 9

# The documented exponents: of most systems (`*`), and of those that do more at a node.
#
# Splits of the classes into two, all of them, of at most 20 classes: 2^classes, a factor of 2^8 from 8 classes to 16.
SUPERCLASSES = ("twoing", "hcc", "twoing-ctree", "hcc-ctree")
COMPONENTS_OF_CLASSES = ("pc-ext", "pc-ext-ctree")  # a matrix of classes × classes
A_DIRECTION_OF_EACH_CLASS = ("hhcart-a", "hhcart-d")  # whose gain is one of all classes
# Eigenproblems of columns × columns; `hhcart-a` judges as many directions for each of them.
EIGENPROBLEMS = ("gini-pre-pca", "max-cut-pre-pca", "gini-node-pca", "max-cut-node-pca", "hhcart-a", "hhcart-d", "fact")
PLANES = ("cart-elc", "boosted-elc")  # through two rows, over all pairs of columns
CLIMBS = ("oc1", "cart-lc")  # as many steps as they take
REFINED = ("tao", "sparse-oblique")  # every node of a level again in every pass
# Trees of three levels over all columns, from depth 4 on also below the root; `optimal` proves them in at most 10 s.
LOOKING_AHEAD = ("lookahead", "optimal")
LAWS: dict[str, dict[str, float]] = {
    "rows": {"*": 1.4, **dict.fromkeys((*PLANES, "optimal"), 2.2), **dict.fromkeys(CLIMBS, 1.8)},
    "columns": {
        "*": 1.3,
        **dict.fromkeys(EIGENPROBLEMS, 3.0),
        **dict.fromkeys((*PLANES, *CLIMBS), 2.2),
        **dict.fromkeys(LOOKING_AHEAD, 3.2),
        "pilot": 1.8,  # from 512 columns on their numbers leave the cache
    },
    "classes": {
        "*": 1.3,
        "boosted-elc": 2.2,  # one tree for two classes, then one for each: seen up to eight classes only
        **dict.fromkeys(SUPERCLASSES, 8.0),
        **dict.fromkeys((*COMPONENTS_OF_CLASSES, *A_DIRECTION_OF_EACH_CLASS), 2.2),
    },
    "categories": {"*": 1.3, **dict.fromkeys(LOOKING_AHEAD, 1.6)},  # a step at 2,048 of them, linear before and after
    "depth": {"*": 1.2, **dict.fromkeys(REFINED, 1.8), **dict.fromkeys(LOOKING_AHEAD, 8.0)},
    "trees": {"*": 1.2},
}
FIRST = {"rows": 250, "columns": 4, "classes": 2, "categories": 8, "depth": 2, "trees": 2}
ALIASES = ("j48", "max-cut")  # other names of c4.5 and max-cut-node-means-pca


class Law(NamedTuple):
    """How the time of a system grows with one measure of its table."""

    system: str
    axis: str
    exponent: float
    sizes: list[int]
    seconds: list[float]

    @property
    def most(self) -> float:
        return documented(self.system, self.axis)

    @property
    def broken(self) -> bool:
        return self.exponent > self.most


def documented(system: str, axis: str) -> float:
    return LAWS[axis].get(system, LAWS[axis]["*"])


def nominal(system: str) -> bool:
    """Whether a system is about nominal columns."""
    return SYSTEMS[system].params.get("nominal") not in (None, "auto")


def axes_of(system: str) -> list[str]:
    found = ["rows", "columns", *(["classes"] if SYSTEMS[system].classes else []), "depth"]
    found += ["categories"] if SYSTEMS[system].params.get("split", "axis") == "axis" else []
    return found + (["trees"] if SYSTEMS[system].forest or SYSTEMS[system].boosted else [])


def fit_of(system: str, axis: str, size: int, seed: int) -> Callable[[], Any]:
    """A fit of a table in which one measure has a size and the others are fixed."""
    rng = np.random.default_rng(seed)
    at = {"rows": 1000, "columns": 6, "classes": 3, "categories": 6, "depth": 5, "trees": 5} | {axis: size}
    if axis in ("classes", "categories"):
        at |= {"rows": 4000, "columns": 2}
    X: Any = rng.normal(size=(at["rows"], at["columns"]))
    if nominal(system) or axis == "categories":
        import pandas as pd

        codes = np.floor(at["categories"] * rng.random(X.shape)).astype(int)
        X = pd.DataFrame(codes, columns=[f"c{j}" for j in range(at["columns"])]).astype(str)
        signal = np.sin(codes[:, :2]).sum(axis=1)
    else:
        signal = X[:, :3].sum(axis=1)
    order = np.argsort(np.argsort(signal + rng.normal(size=len(signal))))
    y = order * at["classes"] // at["rows"]
    depth = {"rows": {}, "depth": {"max_depth": size}, "categories": {"max_depth": 1}}.get(axis, {"max_depth": 4})
    trees: dict[str, Any] = {"n_estimators": at["trees"]} if SYSTEMS[system].forest else {}
    if SYSTEMS[system].boosted:
        trees = {"max_iter": at["trees"], "early_stopping": False, "max_leaf_nodes": None}
    estimator = bough.system(system, random_state=0, **depth, **trees)
    return lambda: estimator.fit(X, y)


def seconds_of(fit: Callable[[], Any]) -> float:
    best = math.inf
    for _ in range(TIMES):
        begin = time.process_time()
        fit()
        best = min(best, time.process_time() - begin)
        if best > 0.3:
            break
    return best


def measured(system: str, axis: str, seconds: float, seed: int) -> Law:
    """The exponent of the last two doublings that fit into the time."""
    sizes: list[int] = []
    taken: list[float] = []
    for i in range(MOST_DOUBLINGS):
        size = FIRST[axis] << i
        if axis == "depth" and size > 16:
            break
        try:
            taken.append(seconds_of(fit_of(system, axis, size, seed)))
        except bough.BoughError:  # a search that tries all partitions says of how many values or classes at most
            if len(taken) < 3:
                raise
            break
        sizes.append(size)
        if taken[-1] * 4 > seconds and len(taken) > 2:
            break
    k = 2 if len(taken) > 2 else 1
    exponent = math.log2(taken[-1] / max(taken[-1 - k], 1e-9)) / k if taken[-1] > LEAST else 0.0
    return Law(system, axis, exponent, sizes, taken)


def law_of(task: tuple[str, str, float, int]) -> Law:
    warnings.simplefilter("ignore")
    system, axis, seconds, seed = task
    law = measured(system, axis, seconds, seed)
    for again in range(AGAIN):
        if not law.broken:
            break
        law = min(law, measured(system, axis, seconds * 2, seed + again), key=lambda found: found.exponent)
    return law


def tasks(names: list[str], axes: list[str], seconds: float, seed: int) -> Iterator[tuple[str, str, float, int]]:
    for name in names:
        yield from ((name, axis, seconds, seed) for axis in axes_of(name) if axis in axes)


def main() -> int:
    parser = options("growth", __doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of processor time, for the longest fit (1)")
    parser.add_argument("--systems", nargs="*", default=[n for n in SYSTEMS if n not in ALIASES], metavar="NAME")
    parser.add_argument("--axes", nargs="*", default=[*LAWS], choices=[*LAWS], metavar="AXIS")
    given = parser.parse_args()
    began, laws, faults = time.monotonic(), [], 0
    for done in spread(tasks(given.systems, given.axes, given.seconds, given.seed), law_of, given.jobs, SECONDS):
        law = done.result
        if law is None:
            faults += 1
            print(f"{done.task[0]} {done.task[1]}: {done.fault}", flush=True)
            continue
        laws.append(law)
        faults += law.broken
        times = ", ".join(f"{n}: {1000 * s:.3g} ms" for n, s in zip(law.sizes, law.seconds, strict=True))
        told = f"{law.system} by {law.axis}: {law.exponent:.2f}, at most {law.most} ({times})"
        print(told + (" TOO MUCH" if law.broken else ""), flush=True)
    told = f"{len(laws)} laws of {len(given.systems)} systems: {faults} exponents beyond what is documented"
    rows = sorted([law.system, law.axis, round(law.exponent, 2), law.sizes[-1], law.most] for law in laws)
    return close("fuzz.growth", given, "time against the size of tables", told, faults, began, more={"laws": rows})


if __name__ == "__main__":
    raise SystemExit(main())
