"""`bough report` and `bough export`."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from support.command import failing, process, run


@pytest.fixture
def penguins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("fit", "penguins", "--quiet", "--max-depth", "4")
    return tmp_path


def test_a_report_is_one_file_with_the_scores_of_the_rows_given(penguins):
    _, told, _ = run("report", "penguins.bough", "penguins")
    assert "penguins.html" in told
    page = (penguins / "penguins.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "Predicting species from 7 columns" in page


def test_a_report_without_data_and_as_json(penguins):
    told = json.loads(run("report", "penguins.bough", "-o", "x.html", "--json")[1])
    assert told["out"] == "x.html"
    assert told["data"] is None


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("report", "penguins.bough", "iris"), "lacks"),
        (("report", "nothing.bough"), "no such file"),
        (("report", "penguins.bough", "--include-rows"), "name a table too"),
        (("report", "penguins.bough", "penguins", "--target", "spezies"), "spezies"),
        (("export", "penguins.bough"), "is required"),
        (("export", "penguins.bough", "--sql", "a.sql", "--dialect", "no"), "dialect must be one of"),
        (
            ("export", "penguins.bough", "--sql", "penguins.bough"),
            "is read by this command; name another file with --sql",
        ),
        (("export", "penguins.bough", "--sql", "-", "--json"), "both write to the standard output"),
        (("export", "penguins.bough", "--sql", "a.sql", "--key", "prediction"), "a column of the output has that name"),
        (("export", "penguins.bough", "--python", "there/is/no/folder.py"), "no folder"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(penguins, args, words):
    before = sorted(p.name for p in penguins.iterdir())
    assert words in failing(*args)[1]
    assert sorted(p.name for p in penguins.iterdir()) == before


def test_exports_are_written_and_an_existing_file_is_kept(penguins):
    run("export", "penguins.bough", "--sql", "p.sql", "--dialect", "sqlite")
    assert "--force" in failing("export", "penguins.bough", "--sql", "p.sql")[1]
    run("export", "penguins.bough", "--as-json", "p.json")
    run("export", "penguins.bough", "--python", "p.py")
    run("export", "penguins.bough", "--onnx", "p.onnx")
    space: dict = {}
    exec((penguins / "p.py").read_text(encoding="utf-8"), space)
    row = {"island": "Biscoe", "bill_length_mm": 50.0, "bill_depth_mm": 15.0, "flipper_length_mm": 225.0}
    row |= {"body_mass_g": 5000.0, "sex": "male", "year": 2008.0}
    assert space["predict"](row) == "Gentoo"
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE data ({', '.join(row)})")
    connection.execute(f"INSERT INTO data VALUES ({', '.join('?' * len(row))})", list(row.values()))
    assert connection.execute((penguins / "p.sql").read_text(encoding="utf-8")).fetchall() == [("Gentoo",)]
    assert json.loads((penguins / "p.json").read_text(encoding="utf-8"))["task"] == "classification"


def test_an_export_goes_to_the_standard_output_and_no_file_is_called_minus(penguins):
    told = run("export", "penguins.bough", "--sql", "-", "--dialect", "sqlite", "--key", "id", "--key", "b", "--proba")[
        1
    ]
    assert told.startswith("WITH ")
    assert '  "key0" AS "id",\n  "key1" AS "b",\n  CASE ' in told
    assert 'AS "probability of Gentoo"' in told
    for form in ("--as-json", "--python", "--dot", "--html"):
        assert run("export", "penguins.bough", form, "-")[1]
    done = process("export", "penguins.bough", "--onnx", "-")
    run("export", "penguins.bough", "--onnx", "p.onnx")
    assert done.stdout == (penguins / "p.onnx").read_bytes()
    assert not (penguins / "-").exists()


def test_a_report_scores_by_the_groups_of_a_column(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("fit", "penguins", "--drop", "island", "--quiet")
    assert run("report", "penguins.bough", "penguins", "--groups", "island", "--quiet")[::2] == (0, "")
    page = Path("penguins.html").read_text(encoding="utf-8")
    assert '"by":{"n":"island"' in page
    assert "no column 'isle'" in failing("report", "penguins.bough", "penguins", "--groups", "isle", "--force")[1]
    assert "name a table" in failing("report", "penguins.bough", "--groups", "island", "--force")[1]
