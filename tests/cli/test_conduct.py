"""Conduct of the command line: exit codes, JSON, help, odd terminals, closed pipes, full disks and Ctrl-C."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.registry import plugins
from support.command import failing, numbers_file, process, rows, run, write
from support.interrupt import hearing_ctrl_c

DOCS = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def iris():
    run("fit", "iris", "--quiet")


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["fitt"],
        ["fit"],
        ["fit", "num.csv"],
        ["fit", "iris", "--test-share", "2"],
        ["fit", "iris", "--test-share", "nan"],
        ["fit", "iris", "--max-depth", "0"],
        ["fit", "iris", "--max-depth", "deep"],
        ["fit", "iris", "--criterion", "ginni"],
        ["fit", "iris", "--criterion", "squared_error"],
        ["fit", "iris", "--min-samples-leaf", "0.0"],
        ["fit", "iris", "--ccp-alpha", "-1"],
        ["fit", "iris", "--random-state", "-1"],
        ["fit", "iris", "--set", "x"],
        ["fit", "iris", "--set", "max_dept=3"],
        ["fit", "iris", "--criterion", "gini", "--set", "criterion.x=3"],
        ["fit", "iris", "--drop", "species"],
        ["fit", "iris", "--json", "--quiet"],
        ["fit", "iris", "--jso"],
        ["show", "m.bough", "--why", "1"],
        ["show", "m.bough", "--rules", "--why", "1"],
        ["show", "m.bough", "--digits", "0"],
        ["list", "criteria"],
    ],
    ids=lambda given: " ".join(given) or "nothing",
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(given):
    numbers_file()
    assert failing(*given)[0] == 2
    assert os.listdir() == ["num.csv"]


@pytest.mark.parametrize(
    "given",
    [
        ["iris", "--task", "regression"],
        ["num.csv", "--target", "y", "--task", "classification"],
        ["iris", "--drop", "nothing"],
        ["iris", "--categorical", "nothing"],
        ["iris", "--out", "no/folder/m.bough"],
        ["iris", "--out", "."],
    ],
    ids=" ".join,
)
def test_a_job_that_cannot_be_done_is_exit_code_1(given):
    numbers_file()
    assert failing("fit", *given)[0] == 1
    assert os.listdir() == ["num.csv"]


@pytest.mark.parametrize(
    "given",
    [
        ["fit", "wine"],
        ["predict", "iris.bough", "iris", "--proba"],
        ["show", "iris.bough"],
        ["show", "iris.bough", "--rules"],
        ["show", "iris.bough", "--why", "1", "--data", "iris"],
        ["check", "iris.bough"],
        ["list"],
        ["list", "split"],
        ["demo"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("iris")
def test_json_is_one_value_and_nothing_else(given):
    code, out, err = run(*given, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)
    assert out.isascii()


def test_every_help_has_an_example():
    for command in ([], ["fit"], ["predict"], ["show"], ["check"], ["list"], ["demo"]):
        code, out, _ = run(*command, "--help")
        assert code == 0
        assert "example:\n  bough " in out
    assert run("--version")[1] == f"bough {bough.__version__}\n"


def test_the_docs_show_what_the_commands_print():
    commands = 0
    for kind, block in re.findall(r"```(csv \S+|console)\n(.*?)```", DOCS.read_text(), flags=re.DOTALL):
        if kind != "console":
            write(kind.removeprefix("csv "), block)
            continue
        for part in re.split(r"^\$ bough ", block, flags=re.MULTILINE)[1:]:
            line, _, wanted = part.partition("\n")
            _, out, err = run(*shlex.split(line))
            wanted, printed = (re.sub(r"[\d,]+ bytes|(?<=\"bytes\": )\d+", "N", text) for text in (wanted, out + err))
            assert doctest.OutputChecker().check_output(wanted, printed, doctest.ELLIPSIS), f"{line}\n{printed}"
            commands += 1
    assert commands > 10


def test_exit_codes_and_json_of_a_real_process():
    done = process("check", "nothing.bough")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"bough: 'nothing.bough'")
    assert process("list", "--json", "--quiet").returncode == 2
    done = process("list", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert {e["kind"] for e in json.loads(done.stdout)} >= set(plugins())


def test_a_terminal_without_unicode_gets_plainer_characters():
    write("t.csv", rows("größe,y", 20, lambda i: f"{i},{'大小'[i > 9]}"))
    done = process("fit", "t.csv", "--target", "y", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"gr??e <= 9.5" in done.stdout
    assert b"|- yes: ? (" in done.stdout


def test_a_closed_pipe_ends_the_command_quietly():
    command = [sys.executable, "-m", "bough", "list"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait(timeout=60) == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "bough", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"bough: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process")
def test_ctrl_c_ends_a_fit_with_130_and_writes_nothing():
    letters = np.random.default_rng(0).choice(list("abcdefghijklmnop"), (3000, 60))  # 13 s with all partitions
    header = ",".join([*(f"c{j}" for j in range(60)), "y"])
    write("slow.csv", rows(header, 3000, lambda i: f"{','.join(letters[i])},k{i % 20}"))
    command = [sys.executable, "-m", "bough", "fit", "slow.csv", "--target", "y", "--nominal", "exact"]
    with hearing_ctrl_c():
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not running.stdout.readline().startswith("task"):
        assert running.poll() is None
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "bough: interrupted\n")
    assert os.listdir() == ["slow.csv"]
