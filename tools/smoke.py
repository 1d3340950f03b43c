"""What an installed bough must be able to do, with nothing but its run-time dependencies."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import bough


def main() -> None:
    from bough.cli import main as command
    from bough.tables import files

    table = files.read("penguins")
    X, y = table.cells[:, :-1], table.cells[:, -1]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("axis", "lda"):
            tree = bough.TreeClassifier(split=name, max_depth=4).fit(X, y)
            assert tree.score(X, y) > 0.9, name
            path = Path(folder) / f"{name}.bough"
            tree.save(path)
            assert np.array_equal(bough.load(path).predict(X), tree.predict(X))
            assert tree.report(X, y).save(Path(folder) / "tree.html").stat().st_size > 50_000
            assert tree.model_.to_sql().startswith("WITH")
        assert command(["show", str(path)]) == 0
        assert command(["list", "criterion", "--quiet"]) == 0
    print(f"bough {bough.__version__} on Python {sys.version.split()[0]}: works")


if __name__ == "__main__":
    main()
