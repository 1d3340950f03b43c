"""`bough demo`: why one would want this, in ten seconds. Every number is computed while it runs."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelFileError
from ..estimators.systems import system
from ..model.model import Model
from ..tables import files
from ..tables.problem import Problem, problem_of
from . import tidy
from .commands import load_model, why_of
from .fitting import describe, facts_of, grown, held_out_rows, say_data, say_model, score
from .terminal import Output, line

DATA, LINEAR_DATA = "penguins", "breast_cancer"
MODEL_FILE, PAGE_FILE = "demo.bough", "demo.html"
SYSTEMS = ("cart", "ctree", "fact", "cart-elc")


def demo(args: argparse.Namespace, out: Output) -> None:
    """Fit, judge, compare, explain and show trees on built-in data."""
    from .. import TreeClassifier

    problem = problem_of(files.read(DATA), None)
    held_out = held_out_rows(problem, 0.25, seed=0)
    training, unseen = problem.part(~held_out), problem.part(held_out)
    data = describe(problem, [])
    out.say("A table with text, numbers and missing values, and a tree you can read:\n")
    say_data(data, out)
    model = grown(TreeClassifier(max_depth=4, min_samples_leaf=5), training)
    scores = {"training": score(model, training), "held_out": score(model, unseen)}
    path = Path(MODEL_FILE)
    with tidy():
        model.save(path)
    say_model(model, scores, path, out)

    linear = one_line_for_many(out)
    compared = side_by_side(training, unseen, out)

    row = int(np.flatnonzero(held_out)[0]) + 1
    why = why_of(model, problem.table, row)
    out.say(f"\nWhy row {row}, which was held out, is predicted as it is:\n\n{why}\n")
    same = np.array_equal(load_model(MODEL_FILE).predict(problem.table.native), model.predict(problem.table.native))
    if not same:
        raise ModelFileError(f"{MODEL_FILE!r} predicts otherwise than the model that was written to it.")
    page = model.report(unseen.table.native, unseen.y, target=problem.target).save(PAGE_FILE)
    out.say(line("loaded", f"{MODEL_FILE} predicts all {problem.table.n_rows} rows as before"))
    out.say(line("report", f"{page} ({page.stat().st_size:,} bytes): open it in a browser to look at every node"))
    following = f"bough predict {MODEL_FILE} {DATA} --proba"
    out.say(f"next: {following}")
    facts = {**data, **facts_of(model), "scores": scores, "linear": linear, "systems": compared, "row": row, "why": why}
    more = {"out": MODEL_FILE, "report": PAGE_FILE, "loaded_predicts_the_same": same, "next": following}
    out.facts({**facts, **more})


def one_line_for_many(out: Output) -> dict[str, Any]:
    """One linear split beside a tree of axis splits that was grown to the end, on rows that neither has seen."""
    from .. import TreeClassifier

    problem = problem_of(files.read(LINEAR_DATA), None)
    held_out = held_out_rows(problem, 0.25, seed=0)
    found = {}
    for name, tree in (
        ("axis", TreeClassifier(random_state=0)),
        ("lda", TreeClassifier(split="lda", max_depth=1, random_state=0)),
    ):
        model = grown(tree, problem.part(~held_out))
        found[name] = {"nodes": model.n_nodes, **score(model, problem.part(held_out))}
    axis, lda = found["axis"], found["lda"]
    out.say(f"\nOne linear split can do the work of many nodes ({LINEAR_DATA}, {lda['rows']} held-out rows):\n")
    out.say(line("axis", f"{axis['nodes']} nodes, accuracy {axis['accuracy']:.3f}"))
    out.say(line("lda", f"{lda['nodes']} nodes, accuracy {lda['accuracy']:.3f}: one split over all columns"))
    return found


def side_by_side(training: Problem, unseen: Problem, out: Output) -> list[dict[str, Any]]:
    """Published systems on the same rows: accuracy on held-out rows, leaves, time."""
    out.say(f"\nPublished systems side by side ({DATA}, {len(unseen.y)} held-out rows):\n")
    out.say(f"{'system':<10} {'accuracy':>8} {'leaves':>7} {'ms':>7}")
    found = []
    for name in SYSTEMS:
        began = time.process_time()
        model: Model = grown(system(name), training)
        taken = 1000 * (time.process_time() - began)
        entry = {"system": name, "leaves": model.tree.n_leaves, "milliseconds": taken, **score(model, unseen)}
        out.say(f"{name:<10} {entry['accuracy']:>8.3f} {entry['leaves']:>7} {taken:>7.1f}")
        found.append(entry)
    out.say("\n`bough list systems` has the others, and `bough compare` tells which differences count.")
    return found
