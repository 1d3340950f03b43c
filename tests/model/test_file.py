"""The model file: round trips, strictness, damage, atomic saving."""

from __future__ import annotations

import json
import os
import pickle
import struct
import threading
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.tree import DecisionTreeClassifier

import bough
from bough import Model, ModelFileError, TreeClassifier, TreeRegressor, _core
from bough.model import file
from support.models import linear_model, mixed_table, model_with_p_values
from support.mutants import signed


@pytest.fixture(scope="module")
def models():
    """One model of each sort: classes, numbers, multiway, linear."""
    table, y = mixed_table()
    X, digits = load_digits(return_X_y=True)
    return {
        "classes": TreeClassifier().fit(table, y).model_,
        "multiway": TreeClassifier(nominal="multiway", nominal_params={"unseen": "stop"}).fit(table, y).model_,
        "names": TreeClassifier(max_depth=3).fit(table, np.array(["ä", "b", "c"])[y]).model_,
        "numbers": TreeRegressor().fit(table, y * 1.5).model_,
        "digits": TreeClassifier().fit(X, digits).model_,
        "linear": linear_model(),
        "stump": TreeClassifier().fit([[1.0], [2.0]], [0, 0]).model_,
        "tested": model_with_p_values(),
    }


def test_a_linear_node_predicts_prints_and_explains(models):
    model = models["linear"]
    # 2·(x0 − 1) − (x1 + 2) <= 0.5
    assert model.predict([[1, -2], [2, -2], [np.nan, 0]]).tolist() == [0, 1, 0]
    assert model.show().splitlines()[0] == "2·x0 - x1 <= 4.5"
    assert "x0 = 2, x1 = -2, so 2·x0 - x1 = 6 > 4.5" in model.why([2, -2])


@pytest.mark.parametrize("name", ["classes", "multiway", "names", "numbers", "digits", "linear", "stump", "tested"])
def test_a_saved_model_comes_back_the_same(models, name, tmp_path):
    model = models[name]
    path = tmp_path / "m.bough"
    model.save(path)
    again = bough.load(path)
    assert again == model
    assert again.show() == model.show()
    assert [str(r) for r in again.rules()] == [str(r) for r in model.rules()]
    assert pickle.loads(pickle.dumps(model)) == model
    assert repr(again) == repr(model)


def test_predictions_survive_the_file(tmp_path):
    table, y = mixed_table()
    tree = TreeClassifier(max_depth=4).fit(table, y, np.random.default_rng(0).uniform(0.1, 2, len(y)))
    tree.save(tmp_path / "m.bough")
    model = bough.load(tmp_path / "m.bough")
    assert (model.predict_proba(table) == tree.predict_proba(table)).all()
    assert (model.predict(table) == tree.predict(table)).all()
    assert (model.apply(table) == tree.apply(table)).all()


def test_the_file_is_valid_safetensors(models, tmp_path):
    models["digits"].save(tmp_path / "m.bough")
    arrays = load_file(tmp_path / "m.bough")
    assert arrays["kinds"].tolist() == models["digits"].tree.kinds().tolist()


def test_the_same_model_gives_the_same_bytes():
    X, y = load_iris(return_X_y=True)
    assert TreeClassifier().fit(X, y).model_.to_bytes() == TreeClassifier(n_jobs=2).fit(X, y).model_.to_bytes()


@pytest.mark.parametrize("data", [load_iris, load_breast_cancer, load_digits])
def test_the_file_is_at_most_half_of_scikit_learns_pickle(data):
    X, y = data(return_X_y=True)
    ours = len(TreeClassifier().fit(X, y).model_.to_bytes())
    theirs = len(pickle.dumps(DecisionTreeClassifier(random_state=0).fit(X, y)))
    assert ours <= 0.5 * theirs


