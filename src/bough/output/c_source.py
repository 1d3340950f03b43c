"""A model as C99 without a library: functions for one row, in one file that is compiled or included."""

from __future__ import annotations

import math
import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, ParameterError, shown
from ..model.stakes import TIE
from .c_values import LINE, LINES, LINKS, MEAN, NO_LINES, SUM
from .lower import Compare, Lookup, Lowered, lowered

MOST_WAITING = 100_000

if TYPE_CHECKING:
    from ..model.boosting import Boosting
    from ..model.model import Model

PAGE = """/* A decision tree as plain C99, written by bough.
 *
 * A row is an array of %(n_columns)d doubles, one for each column (@_column_name). NAN is a missing value. Text and
 * other categories are given as @_place(column, "text"): -1 for one that training did not have; NULL is a missing one.
%(usage)s
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#define @_N_COLUMNS %(n_columns)d
#define @_N_CLASSES %(n_classes)d /* 0: a number is predicted */

static const char *const @_columns[] = {%(columns)s};
%(class_names)s
/* Categories of column c are those from @_first[c] to @_first[c + 1]. */
static const int @_first[] = {%(first)s};
static const char *const @_categories[] = {%(categories)s};
/* Of each column the place of the missing value among its categories, or -1. */
static const int @_missing_place[] = {%(missing_place)s};

/* Nodes of tree t are those from @_tree[t] to @_tree[t + 1]. kind: 0 a leaf, 1 a sum against a cut, 2 a lookup. Terms
 * of a sum and entries of a lookup are those from begin to end. */
typedef struct {
    int kind, begin, end, column, left, right, missing, zero;
    double cut;
} @_node;
/* place: -1, or of a term that is 1 for one category of its column and else 0. */
typedef struct {
    int column, place;
    double weight, center;
} @_term;
typedef struct {
    int place, node;
} @_entry;
typedef struct {
    int node;
    double share;
} @_part;
static const int @_tree[] = {%(tree)s};
static const @_node @_nodes[] = {
%(nodes)s
};
static const @_term @_terms[] = {%(terms)s};
static const @_entry @_entries[] = {%(entries)s};
/* Where rows with a missing value are divided: the children of node i are @_part_first[i] to @_part_first[i + 1]. */
#define @_SHARED %(shared)d
static const int @_part_first[] = {%(part_first)s};
static const @_part @_parts[] = {%(parts)s};

/* What is predicted, and what every node says: class shares or a number. Boosted trees say a number each. */
#define @_N_VALUES %(n_values)d
#define @_N_OWN %(n_own)d
#define @_BOOSTED %(boosted)d
static const double @_values[] = {
%(values)s
};

%(lines)sstatic inline const char *@_column_name(int column) { return @_columns[column]; }
%(class_name)s
/* The place of a category, as a cell of a row. */
static inline double @_place(int column, const char *text) {
    if (text == NULL) return NAN;
    for (int place = 0; place < @_first[column + 1] - @_first[column]; ++place)
        if (place != @_missing_place[column] && strcmp(@_categories[@_first[column] + place], text) == 0) return place;
    return -1;
}

/* Through memory, so that no compiler joins a product and a sum in one rounding. */
static inline double @_product(double a, double b) {
    volatile double product = a * b;
    return product;
}

static inline int @_is_missing(const double *row, int column) {
    const int categories = @_first[column + 1] - @_first[column];
    return isnan(row[column]) || (categories > 0 && row[column] < 0);
}

/* Of the category of a cell. */
static inline double @_place_in(const double *row, int column) {
    return isnan(row[column]) ? @_missing_place[column] : row[column];
}

static int @_next(const @_node *step, const double *row) {
    if (step->kind == 2) {
        const double place = @_place_in(row, step->column);
        for (int low = step->begin, high = step->end; low < high;) {
            const int mid = low + (high - low) / 2;
            if (@_entries[mid].place == place) return @_entries[mid].node;
            if (@_entries[mid].place < place) low = mid + 1;
            else high = mid;
        }
        return step->missing;
    }
    double lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = step->begin; i < step->end; ++i) {
        const @_term *term = &@_terms[i];
        if (term->place >= 0)
            lanes[(i - step->begin) %% 8] += @_place_in(row, term->column) == term->place ? term->weight : 0;
        else if (!@_is_missing(row, term->column))
            lanes[(i - step->begin) %% 8] += @_product(term->weight, row[term->column] - term->center);
        else if (!step->zero)
            return step->missing;
    }
    const double even = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
    const double sum = even + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    if (isnan(sum)) return step->missing;
    return sum <= step->cut ? step->left : step->right;
}

static int @_leaf(int tree, const double *row) {
    const @_node *nodes = @_nodes + @_tree[tree];
    int node = 0;
    while (nodes[node].kind != 0) {
        const int following = @_next(&nodes[node], row);
        if (following == node) break;
        node = following;
    }
    return node;
}

/* Adds the values of the leaves, each by the share of the row that comes to it. */
static void @_mix(int tree, const double *row, double *out) {
    const int first = @_tree[tree];
    struct {
        int node;
        double weight;
    } waiting[%(most_waiting)d];
    int n = 0;
    waiting[n].node = 0;
    waiting[n++].weight = 1;
    while (n > 0) {
        const int node = waiting[--n].node;
        const double weight = waiting[n].weight;
        const int following = @_nodes[first + node].kind == 0 ? node : @_next(&@_nodes[first + node], row);
        if (following == node) {
            for (int k = 0; k < @_N_OWN; ++k) out[k] += @_product(@_values[(first + node) * @_N_OWN + k], weight);
        } else if (following >= 0) {
            waiting[n].node = following;
            waiting[n++].weight = weight;
        } else {
            for (int i = @_part_first[first + node + 1] - 1; i >= @_part_first[first + node]; --i)
                if (@_parts[i].share > 0) {
                    waiting[n].node = @_parts[i].node;
                    waiting[n++].weight = weight * @_parts[i].share;
                }
        }
    }
}

%(line)s
%(values_of)s
%(predict)s
"""

