"""Saving: whole or not at all, through links, with the mode that was there, past kills, full disks and rivals."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sklearn.datasets import load_digits, load_iris

import bough
from bough import TreeClassifier
from bough.model import writing


@pytest.fixture(scope="module")
def small():
    return TreeClassifier(max_depth=1).fit(*load_iris(return_X_y=True)).model_


@pytest.fixture(scope="module")
def large():
    return TreeClassifier().fit(*load_digits(return_X_y=True)).model_


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_link_is_followed(small, large, tmp_path):
    (tmp_path / "there").mkdir()
    place, link = tmp_path / "there" / "m.bough", tmp_path / "link.bough"
    small.save(place)
    link.symlink_to(place)
    large.save(link)
    assert link.is_symlink()
    assert bough.load(place) == large
    assert os.listdir(tmp_path / "there") == ["m.bough"]


def test_a_link_to_nothing_makes_the_file_it_names(small, tmp_path):
    link = tmp_path / "link.bough"
    link.symlink_to(tmp_path / "m.bough")
    small.save(link)
    assert link.is_symlink()
    assert bough.load(tmp_path / "m.bough") == small


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_keeps_its_mode(small, large, tmp_path, mode):
    path = tmp_path / "m.bough"
    small.save(path)
    os.chmod(path, mode)
    large.save(path)
    assert mode_of(path) == mode


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_that_the_umask_leaves(small, tmp_path, umask):
    before = os.umask(umask)
    try:
        small.save(tmp_path / "m.bough")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "m.bough") == 0o666 & ~umask


def test_parts_that_a_kill_left_are_taken_away_and_others_are_not(small, tmp_path):
    left = [".m.bough.0a1b2c3d.part", ".m.bough.x_8v2k9q.part"]
    others = [".n.bough.0a1b2c3d.part", ".m.bough.part", "m.bough.0a1b2c3d.part", ".m.bough.0a1b2c3d.txt"]
    for name in left + others:
        (tmp_path / name).write_bytes(b"half a model")
    small.save(tmp_path / "m.bough")
    assert sorted(os.listdir(tmp_path)) == sorted(["m.bough", *others])


def test_the_part_of_a_writer_at_work_stays(small, tmp_path):
    path = tmp_path / "m.bough"
    part, handle = writing.new_part(path)
    small.save(path)
    assert part.exists()
    os.close(handle)
    small.save(path)
    assert not part.exists()


def test_a_part_that_a_rival_took_for_a_leftover_is_made_anew(tmp_path, monkeypatch):
    path, taken = tmp_path / "m.bough", []
    lock = writing.locked

    def late(handle):
        if not taken:  # between making the part and locking it
            taken.extend(os.listdir(tmp_path))
            writing.unlink_leftovers(path)
        return lock(handle)

    monkeypatch.setattr(writing, "locked", late)
    writing.save(path, b"new")
    assert path.read_bytes() == b"new"
    assert taken
    assert taken[0] not in os.listdir(tmp_path)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
def test_whatever_fails_leaves_the_old_file_and_names_the_new(small, large, tmp_path, monkeypatch, step, code):
    path = tmp_path / "m.bough"
    small.save(path)
    before = path.read_bytes()

    def fail(*args, **options):
        raise OSError(code, os.strerror(code), "a part")

    monkeypatch.setattr(writing.os, step, fail)
    with pytest.raises(OSError) as raised:
        large.save(path)
    monkeypatch.undo()
    assert (raised.value.errno, raised.value.filename) == (code, str(path))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.bough"]


def test_a_long_name_can_be_saved(small, tmp_path):
    path = tmp_path / ("ü" * 120 + ".bough")
    small.save(path)
    assert bough.load(path) == small
    assert len(os.listdir(tmp_path)) == 1


def test_what_is_no_plain_file_is_written_to(small, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    small.save(pipe)
    reader.join()
    assert got == [small.to_bytes()]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


def test_two_writers_leave_one_whole_file(small, large, tmp_path):
    path = tmp_path / "m.bough"
    whole = {small.to_bytes(), large.to_bytes()}
    writers = [
        threading.Thread(target=lambda m=m: [m.save(path) for _ in range(40)]) for m in (small, large, small, large)
    ]
    for w in writers:
        w.start()
    while any(w.is_alive() for w in writers):
        if path.exists():
            assert path.read_bytes() in whole
    assert path.read_bytes() in whole
    assert os.listdir(tmp_path) == ["m.bough"]


WRITER = """
import sys, bough
a, b = bough.load(sys.argv[1]), bough.load(sys.argv[2])
print("ready", flush=True)
while True:
    a.save(sys.argv[3])
    b.save(sys.argv[3])
"""


def test_a_kill_at_any_moment_leaves_a_whole_file(small, large, tmp_path):
    small.save(tmp_path / "a"), large.save(tmp_path / "b")
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "m.bough"
    whole = {small.to_bytes(), large.to_bytes()}
    for i in range(4):
        command = [sys.executable, "-c", WRITER, tmp_path / "a", tmp_path / "b", path]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(0.02 + 0.013 * i)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        assert not path.exists() or path.read_bytes() in whole
    small.save(path)
    assert os.listdir(path.parent) == ["m.bough"]


@pytest.mark.slow
def test_the_runner_of_saves_finds_the_old_or_the_new_file_only():
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.saves", "--kills", "10", "--writes", "10"],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "another file" not in done.stdout
    assert "full disk:" in done.stdout
