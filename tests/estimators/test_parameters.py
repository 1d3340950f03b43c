"""Parameters of the estimators: what signatures, get_params and docstrings say of them is the same."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path

import pytest
from sklearn.base import clone

import bough
from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor

ESTIMATORS = (TreeClassifier, TreeRegressor, ForestClassifier, ForestRegressor)
HERE = Path(bough.__file__).parent
by_name = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)


def described(kind):
    """(name, end of the line) of each parameter in a docstring."""
    section = kind.__doc__.split("Parameters\n    ----------\n")[1].split("\n    Attributes\n")[0]
    return re.findall(r"^    (\w+) : .*?(optional|default=\S+)$", section, flags=re.M)


@by_name
def test_the_docstring_describes_each_parameter_of_the_signature_with_its_default(kind):
    given = inspect.signature(kind).parameters
    found = dict(described(kind))
    assert list(found) == list(given)
    for name, end in found.items():
        assert (None if end == "optional" else eval(end.removeprefix("default="))) == given[name].default, name


@by_name
def test_an_estimator_without_arguments_has_the_defaults_of_its_signature(kind):
    defaults = {name: p.default for name, p in inspect.signature(kind).parameters.items()}
    assert kind().get_params() == defaults
    assert vars(kind()) == defaults


@by_name
def test_what_is_passed_is_kept_as_it_is(kind):
    passed = {name: object() for name in inspect.signature(kind).parameters}
    estimator = kind(**passed)
    assert all(getattr(estimator, name) is value for name, value in passed.items())


@by_name
def test_clones_and_pickles_have_the_same_parameters(kind):
    estimator = kind(max_depth=3, criterion="zzz")
    assert clone(estimator).get_params() == pickle.loads(pickle.dumps(estimator)).get_params() == estimator.get_params()
    assert estimator == estimator
    assert estimator != clone(estimator)


def test_only_the_number_of_trees_may_be_passed_by_place():
    for kind in ESTIMATORS:
        by_place = [n for n, p in inspect.signature(kind).parameters.items() if p.kind is not p.KEYWORD_ONLY]
        assert by_place == (["n_estimators"] if "Forest" in kind.__name__ else [])


def test_a_forest_has_the_parameters_of_its_trees():
    for forest, tree in ((ForestClassifier, TreeClassifier), (ForestRegressor, TreeRegressor)):
        assert set(tree().get_params()) < set(forest().get_params())


def test_a_parameter_is_described_once_in_the_source():
    text = "".join(p.read_text() for p in sorted(HERE.glob("estimators/*.py")))
    for kind in ESTIMATORS:
        for name in kind().get_params():
            # forests have one more value of class_weight, and boosting keeps rounds where forests keep trees
            twice = name in ("class_weight", "warm_start")
            assert len(re.findall(rf"^    {name}: .*= parameter\(", text, flags=re.M)) == 1 + twice
