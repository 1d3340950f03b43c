"""Every export predicts as `predict` does: ``python -m fuzz.exports --models 5000``.

Random tables with hostile names (reserved words of each language, quotes, look-alikes), missing values, categories that
training never saw and extreme numbers are fitted by a random system, or by a random combination of criterion, family,
nominal search, missing values, pruner, selector, costs and priors, as a tree or as a forest. ONNX (onnxruntime), SQL
(SQLite, DuckDB and, where it is installed, PostgreSQL), JSON and source in Python, JavaScript (Node) and C (gcc) must
predict as `predict` and `predict_proba` do, bit by bit; what cannot be exported is refused in one sentence.
Exit code 1 if anything differs.
"""

from __future__ import annotations

import time
from collections import Counter

from .campaign import close, options, spread

from support.databases import postgresql_programs, server  # isort: skip (campaign says where support is)
from support.elsewhere import differing  # isort: skip
from support.random_models import combinations, random_model  # isort: skip

CHUNK = 10  # models of one process
SECONDS = 600.0  # of a process


def compared(first: int) -> tuple[Counter[str], list[str]]:
    """Some models: how many were compared, fitted, refused; and what differs."""
    counts, wrong = Counter[str](), []
    for seed in range(first, first + CHUNK):
        try:
            made = random_model(seed)
            counts["fitted" if made else "not fitted"] += 1
            if made is None:
                continue
            refused: list[str] = []
            found = differing(*made, refused=refused)
            counts.update(f"refused by {name}" for name in refused)
            wrong += [f"seed {seed}: {name}" for name in found]
        except Exception as e:
            wrong.append(f"seed {seed}: {type(e).__name__}: {e}")
    return counts, wrong


def main() -> int:
    parser = options("exports", __doc__)
    parser.add_argument("--models", type=int, default=5000, help="random models (5000)")
    given = parser.parse_args()
    began, counts, faults = time.monotonic(), Counter[str](), 0
    combinations()  # once, before there are processes
    if postgresql_programs():
        server()
    for done in spread(range(given.seed, given.seed + given.models, CHUNK), compared, given.jobs, SECONDS):
        found, wrong = done.result or (Counter(), [f"seeds from {done.task}: {done.fault}"])
        counts.update(found)
        for line in wrong:
            faults += 1
            print(line, flush=True)
    told = ", ".join(f"{n:,} {what}" for what, n in sorted(counts.items()))
    databases = "SQLite, DuckDB and PostgreSQL" if postgresql_programs() else "SQLite and DuckDB, no PostgreSQL here"
    what = "ONNX, SQL, JSON and source in Python, JavaScript and C predict as predict does, bit by bit"
    return close("fuzz.exports", given, what, f"{told}; {databases}: {faults} differ", faults, began)


if __name__ == "__main__":
    raise SystemExit(main())
