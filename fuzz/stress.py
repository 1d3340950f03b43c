"""Every legal combination of criterion, family and search, once each, with weights, gaps, ties, threads, kernels,
missing values, pruners, selectors, costs and forests as they are drawn.

For sanitized builds (``make sanitize``), where ``BOUGH_CORE`` names the compiled core to be loaded; it works with the
usual one too: ``python -m fuzz.stress``.
"""

from __future__ import annotations

import random
import time
import warnings

from sklearn.base import clone

from .campaign import close, options

import support.core  # isort: skip # noqa: F401 (before anything of bough)
from bough import Model, _core  # isort: skip


def share_of(text: str) -> tuple[int, int]:
    number, of = map(int, text.split("/"))
    if not 0 <= number < of:
        raise ValueError(f"share {text}: give one from 0/N to N-1/N")
    return number, of


def main() -> int:
    from support.combinations import legal_combinations, mixed_rows, varied

    parser = options("stress", __doc__)
    parser.add_argument("--rounds", type=int, default=1, help="with other tables each (1)")
    parser.add_argument("--share", type=share_of, default=(0, 1), help="which part of all, as 0/4 (0/1)")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # small tables and few trees give many
    began, fits, kernels = time.monotonic(), 0, _core.kernel_names()
    mine, of = given.share
    for i, estimator in enumerate(legal_combinations(every=True, max_depth=4, random_state=0)):
        if i % of != mine:
            continue
        for again in range(given.rounds):
            draw = random.Random(1000 * given.seed + i + 100_000 * again)
            _core.use_kernels(draw.choice(kernels))
            classes = draw.randint(2, 5)
            X, y, w = mixed_rows(i + 7 * again, draw.randint(20, 100), classes, *draw.choices([True, False], k=2))
            tree = varied(clone(estimator), draw, classes).set_params(n_jobs=draw.randint(1, 4))
            tree.fit(X, y, draw.choice([w, None]))
            model = Model.from_bytes(tree.model_.to_bytes())
            model.predict(X)
            fits += 1
    what = "every legal combination once"
    return close("fuzz.stress", given, what, f"{fits:,} fits, kernels {', '.join(kernels)}", 0, began)


if __name__ == "__main__":
    raise SystemExit(main())