def test_a_loaded_model_does_not_need_scikit_learn(tmp_path):
    import subprocess
    import sys

    X, y = load_iris(return_X_y=True)
    TreeClassifier().fit(X, y).save(tmp_path / "m.bough")
    code = (
        "import sys, bough; m = bough.load(sys.argv[1]);"
        "print(m.predict([[5.0, 3, 1, 0.2]])[0], any(n.split('.')[0] == 'sklearn' for n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "m.bough"], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "False"], done.stderr


# ---- damage ---------------------------------------------------------------------------------------------------


def test_one_flipped_bit_is_noticed(models):
    data = models["digits"].to_bytes()
    for at in range(len(data) - 400, len(data), 7):
        flipped = bytearray(data)
        flipped[at] ^= 4
        with pytest.raises(ModelFileError, match="checksum"):
            Model.from_bytes(bytes(flipped))


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 100])
def test_a_truncated_file_is_refused(models, size):
    with pytest.raises(ModelFileError):
        Model.from_bytes(models["digits"].to_bytes()[:size])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "shorter than eight"),
        (b"hello world, this is text", "longer than the file"),
        (struct.pack("<Q", 2) + b"[]", "not a JSON object"),
        (struct.pack("<Q", 2) + b"{}", "not a bough model"),
        (struct.pack("<Q", 6) + b"\xff\xfe\x00{}}", "not JSON"),
        (struct.pack("<Q", 200_000) + b"[" * 200_000, "more than 1,000 things"),
        (struct.pack("<Q", 2**63), "longer than the file"),
    ],
)
def test_other_files_are_refused_in_one_sentence(data, message):
    with pytest.raises(ModelFileError, match=message):
        Model.from_bytes(data)


def edited(data, edit):
    """The file with its header changed by ``edit``."""
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + n])
    edit(header)
    text = json.dumps(header).encode()
    return signed(struct.pack("<Q", len(text)) + text + data[8 + n :])


def metadata(header, change):
    meta = json.loads(header["__metadata__"]["model"])
    change(meta)
    header["__metadata__"]["model"] = json.dumps(meta)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda h: h["__metadata__"].update(version="9"), "version '9'"),
        (lambda h: h.pop("cuts"), "does not lie|cuts has 0"),
        (lambda h: h.update(kinds=h.pop("kinds")), "out of order"),
        (lambda h: h.update(extra={}), "unknown array 'extra'"),
        (lambda h: h["cuts"].update(dtype="I64"), "type 'I64'"),
        (lambda h: h["cuts"].update(shape=[10**15]), "does not lie"),
        (lambda h: h["cuts"].update(shape=["x"]), "no numbers"),
        (lambda h: h["kinds"].update(data_offsets=[0, 10**18]), "does not lie"),
        (lambda h: metadata(h, lambda m: m.update(columns=-1)), "number of columns"),
        (lambda h: metadata(h, lambda m: m.update(n_classes=-1)), "n_classes"),
        (lambda h: metadata(h, lambda m: m.update(n_classes=1)), "broken|classes"),
        (lambda h: metadata(h, lambda m: m.update(criterion="os.system")), "criterion"),
        (lambda h: metadata(h, lambda m: m.update(columns=[])), "columns"),
        (lambda h: metadata(h, lambda m: m["columns"].__setitem__(0, 7)), "column 0"),
        (lambda h: metadata(h, lambda m: m["columns"][1].__setitem__(2, ["s", "s", "m", None])), "distinct"),
        (lambda h: metadata(h, lambda m: m["classes"].update(dtype="<M8[s]")), "type"),
        (lambda h: metadata(h, lambda m: m["classes"].update(dtype="|V999999")), "type"),
        (lambda h: metadata(h, lambda m: m["classes"].update(values=[0, 0, 1])), "distinct"),
        (lambda h: metadata(h, lambda m: m["columns"].__setitem__(0, "\ud800")), "Unicode"),
        (lambda h: metadata(h, lambda m: m.update(origin=[])), "origin is not described"),
        (lambda h: metadata(h, lambda m: m["origin"].pop("estimator")), "origin is not described"),
        (lambda h: metadata(h, lambda m: m["origin"].update(run="rm")), "origin is not described"),
        (lambda h: metadata(h, lambda m: m["origin"].update(estimator="T" * 201)), "origin has a name"),
        (lambda h: metadata(h, lambda m: m["origin"].update(search=["auto"])), "origin has a name"),
        (lambda h: metadata(h, lambda m: m["origin"].update(estimator="\ud800")), "Unicode"),
        (lambda h: metadata(h, lambda m: m["origin"].update(alpha=2)), "origin has an alpha"),
        (lambda h: metadata(h, lambda m: m["origin"].update(alpha=True)), "origin has an alpha"),
        (lambda h: metadata(h, lambda m: m["origin"].update(parameters=[])), "origin has parameters"),
        (lambda h: metadata(h, lambda m: m["origin"]["parameters"].update(x=[1])), "origin has parameters"),
        (lambda h: metadata(h, lambda m: m["origin"]["parameters"].update(x={"y": {}})), "origin has parameters"),
        (lambda h: metadata(h, lambda m: m["origin"]["parameters"].update(x=10**400)), "origin has parameters"),
        (lambda h: metadata(h, lambda m: m["origin"]["parameters"].update(x="a" * 201)), "origin has parameters"),
        (lambda h: metadata(h, lambda m: m["origin"]["parameters"].update({"\ud800": 1})), "Unicode"),
        (
            lambda h: metadata(h, lambda m: m["origin"].update(parameters=dict.fromkeys(map(str, range(101))))),
            "too many",
        ),
    ],
)
def test_a_header_that_lies_is_refused(models, edit, message):
    with pytest.raises(ModelFileError, match=message):
        Model.from_bytes(edited(models["classes"].to_bytes(), edit))


