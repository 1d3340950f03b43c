"""A model as JavaScript without an import: functions for one row, for browsers and Node."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from ..errors import DataError, shown
from ..model.stakes import TIE
from .lower import Compare, Lookup, Stay, lowered

if TYPE_CHECKING:
    from ..model.model import Model

MOST_SAFE = 2**53  # a larger integer is written as a BigInt

PAGE = """// A decision tree as plain JavaScript, written by bough. predict(row) takes an object of column names and
// values; a missing value is null, undefined or NaN. In Node: const { predict } = require("./model.js").
// In a page: bough.predict(row).
"use strict";
const bough = (() => {
  const COLUMNS = %(columns)s;
  // The place of each category; null: a column of numbers.
  const PLACES = %(places)s.map((values) => values && new Map(values.map((value, place) => [value, place])));
  const CLASSES = %(classes)s;
  // Cost of predicting a class, [true][predicted]; null: the largest share is predicted.
  const COSTS = %(costs)s;

  // Of every node: null (a leaf), or
  // [columns, weights, centers, cut, left, right, missing, zero, places]: is the sum of weight * (value - center) at
  // most cut? (missing: where a row without a value goes, and one whose sum is not a number; zero: a missing term
  // counts as 0; places: of a term that is 1 for one category of its column and else 0, the place of that category)
  // [column, [[place of the category, node], ...], other]
  const TREES = %(trees)s;
  // Where rows with a missing value are divided among children: the share of each child.
  const PARTS = %(parts)s;

  // Boosted trees: where their sums begin, and what makes predictions of the sums; null: the mean of all trees counts.
  const START = %(start)s, LINK = %(link)s;

  // What every node predicts: class shares or a number, and the place of its class. Of a linear leaf
  // [offset, [[column, slope, center], ...], low, high]: offset + slope * (value - center) + ..., between low and high.
  const VALUES = %(values)s;
  const PREDICTED = %(predicted)s;

  for (const tree of TREES) for (const step of tree) if (step && step.length === 3) step[1] = new Map(step[1]);

  const isMissing = (value) => value === null || value === undefined || value !== value;

  function cells(row) {
    return COLUMNS.map((name) => {
      if (Object.prototype.hasOwnProperty.call(row, name)) return row[name];
      throw new Error("the row has no column " + JSON.stringify(name));
    });
  }

  // A number, or the place of an ordered category; null if it is missing.
  function numberOf(row, column) {
    const value = row[column];
    if (isMissing(value)) return null;
    if (!PLACES[column]) return Number(value);
    const place = PLACES[column].get(value);
    return place === undefined ? null : place;
  }

  function placeOf(row, column) {
    return PLACES[column].get(isMissing(row[column]) ? null : row[column]);
  }

  // What a weight is multiplied by; null if it is missing.
  function partOf(step, row, i) {
    const place = step[8].length ? step[8][i] : null;
    if (place !== null) return placeOf(row, step[0][i]) === place ? 1 : 0;
    const number = numberOf(row, step[0][i]);
    return number === null ? null : number - step[2][i];
  }

  function sumOf(parts, step) {
    const lanes = [0, 0, 0, 0, 0, 0, 0, 0];
    parts.forEach((part, i) => {
      if (part !== null) lanes[i %% 8] += step[1][i] * part;
    });
    return lanes[0] + lanes[4] + (lanes[2] + lanes[6]) + (lanes[1] + lanes[5] + (lanes[3] + lanes[7]));
  }

  function nextOf(step, row) {
    if (step.length === 3) {
      const place = placeOf(row, step[0]);
      const following = place === undefined ? undefined : step[1].get(place);
      return following === undefined ? step[2] : following;
    }
    const parts = step[0].map((_, i) => partOf(step, row, i));
    if (!step[7] && parts.includes(null)) return step[6];
    const total = sumOf(parts, step);
    if (total !== total) return step[6];
    return total <= step[3] ? step[4] : step[5];
  }

  function leafOf(tree, row) {
    let node = 0;
    while (tree[node] !== null) {
      const following = nextOf(tree[node], row);
      if (following === node) break;
      node = following;
    }
    return node;
  }

  function valueOf(value, row) {
    if (CLASSES !== null || !Array.isArray(value)) return value;
    const sum = value[1].reduce((total, [column, slope, center]) => {
      const number = numberOf(row, column);
      return number === null ? total : total + slope * (number - center);
    }, value[0]);
    return Math.min(Math.max(sum, value[2]), value[3]);
  }

  // The sum over all leaves that a share of the row comes to.
  function mixed(tree, parts, values, row) {
    const waiting = [[0, 1]], found = [];
    while (waiting.length) {
      const [node, weight] = waiting.pop();
      const following = tree[node] === null ? null : nextOf(tree[node], row);
      if (following === null) found.push([values[node], weight]);
      else if (following >= 0) waiting.push([following, weight]);
      else parts[node].slice().reverse().forEach(([child, part]) => part > 0 && waiting.push([child, weight * part]));
    }
    if (CLASSES === null || START !== null) return found.reduce((sum, [value, weight]) => sum + value * weight, 0);
    return CLASSES.map((_, k) => found.reduce((sum, [value, weight]) => sum + value[k] * weight, 0));
  }

  // Nine digits, halves to the even neighbour.
  function rounded(share) {
    const scaled = share * 1e9, floor = Math.floor(scaled), rest = scaled - floor;
    return (rest > 0.5 || (rest === 0.5 && floor %% 2 === 1) ? floor + 1 : floor) / 1e9;
  }

  const exp = (x) => Math.exp(Math.min(x, 700));

  // What the sums of boosted trees mean.
  function linked(raw) {
    if (LINK === "softmax") {
      const top = raw.reduce((a, b) => Math.max(a, b)), powers = raw.map((x) => exp(x - top));
      const all = powers.reduce((a, b) => a + b);
      return powers.map((p) => p / all);
    }
    if (LINK === "logistic") {
      const e = exp(-Math.abs(raw[0])), small = e / (1 + e), large = 1 / (1 + e);
      return raw[0] >= 0 ? [small, large] : [large, small];
    }
    return LINK === "exp" ? exp(raw[0]) : raw[0];
  }

  // The class shares, or the number, that the model predicts for a row.
  function predictValue(row) {
    row = cells(row);
    const valueIn = (tree, t) =>
      PARTS === null ? valueOf(VALUES[t][leafOf(tree, row)], row) : mixed(tree, PARTS[t], VALUES[t], row);
    const found = TREES.map(valueIn);
    if (START !== null) {
      const raw = START.slice();
      found.forEach((value, i) => { raw[i %% raw.length] += value; });
      return linked(raw);
    }
    if (CLASSES === null) return found.reduce((a, b) => a + b) / found.length;
    return found.reduce((a, b) => a.map((share, k) => share + b[k])).map((share) => share / found.length);
  }

  // The class, or the number, that the model predicts for a row.
  function predict(row) {
    if (CLASSES === null) return predictValue(row);
    const single = PARTS === null && TREES.length === 1 && START === null;
    if (single) return CLASSES[PREDICTED[0][leafOf(TREES[0], cells(row))]];
    let shares = predictValue(row);
    if (PARTS !== null) shares = shares.map(rounded);
    if (COSTS === null) return CLASSES[shares.reduce((best, share, k) => (share > shares[best] ? k : best), 0)];
    const costs = CLASSES.map((_, k) => shares.reduce((sum, share, c) => sum + share * COSTS[c][k], 0));
    const least = costs.reduce((a, b) => (b < a ? b : a)), most = costs.reduce((a, b) => (b > a ? b : a));
    return CLASSES[costs.findIndex((cost) => cost <= least + %(tie)s * most)];
  }

  return { predict, predictValue, columns: COLUMNS, classes: CLASSES };
})();
if (typeof module === "object" && module.exports) module.exports = bough;
"""


def write(model: Model) -> bytes:
    return to_javascript(model).encode()


def to_javascript(model: Model) -> str:
    """See `Model.to_javascript`."""
    low = lowered(model)
    for c in low.schema.columns:
        check_told_apart(c.values or (), c.name)
    return PAGE % {
        "columns": written([c.name for c in low.schema.columns]),
        "places": written([list(c.values) if c.values else None for c in low.schema.columns]),
        "classes": written(low.classes),
        "costs": written(low.costs),
        "tie": repr(TIE),
        "trees": lines([[step_of(s) for s in t.steps] for t in low.trees]),
        "parts": written(
            None if low.trees[0].shares is None else [[list(s.items()) for s in t.shares or []] for t in low.trees]
        ),
        "values": lines([t.written for t in low.trees]),
        "start": written(None if low.boosting is None else list(low.boosting.start)),
        "link": written(None if low.boosting is None else low.boosting.link),
        "predicted": written([t.codes for t in low.trees]),
    }


def check_told_apart(values: Any, column: str) -> None:
    """JavaScript has one type of number, so that 1 and 1.0 are one category to it."""
    seen: dict[tuple[bool, bool, Any], Any] = {}
    for value in values:
        key = (isinstance(value, bool), isinstance(value, str), value)
        if key in seen:
            raise DataError(
                f"column {shown(column)} has the categories {seen[key]!r} and {value!r}, which JavaScript cannot tell "
                "apart; make them text, or use another export."
            )
        seen[key] = value


def step_of(step: Any) -> Any:
    if isinstance(step, Stay):
        return None
    if isinstance(step, Lookup):
        return (step.column, list(step.to.items()), step.other)
    assert isinstance(step, Compare)
    terms = (step.columns, step.weights, step.centers)
    return (*terms, step.cut, step.left, step.right, step.missing, step.gaps_at_center, step.values)


def written(value: Any) -> str:
    """As a literal; without recursion beyond the few levels that the tables have."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int):
        return f"{value}n" if abs(value) > MOST_SAFE else str(value)
    if isinstance(value, float):
        return ("Infinity" if value > 0 else "-Infinity") if math.isinf(value) else repr(value)
    if isinstance(value, str):
        return json.dumps(value).replace("<", "\\u003c")  # a page may have it between script tags
    return f"[{', '.join(map(written, value))}]"


def lines(trees: Any) -> str:
    """A tree's nodes, one on each line."""
    return "[\n" + ",\n".join("    [\n      " + ",\n      ".join(map(written, t)) + "\n    ]" for t in trees) + "\n  ]"
