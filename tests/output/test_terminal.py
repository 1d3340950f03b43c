"""Names and values are printed, never obeyed: nothing of a file or a table steers the terminal."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bough import DataError, ParameterError, TreeClassifier
from bough.errors import printable
from bough.model.conditions import weighted_sum
from support.command import run

EVIL = "a\x1b[2J\x07\r\nb\x9b\u202e\u2028"
WRITTEN = r"a\x1b[2J\x07\r\nb\x9b\u202e\u2028"


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({EVIL: rng.choice([EVIL, "x", "y"], 60), "n" + EVIL: rng.normal(size=60)})
    y = np.where((table[EVIL] == EVIL) ^ (table["n" + EVIL] > 0), EVIL + "1", "ok")
    params = {"selector": "conditional_inference", "selector_params": {"alpha": 1.0}}
    return TreeClassifier(**params).fit(table, y).model_


def tame(text):
    return all(c == "\n" or c.isprintable() for c in text)


def test_show_rules_and_why_write_control_characters_out(model):
    row = {EVIL: EVIL, "n" + EVIL: 0.5}
    texts = [model.show(), model.show(p_values=True), model.show(max_depth=0), model.why(row)]
    texts += [str(r) for r in model.rules()]
    for text in texts:
        assert tame(text)
    assert WRITTEN in model.show()
    assert model.why(row).count("\n") + 1 == len(model.nodes().path(int(model.apply(pd.DataFrame([row]))[0])))


def test_other_scripts_and_emoji_are_printed_as_they_are():
    for text in ("größe", "数量　重", "👨‍👩‍👧", "नमस्ते", "a b"):
        assert printable(text) == text


def test_errors_write_control_characters_out(model):
    with pytest.raises(DataError) as raised:
        model.predict(pd.DataFrame({"b" + EVIL: [1]}))
    assert tame(str(raised.value))
    with pytest.raises(DataError) as raised:
        TreeClassifier(categorical_features=["z"]).fit(pd.DataFrame({EVIL: [1, 2]}), [0, 1])
    assert tame(str(raised.value))


@pytest.mark.parametrize(
    "command",
    [["show"], ["show", "--rules"], ["check"], ["show", "--p-values"], ["show", "--why", "1", "--data", "d.csv"]],
)
def test_no_command_lets_a_file_steer_the_terminal(model, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model.save("m.bough")
    pd.DataFrame({EVIL: ["x", "y"], "n" + EVIL: [0.5, 1.5]}).to_csv("d.csv", index=False)
    code, out, err = run(command[0], "m.bough", *command[1:])
    assert code == 0 or "--why" in command
    assert tame(out)
    assert tame(err)


def test_predictions_are_data_for_programs_and_tame_on_a_terminal(tmp_path):
    table = pd.DataFrame({"x": [1.0, 2.0]})
    TreeClassifier().fit(table, [EVIL, "b"]).save(tmp_path / "m.bough")
    table.to_csv(tmp_path / "d.csv", index=False)
    command = [sys.executable, "-m", "bough", "predict", "m.bough", "d.csv"]
    piped = subprocess.run(command, capture_output=True, cwd=tmp_path, check=True).stdout.decode()
    assert "\x1b[2J" in piped
    ours, theirs = pty.openpty()
    subprocess.run(command, stdout=theirs, cwd=tmp_path, check=True)
    os.close(theirs)
    with io.FileIO(ours) as f:
        seen = f.read(10_000).decode()
    assert "\x1b" not in seen
    assert r"\x1b[2J" in seen


@pytest.mark.parametrize("digits", ["a", 0, 18, 2.5, True, [6], 10**400])
def test_digits_that_are_none_are_refused_in_one_sentence(model, digits):
    for call in (model.show, model.rules, lambda digits: model.why({EVIL: "x", "n" + EVIL: 1}, digits)):
        with pytest.raises(ParameterError, match="digits is .*; it must be an integer from 1 to 17"):
            call(digits=digits)


@pytest.mark.parametrize("bad", [{"max_values": 0}, {"max_values": "a"}, {"max_depth": -1}, {"max_depth": 1.5}])
def test_show_refuses_other_wrong_parameters_too(model, bad):
    with pytest.raises(ParameterError, match=f"{next(iter(bad))} is "):
        model.show(**bad)
    with pytest.raises(ParameterError, match="p_values is 'a'; it must be True or False"):
        model.show(p_values="a")


def test_sums_beyond_a_double_are_explained():
    assert weighted_sum([(1e308, 1e10), (-1e308, 1e10), (2.0, 3.0)]) == 6.0
    assert weighted_sum([(1.7e308, 1.0), (1.7e308, 1.0), (-1.7e308, 1.0)]) == 1.7e308
    assert weighted_sum([(1e308, -1e10)]) == -np.inf
