"""Ctrl-C at any moment of a command: exit code 130 and one line, or the command was done before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from sklearn.datasets import load_iris

import bough
from bough import cli
from support.command import process
from support.interrupt import hearing_ctrl_c

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process")

# The signal comes some time after the command has begun; before that, Python itself answers.
STARTED = """
import os, signal, sys, threading
def send():
    os.kill(os.getpid(), signal.SIGINT)
timer = threading.Timer({after}, send)
timer.daemon = True
sys.argv = ["bough", *sys.argv[1:]]
from bough.cli import main
timer.start()
sys.exit(main())
"""


def interrupted(after, *arguments, folder):
    """Runs a command and sends Ctrl-C after so many seconds: code, output, errors."""
    command = [sys.executable, "-c", STARTED.format(after=after), *map(str, arguments)]
    with hearing_ctrl_c():
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=folder)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ctrl-c")
    X, y = load_iris(return_X_y=True, as_frame=True)
    bough.TreeClassifier().fit(X, y).save(path / "m.bough")
    return path


@pytest.mark.parametrize("after", [0.02, 0.1, 0.3, 0.6, 1.0, 1.6])
@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "iris", "--out", "new.bough", "--force", "--quiet"),
        ("predict", "m.bough", "iris", "--out", "new.csv", "--force", "--quiet"),
        ("show", "m.bough", "--quiet"),
        ("list", "criterion", "--quiet"),
    ],
    ids=lambda a: a[0],
)
def test_ctrl_c_at_any_moment_gives_130_and_one_line(folder, arguments, after):
    code, _, errors = interrupted(after, *arguments, folder=folder)
    assert (code, errors) in ((130, "bough: interrupted\n"), (0, ""))
    assert not [name for name in os.listdir(folder) if name.endswith(".part")]


def test_ctrl_c_that_the_shell_has_turned_off_stays_off(folder):
    command = f"import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n{STARTED.format(after=0.1)}"
    done = subprocess.run(
        [sys.executable, "-c", command, "list", "prune", "--quiet"], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_that_calls_the_command_keeps_its_own_answer_to_ctrl_c():
    before = signal.getsignal(signal.SIGINT)
    assert cli.main(["list", "prune", "--quiet"]) == 0
    assert signal.getsignal(signal.SIGINT) is before


def test_importing_the_package_imports_nothing_large():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, bough, bough.cli; print('numpy' in sys.modules)"], capture_output=True
    )
    assert done.stdout.split() == [b"False"]
    assert process("list", "prune", "--quiet").returncode == 0


def test_the_processes_of_a_comparison_end_with_it(tmp_path):
    """Also where Ctrl-C comes to the command alone, not to its group; the pipes are closed, no folder stays."""
    results, temporary = tmp_path / "r.jsonl", tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "bough", "compare", "iris", "--systems", "cart", "ctree", "--quiet"]
    command += ["--repeats", "5000", "--n-jobs", "2", "--results", str(results)]
    with hearing_ctrl_c():
        run = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
    while not (results.exists() and b'"fold"' in results.read_bytes()):
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=20)  # its processes hold the pipes
    assert (run.returncode, errors) == (130, "bough: interrupted\n")
    assert list(temporary.iterdir()) == []