BREAKS = {
    "kinds": [lambda a: a.fill(9), lambda a: a.fill(1), lambda a: a.__setitem__(0, 0)],
    "columns": [lambda a: a.fill(99)],
    "cuts": [lambda a: a.fill(np.nan), lambda a: a.fill(-np.inf)],
    "missing": [lambda a: a.fill(7)],
    "values": [lambda a: a.fill(0), lambda a: a.fill(77)],
    "value_left": [lambda a: a.fill(1), lambda a: a.fill(3)],
    "value_counts": [lambda a: a.fill(1), lambda a: a.fill(2**31)],
    "others": [lambda a: a.fill(5)],
    "leaf_rows": [lambda a: a.fill(0)],
    "leaf_weights": [lambda a: a.fill(-1), lambda a: a.fill(np.nan), lambda a: a.fill(0), lambda a: a.fill(np.inf)],
    "gains": [lambda a: a.fill(np.nan)],
}


@pytest.mark.parametrize(("name", "change"), [(n, c) for n, changes in BREAKS.items() for c in changes])
def test_every_broken_array_is_named_before_a_tree_exists(models, name, change):
    tree = models["classes"].tree
    parts = {k: v.copy() for k, v in tree.parts().items()}
    assert parts[name].size
    change(parts[name])
    with pytest.raises(ValueError):
        _core.Tree.from_parts(tree.n_columns, tree.n_classes, parts)


@pytest.mark.parametrize("name", ["classes", "linear", "numbers"])
def test_every_array_of_the_wrong_length_is_refused(models, name):
    tree = models[name].tree
    for key in tree.parts():
        for cut in (lambda a: a[:-1], lambda a: np.concatenate([a, a[:1]]) if a.size else np.zeros(1, a.dtype)):
            parts = dict(tree.parts())
            changed = np.ascontiguousarray(cut(parts[key]))
            if changed.size == parts[key].size:
                continue
            if key == "centers" and changed.size == 0:
                continue
            parts[key] = changed
            with pytest.raises(ValueError):
                _core.Tree.from_parts(tree.n_columns, tree.n_classes, parts)


