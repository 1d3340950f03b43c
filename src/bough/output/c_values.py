"""What C source predicts from the leaves that a row comes to: means, sums of boosted trees, lines."""

from __future__ import annotations

MEAN = """/* Writes the class shares, or the number, that the model predicts for a row: @_N_VALUES doubles. */
static inline void @_predict_values(const double *row, double *out) {
    const int n_trees = (int)(sizeof @_tree / sizeof *@_tree) - 1;
    for (int k = 0; k < @_N_VALUES; ++k) out[k] = 0;
    for (int t = 0; t < n_trees; ++t) {
        double own[@_N_OWN] = {0};
        if (@_SHARED) @_mix(t, row, own);
        else if (@_LINEAR) own[0] = @_line(@_tree[t] + @_leaf(t, row), row);
        else memcpy(own, @_values + (@_tree[t] + @_leaf(t, row)) * @_N_VALUES, sizeof own);
        for (int k = 0; k < @_N_VALUES; ++k) out[k] = t ? out[k] + own[k] : own[k];
    }
    for (int k = 0; k < @_N_VALUES; ++k) out[k] /= n_trees;
}"""

SUM = """static const double @_start[] = {%(start)s};
#define @_N_RAW ((int)(sizeof @_start / sizeof *@_start))

static inline double @_exp(double x) { return exp(x < 700 ? x : 700); }

/* Writes the class shares, or the number, that the model predicts for a row: @_N_VALUES doubles. */
static inline void @_predict_values(const double *row, double *out) {
    const int n_trees = (int)(sizeof @_tree / sizeof *@_tree) - 1;
    double raw[sizeof @_start / sizeof *@_start];
    memcpy(raw, @_start, sizeof raw);
    for (int t = 0; t < n_trees; ++t) {
        double own[1] = {0};
        if (@_SHARED) @_mix(t, row, own);
        else own[0] = @_values[@_tree[t] + @_leaf(t, row)];
        raw[t %% @_N_RAW] += own[0];
    }
%(link)s
}"""

LINKS = {
    "identity": "    out[0] = raw[0];",
    "exp": "    out[0] = @_exp(raw[0]);",
    "logistic": """    const double e = @_exp(-fabs(raw[0])), small = e / (1 + e), large = 1 / (1 + e);
    out[0] = raw[0] >= 0 ? small : large;
    out[1] = raw[0] >= 0 ? large : small;""",
    "softmax": """    double top = raw[0], all = 0;
    for (int k = 1; k < @_N_RAW; ++k) top = raw[k] > top ? raw[k] : top;
    for (int k = 0; k < @_N_RAW; ++k) all += out[k] = @_exp(raw[k] - top);
    for (int k = 0; k < @_N_RAW; ++k) out[k] /= all;""",
}

LINES = """/* Linear leaves: node i predicts offset + slope * (value - center) + ..., between low and high. Its terms
 * are those from @_line_first[i] to @_line_first[i + 1]. */
#define @_LINEAR 1
static const int @_line_first[] = {%(first)s};
static const @_term @_lines[] = {%(terms)s};
static const double @_line_bounds[][3] = { /* offset, low, high */
%(bounds)s
};

"""
LINE = """static double @_line(int node, const double *row) {
    double sum = @_line_bounds[node][0];
    for (int i = @_line_first[node]; i < @_line_first[node + 1]; ++i)
        if (!@_is_missing(row, @_lines[i].column))
            sum += @_product(@_lines[i].weight, row[@_lines[i].column] - @_lines[i].center);
    if (!(sum <= @_line_bounds[node][2])) sum = @_line_bounds[node][2];
    return sum >= @_line_bounds[node][1] ? sum : @_line_bounds[node][1];
}
"""
NO_LINES = "#define @_LINEAR 0\n#define @_line(node, row) 0\n\n"
