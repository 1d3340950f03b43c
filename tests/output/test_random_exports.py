"""A short run of `python -m fuzz.exports`: random models of random tables in every form."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from support.databases import server
from support.elsewhere import differing
from support.random_models import random_model


@pytest.mark.parametrize("first", range(0, 36, 6))
def test_random_models_predict_alike_in_every_form(first):
    pytest.importorskip("onnxruntime")
    compared = 0
    for seed in range(first, first + 6):
        made = random_model(seed)
        if made is not None:
            assert differing(*made, refused=[]) == [], f"seed {seed}"
            compared += 1
    assert compared > 2


@pytest.mark.parametrize("program", ["node", "gcc"])
def test_a_program_runs_the_source_of_these_tests(program):
    """Skipped, with the reason, where it is not installed."""
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed: the exports to its language are not run")
    assert subprocess.run([program, "--version"], capture_output=True).returncode == 0


def test_a_postgresql_server_runs_the_sql_of_these_tests():
    """Skipped, with the reason, where none is installed."""
    assert server().psql("SELECT 1;")