NO_CLASSES = "/* A number is predicted. */"
CLASSES = "static const char *const @_classes[] = {%s};"
CLASS_NAME = "static inline const char *@_class_name(int place) { return @_classes[place]; }"

OF_NUMBERS = """/* The number that the model predicts for a row. */
static inline double @_predict(const double *row) {
    double value[@_N_VALUES];
    @_predict_values(row, value);
    return value[0];
}"""

OF_CLASSES = """static const int @_predicted[] = {%(predicted)s};
#define @_HAS_COSTS %(has_costs)d
static const double @_costs[] = {%(costs)s}; /* [true][predicted] */

/* The class that the model predicts for a row: see @_class_name. */
static inline int @_predict(const double *row) {
    if (!@_SHARED && !@_BOOSTED && sizeof @_tree / sizeof *@_tree == 2) return @_predicted[@_leaf(0, row)];
    double shares[@_N_VALUES];
    @_predict_values(row, shares);
    if (@_SHARED && !@_BOOSTED)
        for (int k = 0; k < @_N_VALUES; ++k) shares[k] = rint(@_product(shares[k], 1e9)) / 1e9;
    int best = 0;
    if (!@_HAS_COSTS) {
        for (int k = 1; k < @_N_VALUES; ++k)
            if (shares[k] > shares[best]) best = k;
        return best;
    }
    double cost[@_N_VALUES], least = INFINITY, most = 0;
    for (int k = 0; k < @_N_VALUES; ++k) {
        cost[k] = 0;
        for (int c = 0; c < @_N_VALUES; ++c) cost[k] += @_product(shares[c], @_costs[c * @_N_VALUES + k]);
        if (cost[k] < least) least = cost[k];
        if (cost[k] > most) most = cost[k];
    }
    const double limit = least + @_product(%(tie)s, most);
    while (cost[best] > limit) ++best;
    return best;
}"""


def write(model: Model) -> bytes:
    return to_c(model).encode()


def to_c(model: Model, prefix: str = "bough") -> str:
    """See `Model.to_c`."""
    if not isinstance(prefix, str) or not re.fullmatch(r"[A-Za-z]\w{0,30}", prefix, re.ASCII):
        raise ParameterError(
            f"prefix is {shown(prefix)}; it must be a name of C of at most 31 characters, such as 'bough'."
        )
    low = lowered(model)
    columns = low.schema.columns
    texts = [[text_of(v) for v in c.values or ()] for c in columns]
    for c, own in zip(columns, texts, strict=True):
        check_told_apart(own, c.name)
    k = 1 if low.classes is None else len(low.classes)
    steps = [s for t in low.trees for s in t.steps]
    terms = [
        term
        for s in steps
        if isinstance(s, Compare)
        for term in zip(s.columns, s.asked, s.weights, s.centers, strict=True)
    ]
    entries = [e for s in steps if isinstance(s, Lookup) for e in sorted(s.to.items())]
    shares = [s for t in low.trees for s in t.shares or []]
    page = PAGE % {
        "n_columns": len(columns),
        "n_classes": 0 if low.classes is None else k,
        "usage": usage(low),
        "columns": listed(quoted(c.name) for c in columns),
        "class_names": NO_CLASSES if low.classes is None else CLASSES % listed(quoted(text_of(c)) for c in low.classes),
        "class_name": "" if low.classes is None else CLASS_NAME,
        "first": listed(accumulate(map(len, texts), initial=0)),
        "categories": listed(quoted(t) for own in texts for t in own) or '""',
        "missing_place": listed(own.index(None) if None in own else -1 for own in texts),
        "tree": listed(accumulate((len(t.steps) for t in low.trees), initial=0)),
        "nodes": ",\n".join(nodes_of(steps)),
        "terms": listed(f"{{{c}, {-1 if v is None else v}, {number(w)}, {number(m)}}}" for c, v, w, m in terms)
        or "{0, -1, 0, 0}",
        "entries": listed(f"{{{place}, {node}}}" for place, node in entries) or "{0, 0}",
        "shared": int(bool(shares)),
        "part_first": listed(accumulate(map(len, shares), initial=0)),
        "parts": listed(f"{{{child}, {number(part)}}}" for own in shares for child, part in own.items()) or "{0, 0}",
        "n_values": k,
        "n_own": 1 if low.of_numbers else k,
        "boosted": int(low.boosting is not None),
        "values_of": MEAN if low.boosting is None else sum_of(low.boosting),
        "values": ",\n".join(
            "    " + listed(map(number, np.atleast_1d(v).tolist())) for t in low.trees for v in t.values
        ),
        "lines": NO_LINES if low.trees[0].models is None else LINES % lines_of(low),
        "line": "" if low.trees[0].models is None else LINE,
        "most_waiting": waiting_of(low),
        "predict": OF_NUMBERS if low.classes is None else OF_CLASSES % of_classes(low),
    }
    return page.replace("@", prefix)


