"""What every form that a model can be written in keeps."""

from __future__ import annotations

import numpy as np
import pytest

from bough import BoostedClassifier, BoostedRegressor, Model, TreeClassifier, TreeRegressor
from bough.output import OUTPUTS
from support.command import run
from support.models import linear_model, mixed_table, model_with_p_values


@pytest.fixture(scope="module")
def models():
    """One model of each sort."""
    table, y = mixed_table()
    return {
        "classes": TreeClassifier().fit(table, y).model_,
        "names": TreeClassifier(max_depth=3).fit(table, np.array(["ä", "b", "c"])[y]).model_,
        "multiway": TreeClassifier(nominal="multiway").fit(table, y).model_,
        "numbers": TreeRegressor().fit(table, y * 1.5).model_,
        "linear": linear_model(),
        "boosted": BoostedClassifier(max_iter=2).fit(table, y).model_,
        "boosted numbers": BoostedRegressor("poisson", max_iter=2).fit(table, y).model_,
        "tested": model_with_p_values(),
        "leaf": TreeClassifier().fit([[1.0], [2.0]], [0, 0]).model_,
    }


@pytest.mark.parametrize("name", OUTPUTS)
class TestEveryOutput:
    def test_it_writes_every_sort_of_model_the_same_each_time_and_leaves_it_as_it_was(self, name, models):
        for model in models.values():
            before = model.to_bytes()
            written = OUTPUTS[name].write(model)
            assert isinstance(written, bytes)
            assert written
            assert written == OUTPUTS[name].write(Model.from_bytes(before))
            assert model.to_bytes() == before

    def test_the_command_writes_the_same(self, name, models, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        models["classes"].save("m.bough")
        assert run("export", "m.bough", f"--{name}", "out")[0] == 0
        assert (tmp_path / "out").read_bytes() == OUTPUTS[name].write(models["classes"])

    def test_it_says_what_it_is_in_one_line(self, name):
        form = OUTPUTS[name]
        assert form.name == name
        assert form.title
        assert form.source
        assert "\n" not in form.doc
        assert name in run("list", "output")[1]
