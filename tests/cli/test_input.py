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


def test_columns_of_dates_are_named_with_the_way_out():
    write("t.csv", rows("day,at,x,y", 30, lambda i: f"2024-01-{i + 1:02d},2024-01-01T0{i % 9}:00:00,{i},{'uv'[i % 2]}"))
    code, out, _ = run("fit", "t.csv", "--target", "y")
    assert code == 0
    assert (
        "note       'day' holds dates such as 2024-01-01, taken as text; make them numbers (days since), or --drop"
        in out
    )
    assert "'at' holds dates such as 2024-01-01T00:00:00" in out
    assert "dates" not in run("fit", "iris")[1]


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