# ---- saving ---------------------------------------------------------------------------------------------------


def test_saving_is_all_or_nothing(models, tmp_path, monkeypatch):
    path = tmp_path / "m.bough"
    models["stump"].save(path)
    before = path.read_bytes()

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        models["digits"].save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.bough"]


def test_saving_to_a_folder_that_is_not_there_says_so(models, tmp_path):
    with pytest.raises(FileNotFoundError):
        models["stump"].save(tmp_path / "no" / "m.bough")
    with pytest.raises(FileNotFoundError):
        bough.load(tmp_path / "m.bough")


def test_a_model_can_be_used_from_many_threads_at_once(models):
    X, _ = load_digits(return_X_y=True)
    expected = models["digits"].predict(X)
    again = Model.from_bytes(models["digits"].to_bytes())
    results = []
    workers = [threading.Thread(target=lambda: results.append(again.predict(X))) for _ in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert len(results) == 8
    assert all((r == expected).all() for r in results)


@pytest.mark.parametrize("wide", ["<U10", ">U10", "<U1000"])
def test_classes_among_wider_texts_are_saved_and_read(wide):
    X = np.arange(6.0).reshape(-1, 1)
    for names in (["a", "bb"] * 3, ["", "a"] * 3, [""] * 6, ["a\0", "b"] * 3):
        tree = TreeClassifier().fit(X, np.array(names, dtype=wide))
        again = Model.from_bytes(tree.model_.to_bytes())
        assert again == tree.model_
        assert (again.predict(X) == tree.predict(X)).all()
        assert (pickle.loads(pickle.dumps(tree)).predict(X) == tree.predict(X)).all()
        # as files were written before
        meta = tree.model_.metadata()
        meta["classes"]["dtype"] = np.dtype(wide).newbyteorder("<").str
        bare = replace(tree.model_, printed=None)
        assert Model.from_bytes(file.to_bytes(file.arrays_of(bare.tree), meta)) == bare


def test_the_file_keeps_metadata_of_the_user_and_the_version_of_the_library(tmp_path):
    import bough

    tree = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    given = {"author": "Ada", "rows": 2, "nested": {"list": [1.5, None, True]}, "naïve": "é\n"}
    tree.save(tmp_path / "t.bough", metadata=given)
    model = bough.load(tmp_path / "t.bough")
    assert model.user_metadata == given
    assert model.saved_by == bough.__version__
    assert tree.model_.user_metadata == {}
    model.save(tmp_path / "again.bough")  # what is not given anew stays
    assert (tmp_path / "again.bough").read_bytes() == (tmp_path / "t.bough").read_bytes()
    model.save(tmp_path / "none.bough", metadata={})
    assert bough.load(tmp_path / "none.bough").user_metadata == {}
    tree.save(tmp_path / "plain.bough")
    assert (tmp_path / "plain.bough").read_bytes() == (tmp_path / "none.bough").read_bytes()


@pytest.mark.parametrize(
    "wrong",
    [["a"], {"a": object()}, {"a": float("nan")}, {"a": (1, 2)}, {1: "a"}, {"a": "x" * 1_000_001}, {"a": "\ud800"}],
)
def test_metadata_that_would_not_come_back_is_refused(tmp_path, wrong):
    import bough

    tree = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(bough.ParameterError, match="metadata"):
        tree.save(tmp_path / "t.bough", metadata=wrong)
    assert not (tmp_path / "t.bough").exists()


def test_a_fit_is_logged_under_the_name_of_the_library(caplog):
    import logging

    import bough

    with caplog.at_level(logging.INFO, logger="bough"):
        bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    assert [r.getMessage() for r in caplog.records if r.name == "bough"] == [
        "TreeClassifier: 2 rows, lists: nodes look at all columns"
    ]
