"""The commands: what they print and what they write."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.registry import plugins
from bough.tables import files as tables
from bough.tables.built_in import BUILT_IN
from support.command import failing, mixed_file, numbers_file, rows, run, write

IRIS_COLUMNS = ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# ---- fit ------------------------------------------------------------------------------------------------------


def test_fit_of_built_in_data_tells_all_it_should_and_ends_with_the_next_step():
    code, out, err = run("fit", "iris")
    assert (code, err) == (0, "")
    for text in (
        "150 rows, 4 columns (4 numeric), no missing cells",
        "species: 3 classes (setosa 50, versicolor 50, virginica 50)",
        "task       classification: the target is text",
        "petal length (cm) <= ",
        "depth",
        "training   accuracy ",
        "held out   accuracy ",
        "written    iris.bough",
    ):
        assert text in out
    assert out.splitlines()[-1] == "next: bough predict iris.bough NEWDATA.csv"
    model = bough.load("iris.bough")
    assert model.schema.names == IRIS_COLUMNS
    assert model.classes.tolist() == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_data_set_can_be_fitted_and_predicted(name):
    assert run("fit", name, "--quiet") == (0, "", "")
    code, out, _ = run("predict", f"{name}.bough", name)
    labels = [line[0] for line in csv.reader(out.splitlines()[1:])]
    truth = [str(v) for v in tables.read(name).cells[:, -1]]
    assert code == 0
    assert np.mean(np.array(labels) == np.array(truth)) > 0.9


def test_the_same_command_writes_the_same_bytes():
    for out in ("a.bough", "b.bough"):
        run("fit", "wine", "--split", "random", "--out", out)
    assert Path("a.bough").read_bytes() == Path("b.bough").read_bytes()


def test_options_reach_the_estimator():
    given = ["--criterion", "entropy", "--max-depth", 2, "--min-samples-leaf", "0.05", "--test-share", 0, "--json"]
    code, out, _ = run("fit", "wine", *given, "--set", "min_info_gain=0.01", "--set", 'class_weight="balanced"')
    facts = json.loads(out)
    assert code == 0
    assert facts["criterion"] == "entropy"
    assert facts["size"]["depth"] == 2
    assert facts["scores"]["training"]["rows"] == 178
    assert facts["scores"]["held_out"] is None
    table = tables.read("wine")
    wanted = bough.TreeClassifier(
        criterion="entropy", max_depth=2, min_samples_leaf=0.05, min_info_gain=0.01, class_weight="balanced"
    ).fit(table.cells[:, :-1].astype(float), table.cells[:, -1])
    assert facts["size"]["nodes"] == wanted.model_.n_nodes


def test_a_dotted_set_reaches_a_dict_of_parameters():
    assert run("fit", "iris", "--quiet", "--split", "random", "--set", "split_params.candidates=3")[0] == 0
    code, err = failing("fit", "iris", "--force", "--split", "random", "--set", "split_params.candidats=3")
    assert code == 2
    assert "did you mean 'candidates'?" in err


@pytest.mark.parametrize(
    ("column", "task"),
    [
        (lambda i: "ab"[i % 2], "classification"),
        (lambda i: i > 30, "classification"),
        (lambda i: i % 20, "classification"),
        (lambda i: i % 21, "regression"),
        (lambda i: i / 4, "regression"),
    ],
    ids=["text", "booleans", "20 whole numbers", "21 whole numbers", "decimals"],
)
def test_the_task_follows_from_the_target(column, task):
    write("t.csv", rows("a,y", 63, lambda i: f"{i},{column(i)}"))
    code, out, _ = run("fit", "t.csv", "--target", "y")
    assert code == 0
    assert f"task       {task}: the target " in out
    assert ("RMSE" in out) == (task == "regression")


def test_task_regression_overrules_whole_numbers():
    write("t.csv", rows("a,y", 40, lambda i: f"{i},{i % 4}"))
    code, out, _ = run("fit", "t.csv", "--target", "y", "--task", "regression", "--json")
    assert code == 0
    assert json.loads(out)["target"]["task"] == "regression"
    assert bough.load("t.bough").regression


def test_held_out_rows_are_the_same_share_of_each_class_and_never_all_of_it():
    write("t.csv", rows("a,y", 101, lambda i: f"{i},{'rare' if i == 100 else 'ab'[i % 2]}"))
    _, out, _ = run("fit", "t.csv", "--target", "y", "--test-share", "0.5", "--json")
    scores = json.loads(out)["scores"]
    assert (scores["training"]["rows"], scores["held_out"]["rows"]) == (51, 50)
    assert bough.load("t.bough").classes.tolist() == ["a", "b", "rare"]


def test_rows_without_a_target_are_left_out_and_counted():
    write("t.csv", rows("a,y", 40, lambda i: f"{i},{'' if i % 10 == 0 else i % 2}"))
    code, out, _ = run("fit", "t.csv", "--target", "y")
    assert code == 0
    assert "left out: 4 rows without a target" in out
    assert bough.load("t.bough").classes.tolist() == [0, 1]


def test_a_feature_of_built_in_data_can_be_the_target_and_the_class_a_column():
    code, out, _ = run("fit", "iris", "--target", "petal width (cm)")
    assert code == 0
    assert "4 columns (3 numeric, 1 nominal)" in out
    assert "R² 0.9" in out


def test_drop_and_categorical_take_lists_and_names_with_commas():
    write("t.csv", rows('"a, b",c,d,y', 40, lambda i: f"{i},{i % 5},{i % 3},{'uv'[i % 5 > 2]}"))
    code, out, _ = run("fit", "t.csv", "--target", "y", "--drop", "a, b", "--categorical", "c,d")
    assert code == 0
    assert "2 columns (2 nominal)" in out
    assert [c.values for c in bough.load("t.bough").schema.columns] == [tuple("01234"), tuple("012")]


def test_a_model_that_was_fitted_standardised_is_saved_so():
    assert run("fit", "iris", "--split", "node_means_pca", "--set", "standardize=true")[0] == 0
    assert bough.load("iris.bough").standardize


def test_an_existing_file_is_kept_unless_forced():
    write("iris.bough", "mine")
    code, err = failing("fit", "iris")
    assert code == 1
    assert "--force" in err
    assert Path("iris.bough").read_text() == "mine"
    assert run("fit", "iris", "--force", "--quiet")[0] == 0


def test_a_command_never_overwrites_what_it_reads():
    numbers_file()
    before = Path("num.csv").read_text()
    assert failing("fit", "num.csv", "--target", "y", "--out", "num.csv", "--force")[0] == 1
    run("fit", "num.csv", "--target", "y")
    assert failing("predict", "num.bough", "num.csv", "--out", "num.csv", "--force")[0] == 1
    assert Path("num.csv").read_text() == before


def test_a_text_column_of_names_is_pointed_out():
    write("t.csv", rows("who,a,y", 40, lambda i: f"person {i},{i},{'uv'[i > 9]}"))
    assert run("fit", "t.csv", "--target", "y")[2].count("'who' has a different value") == 1


def test_a_wrong_target_name_is_answered_with_the_nearest_one():
    assert "did you mean 'species'?" in failing("fit", "iris", "--target", "specis")[1]
    numbers_file()
    assert "no column 'z'" in failing("fit", "num.csv", "--target", "z")[1]


def test_a_huge_depth_is_as_good_as_none():
    assert run("fit", "iris", "--max-depth", "9" * 30, "--quiet") == (0, "", "")


# ---- predict --------------------------------------------------------------------------------------------------


@pytest.fixture
def iris():
    run("fit", "iris", "--quiet")
    return "iris.bough"


def test_predictions_are_csv_on_stdout_with_a_column_for_each_class_on_demand(iris):
    code, out, err = run("predict", iris, "iris", "--proba")
    found = list(csv.reader(out.splitlines()))
    assert (code, err, len(found)) == (0, "", 151)
    assert found[0] == ["prediction", "setosa", "versicolor", "virginica"]
    assert found[1] == ["setosa", "1.0", "0.0", "0.0"]


def test_predictions_go_to_a_file_whole_and_not_over_another_one(iris):
    assert "150 predictions" in run("predict", iris, "iris", "--out", "p.csv")[1]
    assert Path("p.csv").read_text() == run("predict", iris, "iris")[1]
    assert "--force" in failing("predict", iris, "iris", "--out", "p.csv")[1]
    assert run("predict", iris, "iris", "--out", "p.csv", "--force", "--quiet") == (0, "", "")


def test_columns_are_found_by_name_in_any_order_among_others(iris):
    table = tables.read("iris")
    order = [4, 2, 0, 3, 1]
    write("new.csv", ",".join(table.names[i] for i in order) + ",more\n")
    with open("new.csv", "a") as f:
        f.writelines(",".join(str(row[i]) for i in order) + ",x\n" for row in table.cells)
    assert run("predict", iris, "new.csv") == run("predict", iris, "iris")


def test_text_columns_stay_text_even_if_new_rows_look_like_numbers():
    write("t.csv", rows("code,y", 60, lambda i: f"{['01', '02', 'x'][i % 3]},{'uvu'[i % 3]}"))
    run("fit", "t.csv", "--target", "y", "--quiet")
    write("new.csv", "code\n02\n01\n02\n")
    assert run("predict", "t.bough", "new.csv")[1].split() == ["prediction", "v", "u", "v"]


def test_a_regression_model_predicts_numbers_and_has_no_shares():
    numbers_file()
    run("fit", "num.csv", "--target", "y", "--test-share", "0", "--quiet")
    assert [float(x) for x in run("predict", "num.bough", "num.csv")[1].split()[1:]] == [
        i * 1.5 + 0.25 for i in range(60)
    ]
    assert failing("predict", "num.bough", "num.csv", "--proba")[0] == 2


def test_a_table_without_the_columns_of_the_model_is_refused(iris):
    numbers_file()
    for data in ("num.csv", "wine"):
        code, err = failing("predict", iris, data)
        assert code == 1
        assert "lacks 4 column(s)" in err


# ---- show, check, list, demo ------------------------------------------------------------------------------------


def test_show_prints_the_tree_the_rules_or_the_way_of_one_row(iris):
    model = bough.load(iris)
    assert run("show", iris)[1] == model.show() + "\n"
    assert run("show", iris, "--max-depth", 1, "--digits", 2, "--quiet")[1] == model.show(1, 2) + "\n"
    assert run("show", iris, "--rules")[1].splitlines() == [str(r) for r in model.rules()]
    row = tables.read("iris").cells[50, :4].tolist()
    assert run("show", iris, "--why", 51, "--data", "iris")[1] == model.why(row) + "\n"


def test_why_works_on_the_rows_of_a_file():
    mixed_file()
    run("fit", "mixed.csv", "--target", "y", "--categorical", "code", "--quiet")
    code, out, _ = run("show", "mixed.bough", "--why", 2, "--data", "mixed.csv")
    assert code == 0
    assert "code = 001, so code " in out


@pytest.mark.parametrize("row", [0, -1, 151])
def test_a_row_that_is_not_there_is_refused_with_the_rows_there_are(iris, row):
    assert "rows 1 to 150" in failing("show", iris, "--why", row, "--data", "iris")[1]


def test_check_tells_what_a_model_is(iris):
    code, out, _ = run("check", iris)
    assert code == 0
    assert out.splitlines()[-2:] == ["ok", f"next: bough show {iris}"]
    for text in ("classification, 3 classes: setosa, versicolor, virginica", "4 numeric", "nodes", "gini", "bytes"):
        assert text in out
    assert run("check", iris, "--quiet") == (0, "", "")


@pytest.mark.parametrize("command", [["check"], ["show"], ["predict"]], ids=lambda c: c[0])
@pytest.mark.parametrize("damage", ["text", "empty", "cut", "longer", "missing", "folder"])
def test_a_damaged_model_file_is_one_sentence_and_exit_code_1(iris, command, damage):
    data = Path(iris).read_bytes()
    os.remove(iris)
    if damage == "folder":
        os.mkdir(iris)
    elif damage != "missing":
        new = {"text": b"hello, this is no model", "empty": b"", "cut": data[:-9], "longer": data + b"\0"}[damage]
        Path(iris).write_bytes(new)
    code, err = failing(*command, iris, *(["iris"] if command == ["predict"] else []))
    assert code == 1
    assert "'iris.bough'" in err


def test_list_shows_every_plug_in_with_its_doc_source_and_parameters():
    out = " ".join(run("list")[1].split())  # long lines are wrapped
    for kind, entries in plugins().items():
        assert f"{kind}: " in out
        for e in entries.values():
            assert " ".join(f"{e.doc} [{e.source}]".split()) in out
            for p in e.params:
                assert " ".join(f"{p.name}={p.default}: {p.doc}".split()) in out
    assert run("list", "prune", "--quiet")[1].split() == list(plugins()["prune"])
    assert "did you mean 'criterion'?" in failing("list", "criteria")[1]


def test_the_demo_fits_compares_explains_saves_and_shows():
    code, out, _ = run("demo")
    assert code == 0
    for text in ("344 rows", "held out   accuracy 0.", "Why row", "predicts all 344 rows as before", "demo.html"):
        assert text in out
    facts = json.loads(run("demo", "--json")[1])
    assert facts["linear"]["lda"]["nodes"] == 3 < facts["linear"]["axis"]["nodes"]
    assert [s["system"] for s in facts["systems"]] == ["cart", "ctree", "fact", "cart-elc"]
    assert Path("demo.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    following = out.splitlines()[-1].removeprefix("next: bough ").split()
    assert run(*following)[0] == 0
    assert run("demo", "--quiet") == (0, "", "")
