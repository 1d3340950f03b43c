"""Results files: interrupted at any moment, gone on with, added to, and never mixed up."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bough
from bough import DataError
from bough.compare.store import ResultsError, Store

RUN = """
import sys, bough
bough.compare(["cart", "fact", "ctree"], ["iris", "wine"], repeats=int(sys.argv[2]), folds=5, results=sys.argv[1],
              n_jobs=int(sys.argv[3]))
"""


def without_times(path):
    """The lines of a file without what the clock said."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for r in records:
        for name in ("fit_seconds", "predict_seconds", "fit_wall", "predict_wall"):
            r.get("measures", {}).pop(name, None)
    return records


def start(path, repeats, jobs=1):
    with open(f"{path}.err", "wb") as err:  # no pipe: processes of joblib hold it for a while when the run is killed
        return subprocess.Popen([sys.executable, "-c", RUN, str(path), str(repeats), str(jobs)], stderr=err)


def finish(path, repeats, jobs=1):
    assert start(path, repeats, jobs).wait(timeout=300) == 0, Path(f"{path}.err").read_text()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_killed_at_random_moments_resumes_and_ends_in_the_same_file(tmp_path, jobs):
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    repeats = 20
    finish(whole, repeats)
    draw = random.Random(jobs)
    times = 0
    for i in range(10):
        process = start(killed, repeats, jobs)
        before = killed.stat().st_size if killed.exists() else 0
        while process.poll() is None and (not killed.exists() or killed.stat().st_size == before):
            time.sleep(0.01)  # until the first line of this run
        time.sleep(draw.uniform(0, 0.25))
        process.send_signal(signal.SIGKILL if i % 2 else signal.SIGTERM)
        process.wait(timeout=60)
        times += process.returncode < 0
    finish(killed, repeats, jobs)
    assert times >= 5
    assert without_times(killed) == without_times(whole)


@pytest.mark.parametrize("cut", [1, 20, 90])
def test_a_torn_last_line_is_done_again(tmp_path, cut):
    path = tmp_path / "r.jsonl"
    bough.compare(["cart"], "iris", repeats=1, folds=3, results=path)
    whole = without_times(path)
    path.write_bytes(path.read_bytes()[:-cut])
    bough.compare(["cart"], "iris", repeats=1, folds=3, results=path)
    assert without_times(path) == whole


@pytest.mark.parametrize("size", [0, 5, 15])
def test_a_file_that_ends_in_its_first_line_is_begun_anew(tmp_path, size):
    path = tmp_path / "r.jsonl"
    bough.compare(["cart"], "iris", repeats=1, folds=2, results=path)
    whole = without_times(path)
    path.write_bytes(path.read_bytes()[:size])
    bough.compare(["cart"], "iris", repeats=1, folds=2, results=path)
    assert without_times(path) == whole


def test_folds_that_are_there_are_not_done_again_and_systems_can_be_added(tmp_path, monkeypatch):
    path = tmp_path / "r.jsonl"
    first = bough.compare(["cart"], "iris", repeats=1, folds=3, results=path)
    from bough.compare import run

    done = []
    plain = run.judged
    monkeypatch.setattr(run, "judged", lambda *a: done.append(a[1].name) or plain(*a))
    both = bough.compare(["cart", "fact"], "iris", repeats=1, folds=3, results=path)
    assert done == ["fact"] * 3
    assert (both.values()["cart"] == first.values()["cart"]).all()
    again = bough.compare("cart", "iris", repeats=1, folds=3, results=path)  # the file holds more than is asked for
    assert again.systems == ["cart"]
    assert len(done) == 3
    once = tmp_path / "once.jsonl"
    bough.compare(["cart", "fact"], "iris", repeats=1, folds=3, results=once)
    assert without_times(path) == without_times(once)


def test_other_folds_of_the_same_data_are_other_data(tmp_path):
    path, once = tmp_path / "r.jsonl", tmp_path / "once.jsonl"
    bough.compare("cart", "iris", repeats=1, folds=3, results=path)
    with pytest.raises(DataError, match="of other data called 'iris'"):
        bough.compare("cart", "iris", repeats=1, folds=2, results=path)
    bough.compare("cart", "iris", repeats=1, folds=3, results=once)
    assert without_times(path) == without_times(once)


@pytest.mark.parametrize(
    ("systems", "options", "words"),
    [
        ("cart", {"seed": 1}, "with seed=0, and now it is 1"),
        ({"cart": bough.TreeClassifier(max_depth=1)}, {}, "of another system called 'cart'"),
        ("cart", {"measure": "auc"}, "with measure='accuracy'"),
    ],
)
def test_results_of_another_comparison_are_not_mixed_with_these(tmp_path, systems, options, words):
    path = tmp_path / "r.jsonl"
    bough.compare("cart", "iris", repeats=1, folds=2, results=path)
    before = path.read_bytes()
    with pytest.raises(DataError, match=words):
        bough.compare(systems, "iris", repeats=1, folds=2, results=path, **options)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"{}\n", b'{"kind": "fold"}\n', b"\x00\xff" * 40, b"[1]\n[2]\n"])