def lines_of(low: Lowered) -> dict[str, str]:
    """The models of linear leaves, of all nodes one after the other."""
    models = [m for t in low.trees for m in t.models or []]
    terms = [f"{{{t.column}, -1, {number(t.weight)}, {number(t.center)}}}" for m in models for t in m.lines]
    return {
        "first": listed(accumulate((len(m.lines) for m in models), initial=0)),
        "terms": listed(terms) or "{0, -1, 0, 0}",
        "bounds": ",\n".join(f"    {{{listed(map(number, (m.offset, m.low, m.high)))}}}" for m in models),
    }


def sum_of(boosting: Boosting) -> str:
    return SUM % {"start": listed(map(number, boosting.start)), "link": LINKS[boosting.link]}


def of_classes(low: Lowered) -> dict[str, Any]:
    return {
        "predicted": listed(a for t in low.trees for a in t.codes),
        "has_costs": int(low.costs is not None),
        "costs": listed(number(c) for row in low.costs or [[0.0]] for c in row),
        "tie": number(TIE),
    }


def waiting_of(low: Lowered) -> int:
    """The most parts of a row that wait at a time: at every level all children but one."""
    widest = max((len(s) for t in low.trees for s in t.shares or []), default=1)
    most = 1 + widest + max(t.depth for t in low.trees) * max(widest - 1, 1)
    if most > MOST_WAITING:
        raise DataError(
            f"a row may be divided among {most:,} nodes, more than the {MOST_WAITING:,} that fit on a stack; "
            "prune the tree or set max_depth."
        )
    return most


def usage(low: Lowered) -> str:
    kind = "double" if low.classes is None else "int"
    cells = ", ".join(f'@_place({i}, "…")' if c.values else "1.5" for i, c in enumerate(low.schema.columns[:3]))
    more = ", …" if len(low.schema.columns) > 3 else ""
    return f" *     double row[] = {{{cells}{more}}};\n *     {kind} found = @_predict(row);"


def text_of(value: Any) -> str | None:
    """A category or a class as the text that stands for it; None for the missing one."""
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else repr(value)


def check_told_apart(texts: list[str | None], column: str) -> None:
    """A category of C is its text."""
    twice = next((t for i, t in enumerate(texts) if t in texts[:i]), None) if len(set(texts)) < len(texts) else None
    if twice is not None:
        raise DataError(
            f"column {shown(column)} has two categories that are written {shown(twice)} in C; make them different "
            "texts, or use another export."
        )


def nodes_of(steps: list[Any]) -> list[str]:
    """The nodes as initialisers; terms and entries are counted on the way."""
    found, term, entry = [], 0, 0
    for s in steps:
        if isinstance(s, Compare):
            end = term + len(s.columns)
            cells = (1, term, end, 0, s.left, s.right, s.missing, int(s.gaps_at_center), number(s.cut))
            term = end
        elif isinstance(s, Lookup):
            end = entry + len(s.to)
            cells = (2, entry, end, s.column, 0, 0, s.other, 0, "0")
            entry = end
        else:
            cells = (0, 0, 0, 0, 0, 0, 0, 0, "0")
        found.append(f"    {{{listed(cells)}}}")
    return found


def number(value: float) -> str:
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(float(value))


def quoted(text: str | None) -> str:
    """A literal of C in which every unusual byte is escaped, and nothing can end the literal or start a trigraph."""
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\?@%' else f"\\{b:03o}" for b in (text or "").encode())
    return f'"{"".join(plain)}"'


def listed(items: Any) -> str:
    return ", ".join(map(str, items))
