"""The report as a file: data, style and script in one page with a content security policy."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import tempfile
import webbrowser
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._version import __version__
from ...errors import ParameterError, shown
from ...model.pruning import points_of
from ...model.refinement import Refinement
from ...model.writing import save
from ...registry import plugins
from . import explained, measure, structure
from .groups import by_group
from .numbers import exact, short
from .pruning import pruning_path
from .rounds import rounds_of

if TYPE_CHECKING:
    from ...model.model import Model

MOST_RULES = 500
MOST_NEAR = 5  # trees that are nearly as good


class Report:
    """A page about a tree. It holds everything it needs: no request is made when it is looked at.

    In a notebook the page is shown in a sandboxed frame.
    """

    def __init__(self, page: str) -> None:
        self.page = page

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file, whole or not at all, and returns its path."""
        save(path, self.page.encode())
        return Path(path)

    def open(self) -> Path:
        """Writes the page to a temporary file and shows it in the browser."""
        handle, name = tempfile.mkstemp(prefix="bough-", suffix=".html")
        os.close(handle)
        path = self.save(name)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        return (
            '<iframe sandbox="allow-scripts allow-downloads" title="report of a decision tree" '
            'style="width:100%;height:760px;border:1px solid #c6c1b6;border-radius:8px" '
            f'srcdoc="{html.escape(self.page, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<bough report: {len(self.page.encode()):,} bytes; save(path), open()>"


@np.errstate(over="ignore", invalid="ignore")  # what is no number has no place in the page
def report(
    model: Model,
    X: Any = None,
    y: Any = None,
    *,
    tree: int = 0,
    target: str | None = None,
    include_rows: bool = False,
    others: Any = None,
    near: Any = None,
    groups: Any = None,
) -> Report:
    """The report of one tree of a model; see `Model.report`."""
    more: dict[str, Any] = {} if groups is None else {"by": by_group(model, X, y, groups)}
    if model.boosting is not None:  # a page about one of its trees, whose targets no table has
        step = model.stage(tree)
        found = data_of(step, X, None, target=target, include_rows=include_rows, others=others)
        for of_one in ("shap", "dep"):
            found.pop(of_one, None)
        told: dict[str, Any] = {
            "rounds": rounds_of(model, tree, X, y),
            "params": parameters_of(model),
            "imp": structure.importances(model),
        }
        if X is not None and (contributed := explained.contributions_of(model, X)):
            told["shap"] = contributed
        if X is not None and model.classes is None:
            told["dep"] = explained.dependences_of(model, X, told["imp"])
        return page_of(step, 0, {**found, **told, **more, "file": about_file(model, include_rows)})
    options: dict[str, Any] = {"target": target, "include_rows": include_rows, "others": others}
    data = {**data_of(model, X, y, tree=tree, **options), **more}
    return page_of(model, tree, data if near is None else {**data, "near": nearly_as_good(near)})


def data_of(
    model: Model,
    X: Any,
    y: Any,
    *,
    tree: int = 0,
    target: str | None,
    include_rows: bool,
    others: Any,
) -> dict[str, Any]:
    """What the page shows."""
    if type(include_rows) is not bool:
        raise ParameterError(f"include_rows must be True or False, not {shown(include_rows)}")
    if y is not None and X is None:
        raise ParameterError("y was given without X; give both, X alone, or neither")
    nodes = model.nodes(tree)
    if target is not None and not isinstance(target, str):
        raise ParameterError(f"target is {shown(target)}; it must be the name of what is predicted, or None.")
    name = target or getattr(y, "name", None)
    data: dict[str, Any] = {
        "target": str(name) if name else "the target",
        "classes": None if model.classes is None else [named(c) for c in model.classes.tolist()],
        "criterion": model.criterion,
        "columns": structure.columns(model, tree),
        "tree": structure.structure(nodes),
        "imp": structure.importances(model),
        "params": parameters_of(model),
        "file": about_file(model, include_rows),
        "data": None,
    }
    if limits := explained.constraints_of(model):
        data["limits"] = limits
    search = None if model.origin is None else model.origin.search
    if model.origin is not None:
        facts = (("search", search_text(search)), ("alpha", model.origin.alpha))
        data.update({k: v for k, v in facts if v is not None})
    given = None if X is None else measure.given(model, nodes, tree, X, y)
    if model.refinement is not None:
        data["refined"] = refined(model.refinement)
    if model.edits:
        data["edits"] = list(model.edits)
    if model.pruning_table is not None:
        points = points_of(model.pruning_table)
        data["prune"] = [[None if x != x else exact(x) for x in point] for point in points]
        data["cv"] = 1
    elif len(model.trees) == 1:
        data["prune"] = pruning_path(nodes, given)
    if nodes.tree.missing != "either":
        data["mode"] = nodes.tree.missing
        if model.costs is not None:
            data["costs"] = model.costs.tolist()
    if len(model.trees) > 1:
        data["of"] = [tree, len(model.trees)]
    if given is not None:
        data["data"] = measure.measured(model, nodes, given)
        if contributed := explained.contributions_of(model, X):
            data["shap"] = contributed
        data["dep"] = explained.dependences_of(model, X, data["imp"])
        if others is not None and y is not None:
            measure.add_others(data["data"], model, nodes, given, others, search)
        for entry, more in zip(data["columns"], measure.summaries(given, model.schema), strict=True):
            entry.update(more)
        if given.numbers is not None:
            data["range"] = [exact(float(given.numbers.min())), exact(float(given.numbers.max()))]
        if include_rows:
            data["data"]["rows"] = measure.rows_of(given, nodes)
    return data


def page_of(model: Model, tree: int, data: dict[str, Any]) -> Report:
    what = "A step towards" if "rounds" in data else "Predicting"
    title = f"{what} {data['target']} from {len(model.schema)} column{'s' if len(model.schema) != 1 else ''}"
    return Report(written(title, data, rules_of(model, tree)))


def refined(found: Refinement) -> dict[str, Any]:
    """What the page shows of a refiner's work: stages, [stage, objective] of each pass, what is proven."""
    passes = [[s, short(x, 6)] for s, x in zip(found.stage, found.objective, strict=True)]
    return {"s": list(found.stages), "p": passes, "c": found.claim}


def nearly_as_good(near: Any) -> dict[str, Any]:
    """How many `Alternatives` there are, in how many each column occurs, and the first of them: objective, leaves, the
    column of the first split, those of further ones."""
    names = list(near.occurs)
    trees = []
    for tree, objective in zip(near[:MOST_NEAR], near.objectives, strict=False):
        nodes = tree.tree_
        asked = [int(c) for c in nodes.feature[nodes.kind != "leaf"]]
        further = [c for c in dict.fromkeys(asked[1:]) if c != asked[0]]
        trees.append([short(objective, 6), tree.get_n_leaves(), asked[0] if asked else -1, further])
    used = [[names.index(c), near.occurs[c]] for c in (*near.in_all, *near.in_some)]
    return {"n": len(near), "d": int(near.complete), "w": near.within, "c": used, "t": trees}


def named(c: Any) -> str:
    """A class; one that is a number is called a class, so that nobody takes it for a count."""
    return c if isinstance(c, str) else f"class {c}"


def parameters_of(model: Model) -> list[list[str]]:
    """Names and texts of what the tree was grown by."""
    if model.origin is None:
        return [["criterion", model.criterion]]
    given = {n: mapping_text(n, v) if isinstance(v, dict) else str(v) for n, v in model.origin.parameters.items()}
    parameters = {"estimator": model.origin.estimator, "criterion": model.criterion, **given}
    return [[n, t] for n, t in {**parameters, "random_state": parameters.get("random_state", "None")}.items()]


def mapping_text(name: str, mapping: dict[str, Any]) -> str:
    """A parameter that is a mapping, such as costs by the actual and the predicted class."""
    pairs = []
    for key, value in mapping.items():
        parts = re.fullmatch(r"\((?P<actual>.+), (?P<predicted>.+)\)", key) if name == "costs" else None
        pairs.append(f"{parts['actual']} predicted as {parts['predicted']}: {value}" if parts else f"{key}: {value}")
    return "; ".join(pairs)


def search_text(search: str | None) -> str | None:
    """The nominal search and, if it is one of ours, what it does."""
    known = plugins()["nominal"].get(search or "")
    return f"{search}: {known.doc}" if known else search


def about_file(model: Model, include_rows: bool) -> list[list[str]]:
    digest = hashlib.sha256(model.to_bytes()).hexdigest()
    rows = f"up to {measure.SHOWN_ROWS} of the rows" if include_rows else "none: counts only"
    return [["bough", __version__], ["model file", f"sha-256 {digest}"], ["rows in this page", rows]]


def rules_of(model: Model, tree: int) -> list[str]:
    """Every rule in words, for readers without JavaScript."""
    found: list[str] = []
    for n, rule in enumerate(model.rules(digits=4, max_values=8, tree=tree)):
        if n == MOST_RULES:
            found.append(f"… and {model.trees[tree].n_leaves - MOST_RULES} more rules")
            break
        found.append(str(rule))
    return found


# ---- the page ---------------------------------------------------------------------------------------


@cache
def asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def escaped(data: Any) -> str:
    """JSON that cannot end its element, whatever texts it holds."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for c in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(c, f"\\u{ord(c):04x}")
    return text.encode(errors="backslashreplace").decode()


def written(title: str, data: Any, rules: list[str]) -> str:
    style, script = asset("page.min.css"), asset("page.min.js")
    parts = {
        "style_hash": digest(style),
        "script_hash": digest(script),
        "title": html.escape(title),
        "style": style,
        "script": script,
        "rules": "".join(f"<li>{html.escape(r)}</li>" for r in rules),
        "data": escaped(data),
    }
    out = []
    for n, piece in enumerate(asset("page.html").replace("}", "{").split("{")):
        out.append(parts[piece] if n % 2 else piece)
    return "".join(out)
