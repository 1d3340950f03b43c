"""`Comparison`: what was found, every fold of it, and what can be said about it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError, shown
from ..registry import did_you_mean
from . import bayes as bayesian
from . import statistics
from .extra import needs
from .measures import Measure, find_measure
from .ranks import Ranks, ranks_of, wins_ties_losses
from .statistics import Summary
from .store import Record, Store, fold_key, once
from .work import right_rows

Floats = npt.NDArray[np.float64]
TESTS = ("corrected", "paired", "welch", "wilcoxon", "mcnemar")


@dataclass(frozen=True)
class Pair:
    """Two systems on one data set: the mean difference (a − b), p-values without and with Holm's correction,
    and Cohen's d."""

    a: str
    b: str
    difference: float
    p: float
    corrected: float
    d: float


class Comparison:
    """The results of `bough.compare`.

    Every fold is a record; tests, tables, plots and the report are made from the records when asked for. A
    comparison is printed as its table. Where a method takes ``measure``, its default is what systems were
    compared by; where it takes ``data``, its default is the only data set.

    Parameters
    ----------
    records : list of dict
        The lines of a results file; use `Comparison.load` for a file.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    measure : str
        What systems were compared by.
    systems, data : list of str
        Names, in the order in which they were given.

    Examples
    --------
    >>> import bough
    >>> found = bough.compare(["cart", "fact"], "wine", repeats=2, folds=5)
    >>> found.best()
    'fact'
    >>> round(found.test("fact", "cart"), 3) < 0.05
    True
    """

    def __init__(self, records: Sequence[Record]) -> None:
        if not records or records[0].get("kind") != "comparison":
            raise DataError("these are no records of a comparison; the first one has to be its plan.")
        self.records = once(records, "these records")
        self.plan = self.records[0]
        self.task: str = self.plan["task"]
        self.measure: str = self.plan["measure"]
        self.systems: list[str] = [r["name"] for r in self.of_kind("system")]
        self.data: list[str] = [r["name"] for r in self.of_kind("data")]
        self.folds = self.of_kind("fold")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """A comparison from its results file, finished or not."""
        return cls(Store.read(path))

    def of_kind(self, kind: str) -> list[Record]:
        """Records of one kind: "run", "data", "system" or "fold"."""
        return [r for r in self.records if r["kind"] == kind]

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems on {len(self.data)} data sets, {len(self.folds)} folds>"

    def __str__(self) -> str:
        return self.table()

    # ---- numbers --------------------------------------------------------------------------------

    @cached_property
    def places(self) -> dict[str, list[tuple[int, int]]]:
        """By data set, (repeat, fold) of every fold that some system has done."""
        return {d: sorted({(r["repeat"], r["fold"]) for r in self.folds if r["data"] == d}) for d in self.data}

    @cached_property
    def by_key(self) -> dict[tuple[str, str, int, int], Record]:
        return {fold_key(r): r for r in self.folds}

    def measure_of(self, measure: str | None = None) -> Measure:
        return find_measure(measure or self.measure, self.task)

    def data_of(self, data: str | None) -> str:
        if data is None:
            if len(self.data) != 1:
                raise ParameterError(f"data is needed: one of {', '.join(map(repr, self.data))}.")
            return self.data[0]
        if data not in self.data:
            raise ParameterError(
                f"there is no data set {shown(data)} in this comparison{did_you_mean(data, self.data)}"
            )
        return data

    def values(self, data: str | None = None, measure: str | None = None) -> dict[str, Floats]:
        """By system, the measure on every fold in the same order; NaN where it failed."""
        name, what = self.data_of(data), self.measure_of(measure).name
        out = {}
        for s in self.systems:
            records = [self.by_key.get((name, s, *place)) for place in self.places[name]]
            found = [None if r is None or r["failure"] else r["measures"].get(what) for r in records]
            out[s] = np.array([np.nan if v is None else v for v in found], dtype=np.float64)
        return out

    def means(self, measure: str | None = None) -> dict[str, list[float]]:
        """By system, the mean of the measure on every data set; NaN where it failed on a fold."""
        each = [self.values(d, measure) for d in self.data]
        return {s: [float(v[s].mean()) if len(v[s]) else float("nan") for v in each] for s in self.systems}

    def best(self, data: str | None = None, measure: str | None = None) -> str:
        """The system with the best mean among those that finished every fold."""
        sign = self.measure_of(measure).sign
        means = {s: sign * float(np.mean(v)) for s, v in self.values(data, measure).items() if len(v)}
        means = {s: m for s, m in means.items() if not np.isnan(m)}
        if not means:
            raise DataError(f"no system has this measure on every fold of {self.data_of(data)!r}.")
        return max(means, key=lambda s: means[s])

    def failures(self) -> dict[tuple[str, str], list[str]]:
        """By data set and system, the messages of the folds that failed."""
        out: dict[tuple[str, str], list[str]] = {}
        for r in self.folds:
            if r["failure"]:
                out.setdefault((r["data"], r["system"]), []).append(r["failure"])
        return out

    def frame(self) -> Any:
        """Every fold as a row of a pandas DataFrame."""
        pandas = needs("pandas", "a frame of all folds")
        keys = ("data", "system", "repeat", "fold", "train", "test", "failure")
        rows = [
            {
                **{k: r[k] for k in keys},
                **(r.get("measures") or {}),
                **({"chosen": r["chosen"]} if "chosen" in r else {}),
            }
            for r in self.folds
        ]
        return pandas.DataFrame(rows)

    # ---- one data set ---------------------------------------------------------------------------

    def test_share(self, data: str | None = None) -> float:
        """Test rows per training row, which the corrected test needs."""
        name = self.data_of(data)
        shares = [r["test"] / r["train"] for r in self.folds if r["data"] == name]
        return float(np.mean(shares)) if shares else 0.0

    def both(self, a: str, b: str, data: str | None, measure: str | None) -> tuple[Floats, Floats]:
        """The measure of two systems on the folds that both finished, larger the better."""
        found = self.values(data, measure)
        for s in (a, b):
            if s not in found:
                raise ParameterError(f"there is no system {shown(s)} in this comparison{did_you_mean(s, self.systems)}")
        sign = self.measure_of(measure).sign
        done = ~(np.isnan(found[a]) | np.isnan(found[b]))
        return sign * found[a][done], sign * found[b][done]

    def test(
        self, a: str, b: str, data: str | None = None, measure: str | None = None, method: str = "corrected"
    ) -> float:
        """The p-value of "two systems are equal", two-tailed.

        Parameters
        ----------
        a, b : str
            Systems.
        data, measure : str, optional
        method : {"corrected", "paired", "welch", "wilcoxon", "mcnemar"}
            Corrected resampled t-test, plain paired t-test, Welch's test, Wilcoxon's signed-rank test; McNemar's
            exact test on the rows of the first repeat, each of which is tested once.
        """
        if method not in TESTS:
            raise ParameterError(f"method is {shown(method)}{did_you_mean(str(method), TESTS)} It is one of {TESTS}.")
        if method == "mcnemar":
            return statistics.mcnemar(*self.right(a, b, data))
        left, right = self.both(a, b, data, measure)
        if method == "welch":
            return statistics.welch(Summary.of(left), Summary.of(right))
        if method == "wilcoxon":
            return statistics.wilcoxon(left, right)
        return statistics.paired(left, right, self.test_share(data) if method == "corrected" else 0.0)

    def lines(self, parameter: str) -> dict[str, list[tuple[Any, str]]]:
        """Systems that differ in nothing but a parameter, with its value, by what they are called without it."""
        found: dict[str, list[tuple[Any, str]]] = {}
        for r in self.of_kind("system"):
            if parameter in r["params"]:
                label = r["name"].replace(f" {parameter}={r['params'][parameter]}", "")
                rest = {k: v for k, v in r["params"].items() if k != parameter}
                key = f"{label}|{r['estimator']}|{sorted(rest.items())}"
                found.setdefault(key, []).append((r["params"][parameter], r["name"]))
        if not found:
            raise ParameterError(f"no system of this comparison has another {parameter!r} than the default.")
        return found

    def test_along(
        self, parameter: str, a: str, b: str, data: str | None = None, measure: str | None = None
    ) -> tuple[float, float]:
        """The mean difference a − b along a parameter, and the p-value of a paired t-test over its values.

        Each value of the parameter is one pair: the means of both systems over the folds (SCC.461 report 2020). Folds
        share rows and neighbouring values make like trees, so the pairs are not independent and the p-value is small
        for small differences; `test` at one value of the parameter does not have that fault.

        Parameters
        ----------
        parameter : str
            A parameter that was given as ``along``.
        a, b : str
            Systems, by their names without the parameter.
        data, measure : str, optional
        """
        found = {key.partition("|")[0]: dict(line) for key, line in self.lines(parameter).items()}
        for s in (a, b):
            if s not in found:
                raise ParameterError(f"there is no system {shown(s)} along {parameter!r}{did_you_mean(s, found)}")
        means = {s: float(v.mean()) for s, v in self.values(data, measure).items() if len(v)}
        couples = [(means[found[a][v]], means[found[b][v]]) for v in found[a] if v in found[b]]
        left, right = np.array([p for p in couples if not np.isnan(p).any()], dtype=np.float64).reshape(-1, 2).T
        return float((left - right).mean()), statistics.paired(left, right)

    def right(self, a: str, b: str, data: str | None = None) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which rows two systems got right, over the folds of the first repeat that both finished."""
        name = self.data_of(data)
        rows: tuple[list[Any], list[Any]] = ([], [])
        for place in self.places[name]:
            found = [self.by_key.get((name, s, *place)) for s in (a, b)]
            if all(r is not None and "right" in r for r in found):
                for own, r in zip(rows, found, strict=True):
                    own.append(right_rows(r))  # type: ignore[arg-type]
        if not rows[0]:
            raise DataError(f"no fold of {name!r} says which rows {a!r} and {b!r} got right.")
        return np.concatenate(rows[0]), np.concatenate(rows[1])

    def pairs(self, data: str | None = None, measure: str | None = None, method: str = "corrected") -> list[Pair]:
        """Every pair of systems; p-values corrected together by Holm's method."""
        names = [s for s, v in self.values(data, measure).items() if (~np.isnan(v)).sum() > 1]
        couples = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        return self.tested(couples, data, measure, method)

    def against_best(
        self, data: str | None = None, measure: str | None = None, method: str = "corrected"
    ) -> dict[str, Pair]:
        """The best system against every other; p-values corrected together by Holm's method."""
        best = self.best(data, measure)
        others = [s for s, v in self.values(data, measure).items() if s != best and (~np.isnan(v)).sum() > 1]
        return {p.b: p for p in self.tested([(best, s) for s in others], data, measure, method)}

    def tested(self, couples: list[tuple[str, str]], data: str | None, measure: str | None, method: str) -> list[Pair]:
        sign = self.measure_of(measure).sign
        p_values = [self.test(a, b, data, measure, method) for a, b in couples]
        out = []
        for (a, b), p, corrected in zip(couples, p_values, statistics.holm(p_values), strict=True):
            left, right = self.both(a, b, data, measure)
            size = statistics.cohens_d(Summary.of(left), Summary.of(right))
            out.append(Pair(a, b, float(sign * (left - right).mean()), p, corrected, size))
        return out

    def labels(
        self, data: str | None = None, measure: str | None = None, alpha: float = 0.05, method: str = "corrected"
    ) -> dict[str, str]:
        """ "Best", "Not best" or "Undecidable" for each system that finished every fold (Bodine & Hochbaum 2022).

        ``method`` is "corrected" or, as in that paper, where the data sets were independent, "paired".
        """
        if method not in ("corrected", "paired"):
            raise ParameterError(
                f"method is {shown(method)}; labels are given by the 'corrected' or the 'paired' t-test."
            )
        sign = self.measure_of(measure).sign
        done = {s: sign * v for s, v in self.values(data, measure).items() if len(v) > 1 and not np.isnan(v).any()}
        share = self.test_share(data) if method == "corrected" else 0.0
        return statistics.labels(done, alpha, partial(statistics.paired_greater, test_share=share))

    # ---- many data sets -------------------------------------------------------------------------

    def better(self, measure: str | None = None) -> dict[str, list[float]]:
        """`means`, larger the better."""
        sign = self.measure_of(measure).sign
        return {s: [sign * v for v in means] for s, means in self.means(measure).items()}

    def ranks(self, measure: str | None = None, alpha: float = 0.05) -> Ranks:
        """Average ranks over the data sets with Friedman's, Nemenyi's and Holm's tests."""
        return ranks_of(self.better(measure), alpha)

    def wins(self, measure: str | None = None) -> dict[tuple[str, str], tuple[int, ...]]:
        """By pair of systems, on how many data sets the first one wins, ties and loses."""
        return wins_ties_losses(self.better(measure))

    def bayes(self, a: str, b: str, measure: str | None = None, rope: float = 0.01) -> bayesian.Posterior:
        """Bayesian signed-rank test over the data sets; differences below ``rope`` count as none."""
        found = self.better(measure)
        for s in (a, b):
            if s not in found:
                raise ParameterError(f"there is no system {shown(s)} in this comparison{did_you_mean(s, self.systems)}")
        return bayesian.signed_rank(found[a], found[b], rope)

    # ---- what it shows --------------------------------------------------------------------------

    def to_frame(self, measure: str | None = None) -> Any:
        """A pandas DataFrame with a row for each data set and a column for each system: the mean of the measure. The
        last row has the average ranks if there are several data sets; `frame` has every fold."""
        pandas = needs("pandas", "a frame of means")
        rows = pandas.DataFrame(self.means(measure), index=pandas.Index(self.data, name="data"))
        if len(self.data) > 1 and len(self.systems) > 1:
            rows.loc["average rank"] = self.ranks(measure).average
        return rows

    def to_latex(self, measure: str | None = None) -> str:
        """The means ± their deviations as a LaTeX table (booktabs): data sets × systems, the best in bold, and the
        average ranks below."""
        from .words import latex

        return latex(self, measure)

    def _repr_html_(self) -> str:
        from .report import notebook

        return notebook(self)

    def table(self, measure: str | None = None, alpha: float = 0.05) -> str:
        """A table for each data set: the measure ± its deviation, leaves, time, and what differs from the best."""
        from .words import tables

        return tables(self, measure, alpha)

    def plot_dots(self, data: str | None = None, measure: str | None = None, ax: Any = None) -> Any:
        """Each system's mean with its 95 % interval, every fold beside it."""
        from .plots import dots

        return dots(self, data, measure, ax)

    def plot_ranks(self, measure: str | None = None, alpha: float = 0.05, ax: Any = None) -> Any:
        """The critical difference diagram: average ranks, and bars over systems that Nemenyi's test cannot part."""
        from .plots import critical_difference_diagram

        return critical_difference_diagram(self.ranks(measure, alpha), ax)

    def plot_front(
        self, data: str | None = None, measure: str | None = None, size: str = "leaves", ax: Any = None
    ) -> Any:
        """The measure against the size of the tree, with the Pareto front: systems that none beats in both."""
        from .plots import front

        return front(self, data, measure, size, ax)

    def plot_along(self, parameter: str, data: str | None = None, measure: str | None = None, ax: Any = None) -> Any:
        """The measure along a parameter that systems differ in, with 95 % bands."""
        from .plots import along

        return along(self, parameter, data, measure, ax)

    def report(self, path: str | os.PathLike[str], measure: str | None = None) -> None:
        """Write one HTML page with tables, tests and plots; it runs no script and asks for nothing outside itself."""
        from ..model.writing import save
        from .report import page

        save(path, page(self, measure).encode())
