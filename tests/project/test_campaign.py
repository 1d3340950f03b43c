"""What the long runs of fuzz/ share: a process that dies is told, figures are kept, faults give exit code 1."""

from __future__ import annotations

import argparse
import json
import os
import signal
import time

import pytest
from fuzz import campaign, sanitize, stress

if not hasattr(os, "fork"):
    pytest.skip("the runs fork", allow_module_level=True)


def work(task):
    if task == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "raises":
        raise ValueError("so it is")
    if task == "hangs":
        time.sleep(60)
    return task.upper()


@pytest.mark.slow
def test_every_piece_of_work_is_heard_of_whatever_becomes_of_its_process():
    tasks = ["a", "dies", "b", "raises", "hangs", "c"]
    found = {done.task: (done.result, done.fault) for done in campaign.spread(tasks, work, jobs=2, seconds=2)}
    assert {task: fault for task, (_, fault) in found.items() if fault} == {
        "dies": "crash",
        "raises": "ValueError: so it is",
        "hangs": "over 2 s",
    }
    assert [found[task][0] for task in "abc"] == ["A", "B", "C"]


@pytest.mark.parametrize("faults", [0, 2])
def test_a_run_ends_with_one_line_a_file_and_an_exit_code(faults, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "RESULTS", tmp_path / "results")
    given = argparse.Namespace(record=True, commit="abc1234")
    code = campaign.close("fuzz.trial", given, "a trial", "7 things", faults, time.monotonic())
    assert code == (1 if faults else 0)
    told = capsys.readouterr().out
    assert told == f"fuzz.trial: 7 things [abc1234, 0 s, {'2 FAULTS' if faults else 'no fault'}]\n"
    kept = json.loads((tmp_path / "results" / "trial.json").read_text())
    assert (kept["run"], kept["commit"], kept["figure"], kept["faults"]) == ("a trial", "abc1234", "7 things", faults)


def test_shares_of_the_stress_are_parts_of_one_whole():
    assert [stress.share_of(f"{i}/3") for i in range(3)] == [(0, 3), (1, 3), (2, 3)]
    with pytest.raises(ValueError, match="0/N"):
        stress.share_of("3/3")


def test_the_tests_that_the_sanitizers_run_are_there():
    tests = sanitize.ROOT / "tests"
    assert all((tests / name).is_file() for name in sanitize.MORE)
    assert all(list((tests / room).glob("test_*.py")) for room in sanitize.ROOMS)
    assert (
        {room.name for room in tests.iterdir()} >= {"refine", "stores", "explain", "distributed"} <= set(sanitize.ROOMS)
    )
