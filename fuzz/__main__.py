"""Damaged model files by the hundred thousand: each must load as a usable model or be refused cleanly.

Every batch runs in a process of its own, so that a crash or a hang is counted, kept and does not end
the run. Exit code 1 if anything crashed, hung or raised an error of another kind.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from bough import Model, ModelFileError, TreeClassifier, TreeRegressor  # noqa: E402
from support.models import linear_model, mixed_table, model_with_p_values, use  # noqa: E402
from support.mutants import mutants  # noqa: E402

BATCH = 500
SECONDS = 60  # for a batch; one that takes longer hangs


def originals() -> list[bytes]:
    table, y = mixed_table()
    return [
        TreeClassifier().fit(table, y).model_.to_bytes(),
        TreeClassifier(nominal="multiway", nominal_params={"unseen": "stop"}).fit(table, y).model_.to_bytes(),
        TreeRegressor().fit(table, y * 1.5).model_.to_bytes(),
        TreeClassifier(max_depth=2).fit(table, np.array(["ä", "b", "c"])[y]).model_.to_bytes(),
        linear_model().to_bytes(),
        model_with_p_values().to_bytes(),
        TreeClassifier().fit([[1.0], [2.0]], [0, 0]).model_.to_bytes(),
    ]


def batch(seed: int, kept: Path) -> dict[str, int]:
    """Tries one batch; the mutant at hand is on disk, so that a crash leaves it there."""
    files = originals()
    rng = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    for i in range(BATCH):
        data = next(mutants(files[i % len(files)], rng, 1))
        kept.write_bytes(data)
        try:
            use(Model.from_bytes(data))
            counts["usable"] += 1
        except ModelFileError:
            counts["refused"] += 1
        except Exception as e:
            counts[f"other: {type(e).__name__}: {e}"[:120]] += 1
    return dict(counts)


def run(n: int, seed: int, keep: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    keep.mkdir(parents=True, exist_ok=True)
    for b in range((n + BATCH - 1) // BATCH):
        path = keep / f"mutant-{seed + b}.bough"
        command = [sys.executable, "-m", "fuzz", "--batch", str(seed + b), "--keep", str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            counts["hang"] += 1
            continue
        if done.returncode != 0:
            counts[f"crash (code {done.returncode})"] += 1
            continue
        found = json.loads(done.stdout)
        counts.update(found)
        if not any(k.startswith("other") for k in found):
            path.unlink()
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("-n", type=int, default=100_000, help="number of damaged files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=None, help="folder for files that broke something")
    parser.add_argument("--batch", type=int, default=None, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.batch is not None:
        print(json.dumps(batch(args.batch, args.keep)))
        return 0
    start = time.perf_counter()
    keep = args.keep or Path(tempfile.mkdtemp(prefix="bough-fuzz-"))
    counts = run(args.n, args.seed, keep)
    for what, number in counts.most_common():
        print(f"{number:8d} {what}")
    bad = sum(v for k, v in counts.items() if k not in ("usable", "refused"))
    print(f"{sum(counts.values())} files in {time.perf_counter() - start:.0f} s, {bad} broke something")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
