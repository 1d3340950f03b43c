"""Fails if fits have become slower than they were: this checkout against another commit, on the same machine.

``gate.py [COMMIT]``: by default the last tag, or the commit before the last one if there is no tag. Both take turns, so
that a busy machine slows both; the median of the ratios of processor times decides.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 1.25  # times slower than before
ROUNDS = 7
PROGRAM = """
import sys, time
import numpy as np
import bough
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 20))
y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=20_000) > 1).astype(int)
fits = {
    "tree": lambda: bough.TreeClassifier().fit(X, y),
    "regression": lambda: bough.TreeRegressor(max_depth=8).fit(X, X[:, 2] + y),
    "linear": lambda: bough.TreeClassifier(split="node_means_pca", max_depth=6).fit(X, y),
    "forest": lambda: bough.ForestClassifier(n_estimators=10, random_state=0).fit(X, y),
}
for name, fit in fits.items():
    began = time.process_time()
    fit()
    print(name, time.process_time() - began)
"""


def times(python: Path) -> dict[str, float]:
    done = subprocess.run([python, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=True)
    return {name: float(t) for name, t in (line.split() for line in done.stdout.splitlines())}


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def built(commit: str, folder: Path) -> Path:
    """The interpreter of an environment in which a commit is installed."""
    subprocess.run(["git", "worktree", "add", "--detach", folder / "tree", commit], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", str(folder / "tree")], check=True)
    return python


def verdict(ratios: dict[str, list[float]]) -> tuple[bool, str]:
    """Whether nothing is too slow, and the table of median ratios."""
    found = {name: statistics.median(r) for name, r in ratios.items()}
    lines = [f"{name:<12} {r:.2f}{'   too slow' if r > MOST else ''}" for name, r in found.items()]
    return all(r <= MOST for r in found.values()), "\n".join(lines)


def main() -> int:
    before = sys.argv[1] if len(sys.argv) > 1 else git("describe", "--tags", "--abbrev=0") or "HEAD~1"
    with tempfile.TemporaryDirectory() as folder:
        try:
            old = built(before, Path(folder))
            ratios: dict[str, list[float]] = {}
            for _ in range(ROUNDS):
                was, now = times(old), times(Path(sys.executable))
                for name, t in now.items():
                    ratios.setdefault(name, []).append(t / was[name])
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", Path(folder) / "tree"], cwd=ROOT)
    fine, table = verdict(ratios)
    print(f"processor time of fits, times that of {before}:\n{table}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
