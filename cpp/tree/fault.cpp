// The rules that the parts of a tree keep. Every door (file, pickle, Dask) passes here, with bytes
// from anywhere: nothing may be read before its length is known to be right.
#include <array>
#include <cmath>
#include <utility>

#include "tree/tree.hpp"

namespace bough {

namespace {

std::string is(const std::string& what, u64 has, u64 should) {
    return what + " has " + std::to_string(has) + " entries, not " + std::to_string(should);
}

// Counts of the kinds, from which all lengths follow.
struct Counts {
    u64 inner = 0, axis = 0, linear = 0, subset = 0, multiway = 0, leaf = 0;
};

// How long the weights of ends are, of which each has a weight for every class, or lists its classes.
u64 length_of_weights(const TreeParts& p, u64 ends, const std::vector<u32>& counts) {
    u64 listed = 0;
    for (u32 c : counts) listed += c;
    return p.lists_classes() ? listed : ends * p.n_outputs();
}

// The sum of the weights from `at` on of one end, which moves `at` behind them; NaN, and what is wrong, if they are no
// weights of classes.
double sum_of_end(const TreeParts& p, const std::vector<double>& weights, const std::vector<u32>& classes, u64 n,
                  u64& at, std::string& wrong) {
    double sum = 0;
    const u64 begin = at;
    for (; at < begin + n; ++at) {
        const double w = weights[at];
        if (!(w >= 0) || w == kInf) return wrong = " has a weight that is not a number", kNaN;
        sum += w;
        if (!p.lists_classes()) continue;
        if (classes[at] >= p.n_classes) return wrong = " lists a class that does not exist", kNaN;
        if (at > begin && classes[at - 1] >= classes[at]) return wrong = " lists classes out of order", kNaN;
    }
    return sum;
}

std::string fault_of_lengths(const TreeParts& p, const Counts& n) {
    struct Length {
        const char* name;
        u64 has, should;
    };
    const u64 regression = p.n_classes == 0 ? n.leaf : 0;
    const Length lengths[] = {
        {"n_values", p.n_values.size(), p.n_columns},
        {"gains", p.gains.size(), n.inner},
        {"columns", p.columns.size(), n.inner - n.linear},
        {"cuts", p.cuts.size(), n.axis + n.linear},
        {"missing", p.missing.size(), n.axis + n.linear},
        {"term_counts", p.term_counts.size(), n.linear},
        {"value_counts", p.value_counts.size(), n.subset + n.multiway},
        {"others", p.others.size(), n.subset + n.multiway},
        {"leaf_rows", p.leaf_rows.size(), n.leaf},
        {"leaf_counts", p.leaf_counts.size(), p.lists_classes() ? n.leaf : 0},
        {"leaf_weights", p.leaf_weights.size(), length_of_weights(p, n.leaf, p.leaf_counts)},
        {"leaf_classes", p.leaf_classes.size(), p.lists_classes() ? p.leaf_weights.size() : 0},
        {"leaf_means", p.leaf_means.size(), regression},
        {"leaf_spreads", p.leaf_spreads.size(), regression},
    };
    for (const auto& l : lengths)
        if (l.has != l.should) return is(l.name, l.has, l.should);
    if (!p.centers.empty() && p.centers.size() != p.n_columns) return is("centers", p.centers.size(), p.n_columns);
    if (!p.spreads.empty() && p.spreads.size() != p.n_columns) return is("spreads", p.spreads.size(), p.n_columns);
    const u64 tests = p.kinds.size() * u64{p.n_columns};
    if (!p.log_p.empty() && p.log_p.size() != tests) return is("log_p", p.log_p.size(), tests);
    u64 terms = 0, values = 0;
    for (u32 c : p.term_counts) terms += c;
    for (u32 c : p.value_counts) values += c;
    if (p.term_columns.size() != terms) return is("term_columns", p.term_columns.size(), terms);
    if (p.term_weights.size() != terms) return is("term_weights", p.term_weights.size(), terms);
    if (p.values.size() != values) return is("values", p.values.size(), values);
    return {};
}

std::string fault_of_splits(const TreeParts& p, Budget& budget) {
    u64 pending = 1, column = 0, cut = 0, term = 0, term_at = 0, value = 0, value_at = 0, side_at = 0;
    for (u64 i = 0; i < p.kinds.size(); ++i) {
        if (i % 65536 == 0) budget.poll();
        const NodeKind kind = static_cast<NodeKind>(p.kinds[i]);
        const auto here = [i] { return "node " + std::to_string(i); };
        if (pending == 0) return here() + " has no parent";
        --pending;
        if (kind == NodeKind::leaf) continue;
        const bool nominal = kind == NodeKind::subset || kind == NodeKind::multiway;
        if (kind != NodeKind::linear) {
            const u32 c = p.columns[column++];
            if (c >= p.n_columns) return here() + " splits column " + std::to_string(c) + ", which does not exist";
            if (nominal != (p.n_values[c] > 0)) return here() + " splits a column of the other kind";
            if (nominal) {
                const u32 n = p.value_counts[value], other = p.others[value];
                ++value;
                if (n < 2) return here() + " has fewer than two values";
                u32 n_left = 0;
                for (u32 v = 0; v < n; ++v) {
                    const u32 code = p.values[value_at + v];
                    if (code >= p.n_values[c]) return here() + " names a value that its column does not have";
                    if (v > 0 && p.values[value_at + v - 1] >= code) return here() + " has values out of order";
                    if (kind == NodeKind::subset) {
                        if (side_at + v >= p.value_left.size()) return "value_left is too short";
                        if (p.value_left[side_at + v] > 1) return here() + " has a side that is neither left nor right";
                        n_left += p.value_left[side_at + v];
                    }
                }
                value_at += n;
                if (kind == NodeKind::subset) {
                    side_at += n;
                    if (n_left == 0 || n_left == n) return here() + " has all values on one side";
                }
                const u32 children = kind == NodeKind::subset ? 2 : n;
                if (other != kStopHere && other >= children)
                    return here() + " sends other values to a child it does not have";
                pending += children;
                continue;
            }
        } else {
            const u32 n = p.term_counts[term++];
            if (n == 0) return here() + " is linear and has no terms";
            for (u32 t = 0; t < n; ++t) {
                const u32 c = p.term_columns[term_at + t];
                if (c >= p.n_columns || p.n_values[c] > 0) return here() + " has a term that is not a numeric column";
                if (t > 0 && p.term_columns[term_at + t - 1] >= c) return here() + " has terms out of order";
                if (!std::isfinite(p.term_weights[term_at + t])) return here() + " has a weight that is not finite";
            }
            term_at += n;
        }
        const double at = p.cuts[cut];
        if (std::isnan(at) || at == -kInf || (kind == NodeKind::linear && at == kInf))
            return here() + " has a threshold that is not a number";
        const u8 bits = p.missing_mode() == Missing::surrogate ? 8 : 0;
        if (p.missing[cut] & ~((kind == NodeKind::linear ? 7 : 3) | bits))
            return here() + " sends missing values neither left nor right";
        ++cut;
        pending += 2;
    }
    if (pending != 0) return "the last node lacks children";
    if (side_at != p.value_left.size()) return is("value_left", p.value_left.size(), side_at);
    return {};
}

std::string fault_of_numbers(const TreeParts& p) {
    for (double x : p.centers)
        if (!std::isfinite(x)) return "a center is not finite";
    for (double x : p.spreads)
        if (!(x > 0) || x == kInf) return "a spread is not a positive number";
    for (double x : p.gains)
        if (std::isnan(x) || x == kInf) return "a gain is not a number";
    for (double x : p.log_p)
        if (x > 0 || x == -kInf) return "a p-value is not between 0 and 1";
    std::string wrong;
    for (u64 l = 0, at = 0; l < p.leaf_rows.size(); ++l) {
        const auto here = [l] { return "leaf " + std::to_string(l); };
        const u64 n = p.lists_classes() ? p.leaf_counts[l] : p.n_outputs();
        const double sum = sum_of_end(p, p.leaf_weights, p.leaf_classes, n, at, wrong);
        if (!wrong.empty()) return here() + wrong;
        // A branch that no training row takes is a leaf of no rows, which answers as its parent does.
        const bool empty = p.leaf_rows[l] == 0 && p.leaf_rows.size() > 1 && p.n_classes > 0;
        if (p.leaf_rows[l] == 0 && !empty) return here() + " has no rows";
        if (sum == kInf || (sum > 0) == empty)
            return here() + (empty ? " weighs something without rows" : " weighs nothing");
        if (p.n_classes == 0) {
            if (!std::isfinite(p.leaf_means[l])) return here() + " has a mean that is not finite";
            if (!(p.leaf_spreads[l] >= 0) || p.leaf_spreads[l] == kInf) return here() + " has a spread below zero";
        }
    }
    u64 rows = 0;
    for (u32 r : p.leaf_rows) rows += r;
    if (rows == 0) return "no leaf has rows";
    for (u32 r : p.stay_rows) rows += r;
    if (rows > 0xffffffffull && p.inner_rows.empty()) return "the leaves have more than 2^32 rows";
    return {};
}

std::string fault_of_surrogates(const TreeParts& p, Budget& budget) {
    u64 cut = 0, nominal = 0, value = 0;
    for (u64 i = 0; i < p.surrogate_columns.size(); ++i) {
        if (i % 65536 == 0) budget.poll();
        const auto here = [i] { return "surrogate " + std::to_string(i); };
        const u32 column = p.surrogate_columns[i];
        if (column >= p.n_columns)
            return here() + " splits column " + std::to_string(column) + ", which does not exist";
        for (double x : {p.surrogate_agreements[i], p.surrogate_adjusted[i]})
            if (!(x >= 0 && x <= 1)) return here() + " has an agreement that is not between 0 and 1";
        if (p.n_values[column] == 0) {
            if (cut >= p.surrogate_cuts.size()) return "surrogate_cuts is too short";
            if (!std::isfinite(p.surrogate_cuts[cut])) return here() + " has a threshold that is not a number";
            if (p.surrogate_low_left[cut++] > 1) return here() + " has a side that is neither left nor right";
            continue;
        }
        if (nominal >= p.surrogate_value_counts.size()) return "surrogate_value_counts is too short";
        const u64 n = p.surrogate_value_counts[nominal++];
        if (n > p.surrogate_values.size() - value) return "surrogate_values is too short";
        u64 n_left = 0;
        for (u64 v = value; v < value + n; ++v) {
            if (p.surrogate_values[v] >= p.n_values[column])
                return here() + " names a value that its column does not have";
            if (v > value && p.surrogate_values[v - 1] >= p.surrogate_values[v])
                return here() + " has values out of order";
            if (p.surrogate_value_left[v] > 1) return here() + " has a side that is neither left nor right";
            n_left += p.surrogate_value_left[v];
        }
        if (n_left == 0 || n_left == n) return here() + " has all values on one side";
        value += n;
    }
    if (cut != p.surrogate_cuts.size()) return is("surrogate_cuts", p.surrogate_cuts.size(), cut);
    if (nominal != p.surrogate_value_counts.size())
        return is("surrogate_value_counts", p.surrogate_value_counts.size(), nominal);
    if (value != p.surrogate_values.size()) return is("surrogate_values", p.surrogate_values.size(), value);
    return {};
}

// Rows that end at inner nodes, where a tree with surrogates says so.
std::string fault_of_stays(const TreeParts& p) {
    u64 n = 0;
    for (u8 bits : p.missing) n += (bits & 8) != 0;
    for (u32 other : p.others) n += p.missing_mode() == Missing::surrogate && other == kStopHere;
    const u64 regression = p.n_classes == 0 ? n : 0, lists = p.lists_classes() ? n : 0;
    if (p.stay_rows.size() != n) return is("stay_rows", p.stay_rows.size(), n);
    if (p.stay_counts.size() != lists) return is("stay_counts", p.stay_counts.size(), lists);
    const u64 weights = length_of_weights(p, n, p.stay_counts), classes = p.lists_classes() ? weights : 0;
    if (p.stay_weights.size() != weights) return is("stay_weights", p.stay_weights.size(), weights);
    if (p.stay_classes.size() != classes) return is("stay_classes", p.stay_classes.size(), classes);
    if (p.stay_means.size() != regression) return is("stay_means", p.stay_means.size(), regression);
    if (p.stay_spreads.size() != regression) return is("stay_spreads", p.stay_spreads.size(), regression);
    std::string wrong;
    for (u64 i = 0, at = 0; i < n; ++i) {
        const double sum =
            sum_of_end(p, p.stay_weights, p.stay_classes, lists ? p.stay_counts[i] : p.n_outputs(), at, wrong);
        if (!wrong.empty()) return "node " + std::to_string(i) + " where rows stay" + wrong;
        if (sum == kInf || (sum > 0) != (p.stay_rows[i] > 0))
            return "rows that stay weigh nothing, or none weigh something";
        if (regression && !std::isfinite(p.stay_means[i])) return "rows that stay have a mean that is not finite";
        if (regression && (!(p.stay_spreads[i] >= 0) || p.stay_spreads[i] == kInf))
            return "rows that stay have a spread below zero";
    }
    return {};
}

// What a tree that is not of the mode `either` has besides.
std::string fault_of_missing(const TreeParts& p, const Counts& n, Budget& budget) {
    if (p.routing.size() > 1 || (p.routing.size() == 1 && (p.routing[0] == 0 || p.routing[0] > 2)))
        return "routing is neither shared nor surrogate";
    if (!p.inner_rows.empty() && (p.missing_mode() != Missing::shared || p.inner_rows.size() != n.inner))
        return is("inner_rows", p.inner_rows.size(), p.missing_mode() == Missing::shared ? n.inner : 0);
    for (u32 rows : p.inner_rows)
        if (rows == 0) return "an inner node has no rows";
    const u64 counts = p.missing_mode() == Missing::surrogate ? n.inner : 0;
    if (p.surrogate_counts.size() != counts) return is("surrogate_counts", p.surrogate_counts.size(), counts);
    u64 all = 0;
    for (u8 c : p.surrogate_counts) {
        if (c > kMostSurrogates) return "a node has " + std::to_string(c) + " surrogates";
        all += c;
    }
    if (p.surrogate_columns.size() != all) return is("surrogate_columns", p.surrogate_columns.size(), all);
    if (p.surrogate_agreements.size() != all) return is("surrogate_agreements", p.surrogate_agreements.size(), all);
    if (p.surrogate_adjusted.size() != all) return is("surrogate_adjusted", p.surrogate_adjusted.size(), all);
    if (p.surrogate_low_left.size() != p.surrogate_cuts.size())
        return is("surrogate_low_left", p.surrogate_low_left.size(), p.surrogate_cuts.size());
    if (p.surrogate_value_left.size() != p.surrogate_values.size())
        return is("surrogate_value_left", p.surrogate_value_left.size(), p.surrogate_values.size());
    u64 inner = 0;
    for (u8 kind : p.kinds) {
        if (static_cast<NodeKind>(kind) == NodeKind::leaf) continue;
        if (counts > 0 && static_cast<NodeKind>(kind) == NodeKind::multiway && p.surrogate_counts[inner] > 0)
            return "a node of many branches has surrogates, which have two sides";
        ++inner;
    }
    if (std::string f = fault_of_stays(p); !f.empty()) return f;
    return fault_of_surrogates(p, budget);
}

}  // namespace

std::string fault(const TreeParts& p, Budget& budget) {
    if (p.kinds.empty()) return "the tree has no nodes";
    if (p.kinds.size() >= 0x7fffffffull) return "the tree has more than 2^31 nodes";
    if (p.n_columns == 0 || p.n_columns >= 0x7fffffffu) return "the number of columns is out of range";
    std::array<u64, 256> found{};  // kinds alternate as nobody foresees: counted without a branch
    for (u8 kind : p.kinds) ++found[kind];
    auto take = [&](NodeKind kind) { return std::exchange(found[static_cast<u8>(kind)], 0); };
    Counts n;
    n.axis = take(NodeKind::axis);
    n.linear = take(NodeKind::linear);
    n.subset = take(NodeKind::subset);
    n.multiway = take(NodeKind::multiway);
    n.leaf = take(NodeKind::leaf);
    n.inner = p.kinds.size() - n.leaf;
    for (u32 kind = 0; kind < found.size(); ++kind)
        if (found[kind] > 0) return "a node is of unknown kind " + std::to_string(kind);
    if (std::string f = fault_of_lengths(p, n); !f.empty()) return f;
    if (std::string f = fault_of_splits(p, budget); !f.empty()) return f;
    if (std::string f = fault_of_missing(p, n, budget); !f.empty()) return f;
    return fault_of_numbers(p);
}

}  // namespace bough
