"""The figures as PNG: heat maps of accuracy and of who is best, differences and ratios."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from .published import ALGORITHMS, TITLES
from .report import weighted_ratios
from .synthetic import Results, Setting

LABELS = ["Not best", "Undecidable", "Best"]
COLOURS = ListedColormap(["#c9472f", "#e6e1d3", "#2a7f62"])
DPI = 60


def axes_of(results: Results) -> tuple[list[int], list[int]]:
    return sorted({s.dimensions for s in results}), sorted({s.rows for s in results})


def panels(results: Results, value: dict[str, np.ndarray], title: str, path: Path, **style: object) -> None:
    dimensions, rows = axes_of(results)
    figure, places = plt.subplots(2, 4, figsize=(13, 5.2), sharex=True, sharey=True, layout="constrained")
    image = None
    for place, algorithm in zip(places.flat, ALGORITHMS, strict=True):
        image = place.imshow(value[algorithm], origin="lower", aspect="auto", **style)
        place.set_title(TITLES[algorithm], fontsize=9)
        place.set_xticks(range(len(dimensions))[:: max(1, len(dimensions) // 10)])
        place.set_xticklabels(dimensions[:: max(1, len(dimensions) // 10)], fontsize=8)
        place.set_yticks(range(len(rows)), [f"{r:,}" for r in rows], fontsize=8)
    figure.supxlabel("dimensions", fontsize=9)
    figure.supylabel("training rows", fontsize=9)
    bar = figure.colorbar(image, ax=places, shrink=0.8)
    if "cmap" in style and style["cmap"] is COLOURS:
        bar.set_ticks([-2 / 3, 0, 2 / 3], labels=LABELS, fontsize=8)
    figure.suptitle(title, fontsize=10)
    save(figure, path)


def accuracy_map(results: Results, title: str, path: Path) -> None:
    dimensions, rows = axes_of(results)
    classes = next(iter(results)).classes

    def mean(s: Setting, algorithm: str) -> float:
        return results[s].mean(algorithm) if s in results else np.nan  # not run: blank

    value = {a: np.array([[mean(Setting(classes, r, d), a) for d in dimensions] for r in rows]) for a in ALGORITHMS}
    low, high = min(np.nanmin(v) for v in value.values()), max(np.nanmax(v) for v in value.values())
    panels(results, value, title, path, cmap="viridis", vmin=low, vmax=high)


def best_map(results: Results, title: str, path: Path) -> None:
    dimensions, rows = axes_of(results)
    classes = next(iter(results)).classes
    label = {s: f.labels() for s, f in results.items()}

    def colour(s: Setting, algorithm: str) -> float:
        told = label[s][algorithm] if s in label else ""
        return LABELS.index(told) - 1 if told in LABELS else np.nan  # untested: blank

    value = {a: np.array([[colour(Setting(classes, r, d), a) for d in dimensions] for r in rows]) for a in ALGORITHMS}
    panels(results, value, title, path, cmap=COLOURS, vmin=-1, vmax=1)


def difference(place: Axes, results: Results, rows: int, title: str) -> None:
    """Figures 4 and 8: Max Cut Node Means PCA − Gini Node Features PCA, with 95 % of its mean's spread."""
    chosen = [(s, f) for s, f in results.items() if s.rows == rows]
    means, bands = [], []
    for _, f in chosen:
        d = np.subtract(f.accuracies["max-cut-node-means-pca"], f.accuracies["gini-node-pca"])
        means.append(d.mean())
        bands.append(1.96 * d.std(ddof=1) / np.sqrt(len(d)) if len(d) > 1 else 0.0)
    place.errorbar([s.dimensions for s, _ in chosen], means, yerr=bands, fmt="o-", ms=3, capsize=2, color="#2a7f62")
    place.axhline(0, color="grey", lw=0.8)
    place.set_title(title, fontsize=9)
    place.set_xlabel("dimensions", fontsize=8)


def histogram(place: Axes, results: Results, under: str, title: str) -> None:
    """Figures 5 and 9: accuracy of Max Cut Node Means PCA over that of another."""
    found, weights = weighted_ratios(results, "max-cut-node-means-pca", under)
    width = (found.max() - found.min()) / 40
    first, last = np.floor((found.min() - 1) / width), np.ceil((found.max() - 1) / width)
    edges = 1 + width * np.arange(first, last + 1)  # one lies at 1: the bars above it are the page's share
    place.hist(found, bins=edges, weights=100 * weights, color="#4b6c9e")
    place.axvline(1, color="grey", lw=0.8)
    place.set_title(title, fontsize=9)
    place.set_ylabel("%, numbers of rows weigh the same", fontsize=8)


def draw(found: dict[int, Results], folder: Path) -> None:
    """All figures of the class counts that there are."""
    for classes, word, numbers in ((2, "binary", ("2", "3")), (10, "ten classes", ("6", "7"))):
        name = word.replace(" ", "-")
        accuracy_map(found[classes], f"Mean accuracy, {word} (fig. {numbers[0]})", folder / f"{name}.png")
        best_map(found[classes], f"Who is best, {word} (fig. {numbers[1]})", folder / f"{name}-best.png")
    comparisons(found[2], found[10], folder / "comparisons.png")


def comparisons(two: Results, ten: Results, path: Path) -> None:
    figure, places = plt.subplots(1, 4, figsize=(15, 3.4), layout="constrained")
    largest = max(s.rows for s in ten)
    difference(places[0], two, 1000, "2 classes, 1,000 rows: Max Cut Node Means\n− Gini Node Features PCA (fig. 4)")
    histogram(places[1], two, "gini-node-pca", "2 classes: Max Cut Node Means\n/ Gini Node Features PCA (fig. 5)")
    difference(
        places[2], ten, largest, f"10 classes, {largest:,} rows: Max Cut Node Means\n− Gini Node Features PCA (fig. 8)"
    )
    histogram(places[3], ten, "gini-node-means-pca", "10 classes: Max Cut Node Means\n/ Gini Node Means PCA (fig. 9)")
    save(figure, path)


def save(figure: plt.Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close(figure)
