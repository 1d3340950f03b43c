"""Makes the golden model files of the current file version; those that exist stay as they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import bough
from bough import TreeClassifier, TreeRegressor
from bough.model.file import VERSION
from support.models import linear_model, mixed_table, model_with_p_values

FOLDER = Path(__file__).resolve().parents[1] / "golden"


def main() -> None:
    table, y = mixed_table(60)
    models = {
        "classes": TreeClassifier(max_depth=4).fit(table, np.array(["ä", "b", "c"])[y]).model_,
        "multiway": TreeClassifier(nominal="multiway", max_depth=3).fit(table, y).model_,
        "numbers": TreeRegressor(max_depth=4).fit(table, y * 1.5).model_,
        "linear": linear_model(),
        "tested": model_with_p_values(),
        "origin": bough.system("ctree", nominal="pc", selector_params={"alpha": 0.2}, random_state=4)
        .fit(table, y)
        .model_,
    }
    for name, model in models.items():
        width = len(model.schema)
        rows = table.head(10).astype(object).where(table.head(10).notna(), None).to_numpy()[:, :width].tolist()
        if name == "linear":
            rows = [[1, -2], [2, -2], [0.5, 0.25]]
        path = FOLDER / f"v{VERSION}-{name}.bough"
        if path.exists():  # a golden file stays as it is
            continue
        model.save(path)
        expected = {
            "show": model.show(),
            "rows": rows,
            "answers": model.predict(np.array(rows, dtype=object)).tolist(),
        }
        path.with_suffix(".json").write_text(json.dumps(expected, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
