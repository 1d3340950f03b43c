"""`bough fit --dask`: the model of the rows of all files, and one sentence where it cannot be."""

import json

import numpy as np
import pandas as pd
import pytest

from support.dask import frame_of

pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
import bough
from bough.cli import main


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = [frame_of(np.random.default_rng(i), 80) for i in range(3)]
    for i, t in enumerate(tables):
        t.to_parquet(f"part{i}.parquet")
    return pd.concat(tables, ignore_index=True)


def run(client, *args):
    return main(["fit", "part*.parquet", "--dask", client.scheduler.address, *args])


def test_the_model_is_that_of_the_rows_of_all_files(client, files, capsys):
    assert run(client, "--target", "y", "--max-depth", "3", "--test-share", "0", "--set", "move_rows=0") == 0
    printed = capsys.readouterr().out
    assert "240 rows, 4 columns, in 3 partitions" in printed
    assert "levels of large nodes" in printed
    local = bough.TreeClassifier(max_depth=3, random_state=0).fit(files.drop(columns="y"), files["y"])
    assert bough.load("part.bough").to_bytes() == local.model_.to_bytes()


@pytest.mark.parametrize(
    "names", [["part0.parquet", "part1.parquet", "part2.parquet"], ["part[01].parquet", "part2.parquet"]]
)
def test_files_may_be_named_one_by_one_and_by_any_pattern(client, files, capsys, names):
    more = ["--set", "move_rows=20", "--test-share", "0", "--out", "m.bough", "--max-depth", "3"]
    assert main(["fit", *names, "--target", "y", "--dask", client.scheduler.address, *more]) == 0
    assert "240 rows, 4 columns, in 3 partitions" in capsys.readouterr().out
    local = bough.TreeClassifier(max_depth=3, random_state=0).fit(files.drop(columns="y"), files["y"])
    assert bough.load("m.bough").to_bytes() == local.model_.to_bytes()


def test_several_files_need_a_cluster_and_one_format(client, files, capsys):
    assert main(["fit", "part0.parquet", "part1.parquet", "--target", "y"]) == 2
    assert "add --dask" in capsys.readouterr().err
    files.to_csv("rest.csv", index=False)
    assert main(["fit", "part0.parquet", "rest.csv", "--target", "y", "--dask", client.scheduler.address]) == 1
    assert "one format" in capsys.readouterr().err


def test_numbers_held_out_rows_and_json(client, files, capsys):
    assert run(client, "--target", "a", "--drop", "y", "--json", "--out", "a.bough", "--system", "random-forest") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["target"]["task"] == "regression"
    assert 0 < facts["scores"]["held_out"]["rows"] < 120
    assert facts["size"]["trees"] == 100
    assert run(client, "--target", "b", "--out", "b.bough", "--categorical", "d,nobody") == 1
    assert "'nobody'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--target", "q"), "--target q: no such column"),
        ((), "needs --target"),
        (("--target", "y", "--system", "best"), "--system best"),
        (("--target", "y", "--set", "maxdepth=3"), "maxdepth"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(client, files, capsys, args, said):
    assert run(client, *args) != 0
    told = capsys.readouterr().err
    assert said in told
    assert told.strip().count("\n") == 0


def test_files_that_are_not_there_and_clusters_that_are_not_there(client, files, capsys):
    assert main(["fit", "nothing.parquet", "--target", "y", "--dask", client.scheduler.address]) == 1
    assert "there is no file 'nothing.parquet'" in capsys.readouterr().err
    assert main(["fit", "part*.parquet", "--target", "y", "--dask", "tcp://127.0.0.1:9"]) == 1
    assert "no Dask scheduler answers" in capsys.readouterr().err


@pytest.mark.parametrize("pattern", ["none*.parquet", "none/*.csv", "none.parquet"])
def test_a_pattern_without_files_is_said_to_have_none(client, files, capsys, pattern):
    assert main(["fit", pattern, "--target", "y", "--dask", client.scheduler.address]) == 1
    assert f"there is no file '{pattern}'" in capsys.readouterr().err
