"""Where tables come from on the command line, names that are checked first, dates, and completion in shells."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest

import bough
from bough.cli.command import in_options
from bough.registry import plugins
from bough.tables import files
from support.command import failing, process, rows, run, write


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def piped(monkeypatch, data):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def table(separator=",", n=40):
    return rows(separator.join("aby"), n, lambda i: separator.join([str(i), str(i % 7), "uv"[i > n // 2]]))


@pytest.mark.slow
def test_compare_reads_any_file_with_sep_too():
    write("t.csv", table())
    write("s.csv", table(";"))
    how = ("--target", "y", "--systems", "cart", "--repeats", "1", "--folds", "2", "--json")
    assert "add --sep ';'" in failing("compare", "s.csv", *how)[1]
    found = [json.loads(run("compare", *given, *how)[1]) for given in (("t.csv",), ("s.csv", "--sep", ";"))]
    a, b = (next(iter(f["data"].values()))["systems"]["cart"] for f in found)
    assert a["accuracy"] == b["accuracy"]
    with pytest.raises(bough.ParameterError, match="sep is ';;'"):
        bough.compare("cart", "s.csv", target="y", sep=";;")


def test_compare_and_fit_read_the_same_text_file_the_same_way():
    rows = "".join(f"{i % 7},{i % 10};{i * 1000 + i:,};0{i % 4};{'ü' if i % 7 > 3 else 'v'}\n" for i in range(60))
    write("t.csv", "größe;betrag;plz;y\n" + rows, "latin-1")
    how = ["--sep", ";", "--decimal", ",", "--encoding", "latin-1", "--text", "plz"]
    code, _, err = run("fit", "t.csv", "--target", "y", "--thousands", ".", *how)
    assert code == 0, err
    kinds = {c.name: c.kind for c in bough.load("t.bough").schema.columns}
    assert kinds == {"größe": "numeric", "betrag": "numeric", "plz": "nominal"}
    code, out, err = run(
        "compare", "t.csv", "--target", "y", "--systems", "cart", "--repeats", "1", "--folds", "3", *how
    )
    assert (code, err) == (0, "")
    assert "cart" in out
    assert "pass its encoding" in failing("compare", "t.csv", "--target", "y", "--systems", "cart")[1]
    code, err = failing("fit", "t.csv", "--target", "y", "--decimal", ",", "--thousands", ",")
    assert (code, "must differ" in err) == (2, True)
    assert "no data set has a column 'zip'" in failing("compare", "iris", "--systems", "cart", "--text", "zip")[1]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_table_can_come_from_the_standard_input(monkeypatch, separator):
    piped(monkeypatch, table(separator).encode())
    code, out, err = run("fit", "-", "--target", "y", "--test-share", "0")
    assert (code, err) == (0, "")
    assert "stdin: 40 rows, 2 columns (2 numeric)" in out
    write("t.csv", table())
    run("fit", "t.csv", "--target", "y", "--test-share", "0")
    assert bough.load("model.bough") == bough.load("t.bough")
    piped(monkeypatch, gzip.compress(table(separator).encode()))
    assert run("predict", "t.bough", "-")[1] == run("predict", "t.bough", "t.csv")[1]


def test_a_pipe_of_a_real_process_is_read():
    write("t.csv", table())
    run("fit", "t.csv", "--target", "y", "--quiet")
    done = process("predict", "t.bough", "-", input=b"a,b\n1,1\n39,1\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.split() == [b"prediction", b"u", b"v"]


def test_a_text_file_is_read_by_its_header_and_any_file_with_sep():
    write("t.csv", table())
    assert files.read(write("t.txt", table(";"))).names == ["a", "b", "y"]
    assert files.read(write("tabs.txt", table("\t"))).names == ["a", "b", "y"]
    run("fit", "t.csv", "--target", "y", "--quiet")
    wanted = run("predict", "t.bough", "t.csv")[1]
    for name, separator, given in (("x.data", "|", "|"), ("y.csv", ";", ";"), ("z.csv", "\t", "tab"), ("c", ":", ":")):
        write(name, table(separator))
        assert run("predict", "t.bough", name, "--sep", given)[1] == wanted
    assert "--sep" in failing("predict", "t.bough", "x.data")[1]
    code, err = failing("predict", "t.bough", "y.csv")
    assert code == 1
    assert "add --sep ';'" in err
    assert failing("predict", "t.bough", "y.csv", "--sep", "::")[0] == 2


@pytest.mark.parametrize("data", [b"", b"\n", b"\x1f\x8bnonsense", b"PAR1\xff\xfe"])
def test_an_input_that_is_no_table_is_refused_in_one_sentence(monkeypatch, data):
    piped(monkeypatch, data)
    code, err = failing("fit", "-", "--target", "y")
    assert code == 1
    assert "'stdin'" in err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--criterion", "ginni"], "did you mean 'gini'?"),
        (["--split", "axes"], "did you mean 'axis'?"),
        (["--system", "chart"], "did you mean 'cart'?"),
        (["--set", "max_dept=3"], "did you mean 'max_depth'?"),
        (["--set", "spilt_params.r=3"], "did you mean 'split_params'?"),
    ],
)
def test_names_are_checked_before_a_table_is_read(monkeypatch, given, told):
    def read(*_):
        raise AssertionError("the table was read")

    monkeypatch.setattr(files, "read", read)
    code, err = failing("fit", "iris", *given)
    assert code == 2
    assert told in err


def test_a_dialect_that_is_none_is_told_before_the_model_is_read():
    code, err = failing("export", "nothing.bough", "--sql", "t.sql", "--dialect", "duckdbb")
    assert code == 2
    assert "did you mean 'duckdb'?" in err
    assert not Path("t.sql").exists()


def test_columns_of_dates_are_read_as_dates():
    write("t.csv", rows("day,at,x,y", 30, lambda i: f"2024-01-{i + 1:02d},2024-01-01T0{i % 9}:00:00,{i},{'uv'[i < 9]}"))
    code, out, _ = run("fit", "t.csv", "--target", "y", "--drop", "x")
    assert code == 0
    assert "dates: day" in out
    assert "times: at" in out
    assert "day before 2024-01-" in out
    run("predict", "t.bough", "t.csv", "--out", "p.csv")
    assert Path("p.csv").read_text().splitlines()[1:] == ["v"] * 9 + ["u"] * 21
    assert "2024" in run("show", "t.bough", "--why", "1", "--data", "t.csv")[1]
    _, err = failing("fit", "t.csv", "--target", "day", "--force")
    assert "the target 'day' holds dates" in err


def numbers_as_people_write_them():
    return write(
        "n.csv", rows("zip,price,amount,y", 40, lambda i: f'0{i:04d},"{i},5","1,{i:03d}.50",{"uv"[i % 40 < 20]}')
    )


def test_what_may_have_been_meant_otherwise_is_named_with_the_option_for_it():
    _, out, _ = run("fit", numbers_as_people_write_them(), "--target", "y")
    assert "numbers: zip\n" in out
    assert "note       'zip' is read as numbers, although 00000 begins with 0; add --text zip to keep it as text" in out
    assert "'price' is read as text such as 0,5; if these are numbers, add --decimal ," in out
    assert "'amount' is read as text such as 1,000.50; if these are numbers, add --thousands ," in out


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_numbers_are_read_as_the_options_say(monkeypatch, library):
    pytest.importorskip(library)
    monkeypatch.setattr(files, "installed", lambda name: name == library)
    table = files.read(numbers_as_people_write_them(), files.reading_of(thousands=",", text=["zip"]))
    assert table.cells["zip"].to_list()[:2] == ["00000", "00001"]
    assert table.cells["amount"].to_list()[:2] == [1000.5, 1001.5]
    assert table.cells["price"].to_list()[:2] == ["0,5", "1,5"]
    table = files.read("n.csv", files.reading_of(decimal=",", thousands="."))
    assert table.cells["price"].to_list()[:2] == [0.5, 1.5]
    write("t.csv", "a;b\n1.234,5;1.234\n-2,5;x\n")
    table = files.read("t.csv", files.reading_of(";", ",", "."))
    assert table.cells["a"].to_list() == [1234.5, -2.5]
    assert table.cells["b"].to_list() == ["1.234", "x"]


def test_decimal_marks_reach_every_command():
    numbers_as_people_write_them()
    options = ("--decimal", ",", "--text", "zip")
    assert run("fit", "n.csv", "--target", "y", *options, "--drop", "amount")[0] == 0
    assert "price: " not in run("show", "n.bough")[1]
    for command in (("predict", "n.bough", "n.csv"), ("show", "n.bough", "--why", "1", "--data", "n.csv")):
        assert run(*command, *options)[0] == 0
    _, err = failing("predict", "n.bough", "n.csv")
    assert "holds '0,5', but in training it held numbers" in err
    assert failing("fit", "n.csv", "--target", "y", "--decimal", ",", "--thousands", ",")[0] == 2


def test_predictions_keep_columns_and_give_reasons():
    write("k.csv", rows("id,a,y", 30, lambda i: f"k{i},{i},{'uv'[i < 12]}"))
    run("fit", "k.csv", "--target", "y", "--drop", "id", "--test-share", "0")
    _, out, _ = run("predict", "k.bough", "k.csv", "--keep", "id", "--why", "--proba")
    lines = out.splitlines()
    assert lines[0] == "id,prediction,u,v,reason"
    assert lines[1] == "k0,v,0.0,1.0,a <= 11.5"
    assert lines[30] == "k29,u,1.0,0.0,a > 11.5"
    facts = json.loads(run("predict", "k.bough", "k.csv", "--keep", "id", "--why", "--json")[1])
    assert facts["keep"]["id"][:2] == ["k0", "k1"]
    assert facts["reasons"][0] == "a <= 11.5"
    assert "did you mean 'id'?" in failing("predict", "k.bough", "k.csv", "--keep", "idd")[1]


def test_what_was_probably_meant_is_named():
    assert failing("fit", "iris", "--max-dept", "3")[1].startswith(
        "bough: fit has no option --max-dept; did you mean '--max-depth'?"
    )
    assert "there is no command 'fiit'; did you mean 'fit'?" in failing("fiit", "iris")[1]
    assert "did you mean '--proba'?" in failing("predict", "m", "iris", "--prob")[1]
    assert failing("fit", "iris", "--nothing-like-it")[0] == 2


def test_the_target_is_looked_for_before_the_output():
    write("t.csv", rows("a,b", 9, lambda i: f"{i},{i % 2}"))
    write("t.bough", "taken")
    assert "needs a target" in failing("fit", "t.csv")[1]
    assert "'t.bough' exists" in failing("fit", "t.csv", "--target", "b")[1]


def test_errors_count_rows_from_one_and_name_options_of_the_command_line():
    write("t.csv", rows("a,b", 30, lambda i: f"{'inf' if i == 4 else i},{i % 2}"))
    assert "row 5" in failing("fit", "t.csv", "--target", "b")[1]
    assert in_options("pass categorical_features for row 0 of 2") == "pass --categorical for row 1 of 2"
    write("u.csv", "a,b,y\n1,2,0\n3\n4,5,1\n")
    assert "line 3 has 1 cell, but the header names 3 columns: '3'" in failing("fit", "u.csv", "--target", "y")[1]


def test_the_list_fits_a_terminal():
    _, out, _ = run("list")
    assert max(map(len, out.splitlines())) <= 110


def completed(*words):
    """What bash offers behind these words."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    quoted = " ".join(f"'{w}'" for w in ("bough", *words))
    asked = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _bough; echo ${{COMPREPLY[@]}}"
    script = f"{run('completion', 'bash')[1]}\n{asked}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_options_names_and_files():
    write("mine.csv", table())
    assert completed("pre") == ["predict"]
    assert completed("fit", "--crit") == ["--criterion"]
    assert completed("fit", "iris", "--criterion", "") == list(plugins()["criterion"])
    assert completed("fit", "iris", "--system", "cart-") == ["cart-elc", "cart-lc"]
    assert completed("fit", "mi") == ["mine.csv"]
    assert completed("list", "cr") == ["criterion"]


def test_every_shell_gets_a_script_with_every_command_and_option():
    for shell in ("bash", "zsh", "fish"):
        code, out, _ = run("completion", shell)
        assert code == 0
        for word in ("predict", "export", "completion", "max-depth", "squared_gini", "penguins", "cart-elc"):
            assert word in out
    assert failing("completion", "tcsh")[0] == 2
