"""What came of every table and figure of the Max-Cut paper."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from experiments.common.lines import HERE, Line, apart, result_of

from . import noisy as noisy_sets
from . import pairs, pictures_times, real
from . import published as cut_published
from . import report as cut
from . import times as times_of_sets
from .synthetic import ROWS, SETS, Results, mean_leaves

MEANS = "max-cut-node-means-pca"


def max_cut() -> Iterator[Line]:
    synthetic = result_of("max_cut/results/synthetic.json")
    page = "max_cut/results/synthetic.md"
    yield Line("Figure 1, Table 1", "the algorithm and its cost", "nothing to run")
    yield Line("Table 2", "the eight algorithms", "all of them are systems: `bough list systems`")
    grids, noise = cut.results_of(synthetic, "grids"), cut.results_of(synthetic, "noise")
    yield from random_sets(2, grids[2], ("Figures 2 and 3", "Figure 4", "Figure 5"), 1_000, "gini-node-pca", page)
    ours, base = mean_leaves(grids[2]), cut_published.BASELINE
    known = cut_published.TABLE_3
    shares = [(v / known[base], ours[a] / ours[base]) for a, v in known.items() if a != base]
    yield Line("Table 3", "leaves, as shares of the baseline's", apart(shares, "of 1"), page)
    numbers = ("Figures 6 and 7", "Figure 8", "Figure 9")
    yield from random_sets(10, grids[10], numbers, 300_000, "gini-node-means-pca", page)
    for classes, results in noise.items():
        yield Line("text of 3.1", f"columns of noise, {cut.WORDS[classes]} classes", noisy(classes, results), page)
    what = "those at hand have the rows, columns and classes that it names, but for CIFAR-10, 12,000 of 60,000 rows"
    yield Line("Table 4", "the data sets", f"{what}; CIFAR-100 is not at hand")
    for name, path in (("", "max_cut/results/table-5"), ("MNIST, ", "max_cut/results/mnist")):
        result = result_of(f"{path}.json")
        data = {n: real.outcomes(r) for n, r in result.items() if n != "facts"}
        inside = [real.within(n, a, found) for n, found in data.items() for a in found]
        what = f"{sum(inside)} of {len(inside)} figures within two deviations of a difference of means"
        title = f"accuracy on real data: {name or ', '.join(data) + ', '}".rstrip(", ")
        yield Line("Table 5", title, f"{what}; {times(data)}", f"{path}.md")
    path = "max_cut/results/cifar-10"
    if (HERE / f"{path}.json").exists():
        found = real.outcomes(result_of(f"{path}.json")["cifar10"])
        what = f"12,000 of 60,000 images, {len(found)} of 8 algorithms: {cut.in_order(found).strip('*.')}"
        yield Line("Table 5", "accuracy on real data: CIFAR-10", what, f"{path}.md")
    what, path = "not run: the images are not at hand", "max_cut/results/pairs"
    if (HERE / f"{path}.json").exists():
        found = result_of(f"{path}.json")
        what += f"; in its place {found['sizes'][0]:,} pairs of MNIST images of 100 classes: "
        what += pairs.words(found["pairs"])
        yield Line("Table 5, abstract", "CIFAR-100", what, f"{path}.md")
    else:
        yield Line("Table 5", "CIFAR-100", what)
    path = "max_cut/results/pictures_times"
    if (HERE / f"{path}.json").exists():
        what = pictures_times.words(result_of(f"{path}.json")["pictures_times"])
        yield Line("Table 5", "times on pictures by later code", what, f"{path}.md")
    path = "max_cut/results/noisy"
    if (HERE / f"{path}.json").exists():
        what = noisy_sets.words(result_of(f"{path}.json")["noisy"])
        yield Line("text of 3.1", "columns of noise, all eight algorithms", what, f"{path}.md")
    path = "max_cut/results/times"
    if (HERE / f"{path}.json").exists():
        what = f"Max Cut Node Means PCA takes less {times_of_sets.words(result_of(f'{path}.json')['times'])}"
        yield Line("text of 3.1", "times on random data", what, f"{path}.md")
    yield Line("text of 3.2", "who is best on real data", who_is_best_on_real_data())


def random_sets(
    classes: int, results: Results, numbers: tuple[str, str, str], rows: int, under: str, page: str
) -> Iterator[Line]:
    """Who is best, the difference by dimension at one number of rows, and the histogram of ratios."""
    word = f"{cut.WORDS[classes]} classes"
    level = {s: f for s, f in results.items() if s.rows == rows}
    found = f"{how_many(results, classes, len(ROWS[classes]))}; {who_is_best(classes, results)}"
    yield Line(numbers[0], f"accuracy and who is best, {word}", found, page)
    gain = {s.dimensions: 100 * (f.mean(MEANS) - f.mean("gini-node-pca")) for s, f in sorted(level.items())}
    least, most = min(gain, key=gain.__getitem__), max(gain)
    published = "a small dip, then more and more" if classes == 2 else "perhaps below 0 at few, then rapidly more"
    what = f"published: {published}; ours {gain[least]:+.1f} points at {least} dimensions, the least, and "
    what += f"{gain[most]:+.1f} at {most}"
    yield Line(
        numbers[1], f"difference by dimension, {rows:,} rows, {word}", f"{how_many(level, classes, 1)}; {what}", page
    )
    texts = (cut_published.RATIOS[classes, MEANS, under], *(cut.ratio_text(results, MEANS, under, w) for w in (0, 1)))
    published, ours, equal = (text.split(",")[0] for text in texts)
    what = (
        f"{how_many(results, classes, len(ROWS[classes]))}; published {published}; ours {ours} over all these data "
        f"sets, {equal} if every number of rows weighs the same, as with 30 data sets of each"
    )
    yield Line(numbers[2], f"histogram of ratios, {word}", what, page)


def who_is_best_on_real_data() -> str:
    """On how many sets each is best, where accuracies are compared to 0.001 as printed."""
    found: dict[str, dict[str, float]] = {}
    for path in ("table-5", "mnist", "cifar-10"):
        result = result_of(f"max_cut/results/{path}.json")
        for name in (n for n in result if n not in ("facts", "missing")):
            found[name] = {a: round(o.mean, 3) for a, o in real.outcomes(result[name]).items()}
    published = {n: {a: cut_published.accuracy(n, a) for a in cut_published.ALGORITHMS} for n in found}
    best = [
        [n for n, own in accuracies.items() if own[MEANS] == max(own.values())] for accuracies in (published, found)
    ]
    either = [
        sum(max(own, key=own.__getitem__) in (MEANS, "gini-node-means-pca") for own in accuracies.values())
        for accuracies in (published, found)
    ]
    return (
        f"Max Cut Node Means PCA is best, alone or with another, on {len(best[1])} of these {len(found)} sets "
        f"({', '.join(best[1])}); published: on {len(best[0])} of the same {len(found)}, and best or tied on 6 of all "
        f"7. One of the two Node Means PCA is best on {either[1]} (published: on {either[0]})"
    )


def how_many(results: Results, classes: int, levels: int) -> str:
    of, sets = 47 * levels, sum(f.sets for f in results.values())
    return f"{len(results)} of {of} settings, {sets:,} of {of * SETS:,} data sets"


def who_is_best(classes: int, results: Results) -> str:
    """What the tests say, and which algorithm has the highest mean."""
    labels = [f.labels() for f in results.values()]
    tested = [label for label in labels if label[MEANS] != "Untested"]
    base = sum(label[cut_published.BASELINE] == "Not best" for label in tested)
    told = f"the baseline is Not best in {base} of {len(tested)} tested settings"
    highest = [max(cut_published.ALGORITHMS, key=f.mean) for f in results.values()]
    if classes == 2:
        three = sum(a in cut.INITIALS for a in highest)
        return (
            f"{told}; one of the three that the paper calls promising has the highest mean in {three} of {len(results)}"
        )
    best = sum(label[MEANS] == "Best" for label in tested)
    return (
        f"{told} (published: in all); Max Cut Node Means PCA is Best in {best} and has the highest mean in "
        f"{highest.count(MEANS)} of {len(results)} (published: best in most)"
    )


def noisy(classes: int, results: Results) -> str:
    """How much was run, and in how many settings the one that is ahead is the published one."""
    ahead = cut.ahead(results, list(cut.INITIALS))
    published = cut_published.NOISE[classes]
    lost = [s for s in results if s.noise >= published.get(s.dimensions, np.inf)]
    ran = max(len(f.right) for f in results.values())
    return (
        f"{len(results)} of 110 settings, {ran} of {len(cut_published.ALGORITHMS)} algorithms, "
        f"{cut.sets_of(results)} of {SETS} data sets; the {len(lost)} settings where the paper has the baseline ahead "
        f"are those that matter: ours is ahead of the {ran - 1} others in {sum(s in ahead for s in lost)} of them, and "
        f"in {len(set(ahead) - set(lost))} of the other {len(results) - len(lost)}"
    )


def times(data: dict[str, dict[str, real.Outcome]]) -> str:
    """Our times relative to the baseline's over those published."""
    base = cut_published.BASELINE
    over = [
        found[a].seconds / found[base].seconds / cut_published.seconds(name, a)
        for name, found in data.items()
        for a in found
        if a != base
    ]
    return f"relative times are {min(over):.2g} to {max(over):.2g} times those published"
