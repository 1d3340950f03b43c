"""A few thousand of the mutants that `python -m fuzz` makes by the million, of every kind of model."""

from __future__ import annotations

import mmap
import os
import random
import signal
import warnings

import pytest
from fuzz import __main__ as fuzz
from fuzz.originals import originals

from bough import Model, ModelFileError
from support.mutants import Damage, mutant, signed
from support.use import use

FILES = originals()


@pytest.mark.parametrize("which", range(len(FILES)))
def test_a_mutant_is_refused_or_can_be_used_in_every_way(which):
    used = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # sums of what a stranger wrote may overflow
        for i in range(250):
            try:
                model = Model.from_bytes(mutant(FILES[which], random.Random(1000 * which + i)))
            except ModelFileError:
                continue
            use(model)
            used += 1
    assert 3 < used < 247


def test_every_original_is_used_without_a_warning():
    for data in FILES:
        use(Model.from_bytes(data))
        assert Model.from_bytes(signed(Damage(data, random.Random(0)).data())) == Model.from_bytes(data)


def test_the_same_number_gives_the_same_mutant():
    assert fuzz.numbered(FILES, 3, 77) == fuzz.numbered(FILES, 3, 77)
    assert fuzz.numbered(FILES, 3, 77) != fuzz.numbered(FILES, 4, 77)


def crash(model):
    os.kill(os.getpid(), signal.SIGKILL)


def hang(model):
    while True:
        pass


def swallow(model):
    mmap.mmap(-1, 2 * fuzz.ALLOWANCE)  # not from the heap: a long run of tests may have left as much free there


@pytest.mark.parametrize(("fault", "counted"), [(crash, "crash"), (hang, "hang"), (swallow, "other")])
def test_the_runner_sees_crashes_hangs_and_memory(fault, counted, monkeypatch, tmp_path):
    monkeypatch.setattr(fuzz, "use", fault)
    monkeypatch.setattr(fuzz, "SECONDS", 0.3)
    counts = fuzz.run(FILES[:1], 25, 2, 0, tmp_path)
    assert counts[counted] > 0
    assert counts["refused"] > 0
    assert counts["usable"] == 0
    assert len(list(tmp_path.glob("*.bough"))) == counts[counted]