def test_a_file_that_is_no_results_file_is_refused_and_kept(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match="results file"):
        bough.compare("cart", "iris", repeats=1, folds=2, results=path)
    assert path.read_bytes() == content


def test_a_fold_that_stands_twice_in_a_file_counts_once(tmp_path):
    path = tmp_path / "r.jsonl"
    found = bough.compare(["cart", "fact"], "iris", repeats=1, folds=3, results=path)
    lines = path.read_bytes().splitlines(keepends=True)
    for again in (lines[-1:], lines[4:], lines):
        path.write_bytes(b"".join([*lines, *again]))
        read = bough.Comparison.load(path)
        assert (len(read.folds), read.systems, str(read)) == (6, found.systems, str(found))
        assert str(bough.Comparison([*found.records, *map(json.loads, again)])) == str(found)
    bough.compare(["cart", "fact"], "iris", repeats=1, folds=3, results=path)
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("name", ["cores", "seed"])
def test_numbers_that_json_does_not_have_are_refused(tmp_path, name, number):
    """A run that goes on with the file could not write them."""
    path = tmp_path / "r.jsonl"
    bough.compare("cart", "iris", repeats=1, folds=2, results=path)
    lines = path.read_text().splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines[1:], 1) if f'"{name}": ' in line)
    lines[place] = re.sub(f'"{name}": [0-9]+', f'"{name}": {number}', lines[place])
    path.write_text("".join(lines))
    for call in (bough.Comparison.load, lambda p: bough.compare("cart", "iris", repeats=1, folds=2, results=p)):
        with pytest.raises(ResultsError, match=f"line {place + 1} is no record"):
            call(path)


CHANGES = [
    lambda r, name: r.pop(name),
    *(lambda r, name, v=v: r.update({name: v}) for v in (None, True, -1, 1.5, "x", "", [], {}, {"x": "y"}, 1e999)),
]


@pytest.mark.parametrize("system", ["fact", {"fails": bough.TreeClassifier(max_depth=-1)}], ids=["fact", "fails"])
def test_a_damaged_record_is_refused_in_a_sentence_or_read(tmp_path, system):
    """Every field of every record left out, or of another type: tables, pages and further runs work or say why not."""
    path = tmp_path / "r.jsonl"
    grid = {"fact": {"max_depth": [1, 2]}} if system == "fact" else None
    bough.compare(system, "iris", repeats=1, folds=2, results=path, grid=grid)
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    said, read = [], 0
    for i, record in enumerate(records[:-1]):  # the last one is a fold like the one before
        for name in (n for n in record if n not in ("sha256", "version")):
            for change in CHANGES:
                broken = json.loads(json.dumps(record))
                change(broken, name)
                path.write_text("".join(json.dumps(r) + "\n" for r in [*records[:i], broken, *records[i + 1 :]]))
                try:
                    found = bough.Comparison.load(path)
                    assert str(found)
                    read += 1
                    if read % 150 == 1:  # a page takes a second
                        found.report(tmp_path / "r.html")
                except bough.BoughError as e:
                    said.append(str(e))
    assert len(said) > 100
    assert not [words for words in said if "\n" in words]


def test_two_runs_do_not_write_one_file(tmp_path):
    pytest.importorskip("fcntl", reason="no file locks here")
    store = Store(tmp_path / "r.jsonl")
    store.open()
    with pytest.raises(DataError, match="another run"):
        bough.compare("cart", "iris", repeats=1, folds=2, results=tmp_path / "r.jsonl")
    store.close()


def test_a_folder_or_no_folder_is_refused(tmp_path):
    device = (Path(os.devnull), "is a device")  # some of them are read without end
    for place, words in ((tmp_path, "is a folder"), (tmp_path / "no" / "r.jsonl", "there is no folder"), device):
        with pytest.raises(DataError, match=words):
            bough.compare("cart", "iris", repeats=1, folds=2, results=place)


def test_the_file_tells_machine_versions_and_seed_but_no_names(tmp_path):
    path = tmp_path / "r.jsonl"
    bough.compare("cart", "iris", repeats=1, folds=2, results=path, seed=7)
    plan, run, data, system = without_times(path)[:4]
    assert plan["seed"] == 7
    assert run["versions"]["bough"] == bough.__version__
    assert run["machine"]["cores"] == os.cpu_count()
    assert data["rows"] == 150
    assert system["params"] == {} or "criterion" not in system["params"]
    assert os.uname().nodename not in path.read_text() or len(os.uname().nodename) < 4


def test_a_comparison_is_loaded_from_its_file(tmp_path):
    path = tmp_path / "r.jsonl"
    found = bough.compare(["cart", "fact"], "iris", repeats=1, folds=3, results=path)
    assert str(bough.Comparison.load(path)) == str(found)
    with pytest.raises(DataError, match="no records"):
        bough.Comparison([])
