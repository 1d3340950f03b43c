"""The check of growth laws: it finds exponents, tells those that are too large, and knows every system."""

from __future__ import annotations

import sys

import pytest
from fuzz import growth

import bough
from bough.estimators.systems import SYSTEMS


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_the_last_doublings(monkeypatch, exponent):
    monkeypatch.setattr(growth, "fit_of", lambda system, axis, size, seed: size)
    monkeypatch.setattr(
        growth, "seconds_of", lambda size: 1e-3 + 1e-4 * size**exponent
    )  # what every fit takes is told apart
    law = growth.measured("cart", "rows", 3.0, 0)
    assert law.exponent == pytest.approx(exponent, abs=0.1)
    assert law.broken == (exponent > growth.documented("cart", "rows"))
    assert law.sizes[0] == growth.FIRST["rows"]


def test_a_law_that_is_broken_is_exit_code_1(monkeypatch, capsys):
    monkeypatch.setattr(growth, "SECONDS", 60.0)
    for most, code in ((9.0, 0), (-1.0, 1)):
        monkeypatch.setitem(growth.LAWS, "trees", {"*": most})
        monkeypatch.setattr(
            sys, "argv", ["growth", "--systems", "random-forest", "--axes", "trees", "--seconds", "0.02"]
        )
        assert growth.main() == code
        assert ("TOO MUCH" in capsys.readouterr().out) == (code == 1)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_a_table_for_each_of_its_axes(system):
    for axis in growth.axes_of(system):
        assert growth.documented(system, axis) > 0
        size = growth.FIRST[axis]
        found = growth.fit_of(system, axis, size, 0)()
        assert isinstance(
            found, (bough.TreeClassifier, bough.ForestClassifier, bough.TreeRegressor, bough.BoostedClassifier)
        )
        assert axis != "trees" or getattr(found, "n_iter_", len(found)) == size
        assert axis != "classes" or found.n_classes_ == size
        assert axis != "columns" or found.n_features_in_ == size


def test_laws_name_systems_that_there_are():
    assert {name for of in growth.LAWS.values() for name in of} <= {"*", *SYSTEMS}
    assert set(growth.ALIASES) < set(SYSTEMS)
