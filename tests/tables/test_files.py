"""Tables of the command line: built-in data, every format, every library, and bad files."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import bough
from bough.tables import files as tables
from support.command import failing, mixed_file, numbers_file, run, write


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("library", tables.TEXT_READERS)
def test_every_library_reads_a_file_to_the_same_model(monkeypatch, library):
    mixed_file()
    given = ["fit", "mixed.csv", "--target", "y", "--categorical", "code", "--quiet"]
    run(*given, "--out", "any.bough")
    monkeypatch.setattr(tables, "installed", lambda name: name == library)
    assert run(*given, "--out", "one.bough") == (0, "", "")
    model = bough.load("one.bough")
    assert [(c.name, c.kind) for c in model.schema.columns] == [
        ("code", "nominal"),
        ("colour", "nominal"),
        ("size", "numeric"),
        ("flag", "boolean"),
    ]
    assert model.schema.columns[0].values[1] == "001"
    assert Path("any.bough").read_bytes() == Path("one.bough").read_bytes()


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz", "T.CSV", "t.parquet"])
def test_every_format_gives_the_same_tree(name):
    table = pl.DataFrame({"a": list(range(40)), "größe": ["s", "m", None, "l"] * 10, "y": list("uuvv") * 10})
    if name.endswith("parquet"):
        table.write_parquet(name)
    else:
        text = table.write_csv(separator="\t" if "tsv" in name else ",").encode()
        with open(name, "wb") as f:
            f.write(gzip.compress(text) if name.endswith("gz") else text)
    code, out, _ = run("fit", name, "--target", "y", "--quiet", "--out", "m.bough")
    assert (code, out) == (0, "")
    assert "größe in {l, missing}" in bough.load("m.bough").show()


@pytest.mark.parametrize("library", tables.PARQUET_READERS)
def test_every_library_reads_parquet(monkeypatch, library):
    pl.DataFrame({"a": [1.0, None, 3.0, 4.0], "y": ["u", "v", "u", "v"]}).write_parquet("t.parquet")
    monkeypatch.setattr(tables, "installed", lambda name: name == library)
    assert "1 missing cell" in run("fit", "t.parquet", "--target", "y")[1]


def test_without_a_library_files_name_the_extra_and_built_in_data_works(monkeypatch):
    numbers_file()
    monkeypatch.setattr(tables, "installed", lambda name: False)
    code, err = failing("fit", "num.csv", "--target", "y")
    assert code == 1
    assert 'pip install "bough-trees[frames]"' in err
    assert run("fit", "iris", "--quiet")[0] == 0
    assert run("predict", "iris.bough", "iris")[0] == 0


def test_no_library_is_imported_for_built_in_data():
    script = (
        "import sys; sys.modules.update(pandas=None, polars=None, pyarrow=None)\n"
        "from bough.cli import main; sys.exit(main(['demo', '--quiet']))"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


BAD_FILES = {
    "empty.csv": ("", "is empty"),
    "blank.csv": ("\n\n", "is empty"),
    "header.csv": ("a,y\n", "has a header but no rows"),
    "missing.csv": ("a,y\n1,\n2,NA\n", "every cell is missing"),
    "one.csv": ("a,y\n1,x\n2,x\n", "has one value only, 'x'"),
    "alone.csv": ("y\nu\nv\n", "no column to learn from"),
    "twice.csv": ("a,a,y\n1,2,u\n3,4,v\n", "two columns called 'a'"),
    "semicolons.csv": ("a;b;y\n1;2;u\n", "seems to be separated by semicolons"),
    "commas.tsv": ("a,y\n1,u\n", "seems to be separated by commas"),
    "ragged.csv": ("a,b,y\n1,2,u\n3,4,5,v\n", "cannot be read"),
    "infinite.csv": ("a,y\n1,u\ninf,v\n", "column 'a', row 2"),
    "long.csv": (f"a,y\n{2**60},u\n{2**60 + 1},v\n", "beyond 2^53"),
    "plain.csv.gz": ("a,y\n1,u\n", "cannot be unpacked"),
    "fake.parquet": ("hello", "cannot be read"),
    "table.xlsx": ("hello", "use .csv, .tsv"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_answered_with_one_sentence_and_nothing_is_written(name):
    text, said = BAD_FILES[name]
    write(name, text)
    code, err = failing("fit", name, "--target", "y", "--out", "m.bough")
    assert code == 1
    assert said in err
    assert os.listdir() == [name]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_text_that_is_not_utf_8_is_refused(encoding):
    write("t.csv", "größe,y\n1,u\n2,v\n", encoding)
    assert "pass its encoding, such as --encoding latin-1" in failing("fit", "t.csv", "--target", "y")[1]


def test_names_are_cleaned_of_marks_and_blanks_and_an_unnamed_column_gets_a_name():
    write("t.csv", "\ufeff, a ,y\n" + "".join(f"{i},{i},{'uv'[i > 9]}\n" for i in range(20)))
    assert run("fit", "t.csv", "--target", "y")[0] == 0
    assert bough.load("t.bough").schema.names == ["column 1", "a"]


@pytest.mark.parametrize("data", ["nothing.csv", "folder.csv", "irsi", "no/such/thing"])
def test_data_that_is_not_there_is_one_sentence(data):
    os.mkdir("folder.csv")
    code, err = failing("fit", data, "--target", "y")
    assert code == 1
    assert repr(data) in err
    assert ("did you mean 'iris'?" in err) == (data == "irsi")


def test_lines_that_end_in_carriage_returns_alone_are_lines(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes(b"a,y\r1,no\r2,yes\r3,no\r")
    table = tables.read(str(path))
    assert (table.names, table.n_rows) == (["a", "y"], 3)
