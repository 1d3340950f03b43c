// The rules that the parts of a tree keep. Every door (file, pickle, Dask) passes here, with bytes
// from anywhere: nothing may be read before its length is known to be right. So lengths come first, then each array by
// itself, then what several say of one node.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tree/tree.hpp"

namespace bough {

namespace {

u64 sum_of(const auto& counts) { return std::accumulate(counts.begin(), counts.end(), u64{0}); }

// Counts of the kinds, from which all lengths follow.
struct Counts {
    u64 leaf = 0, axis = 0, linear = 0, subset = 0, multiway = 0, inner = 0;
};

std::string fault_of_lengths(const TreeParts& p, const Counts& n) {
    const bool by_surrogates = p.missing_mode() == Missing::surrogate, numbers = p.n_classes == 0;
    u64 ends = n.leaf;  // and nodes where rows end
    for (u8 bits : p.missing) ends += (bits & 8) != 0;
    for (u32 other : p.others) ends += by_surrogates && other == kStopHere;
    const u64 by_cut = n.axis + n.linear, nominal = n.subset + n.multiway, terms = sum_of(p.term_counts);
    const u64 weights = p.lists_classes() ? sum_of(p.leaf_counts) : ends * p.n_outputs();
    const u64 lined = numbers && p.missing_mode() == Missing::either && !p.line_counts.empty() ? p.kinds.size() : 0;
    const u64 lines = sum_of(p.line_counts);
    const u64 surrogates = sum_of(p.surrogate_counts), surrogate_values = sum_of(p.surrogate_value_counts);
    u64 of_values = 0, sided = 0;  // surrogates of nominal columns; values of subset nodes
    for (u32 c : p.surrogate_columns) of_values += c < p.n_values.size() && p.n_values[c] > 0;
    for (u64 i = 0, at = 0; i < p.kinds.size() && at < p.value_counts.size(); ++i)
        if (const auto kind = static_cast<NodeKind>(p.kinds[i]); kind == NodeKind::subset)
            sided += p.value_counts[at++];
        else if (kind == NodeKind::multiway)
            ++at;
    struct Length {
        const char* name;
        u64 has, should;
        bool may_lack = false;  // it is empty where there is nothing to say
    };
    const Length lengths[] = {
        {"n_values", p.n_values.size(), p.n_columns},
        {"centers", p.centers.size(), p.n_columns, true},
        {"spreads", p.spreads.size(), p.n_columns, true},
        {"gains", p.gains.size(), n.inner},
        {"columns", p.columns.size(), n.inner - n.linear},
        {"cuts", p.cuts.size(), by_cut},
        {"missing", p.missing.size(), by_cut},
        {"term_counts", p.term_counts.size(), n.linear},
        {"term_columns", p.term_columns.size(), terms},
        {"term_weights", p.term_weights.size(), terms},
        {"term_values", p.term_values.size(), terms, true},
        {"value_counts", p.value_counts.size(), nominal},
        {"values", p.values.size(), sum_of(p.value_counts)},
        {"value_left", p.value_left.size(), sided},
        {"others", p.others.size(), nominal},
        {"leaf_rows", p.leaf_rows.size(), ends},
        {"leaf_counts", p.leaf_counts.size(), p.lists_classes() ? ends : 0},
        {"leaf_weights", p.leaf_weights.size(), weights},
        {"leaf_classes", p.leaf_classes.size(), p.lists_classes() ? weights : 0},
        {"leaf_means", p.leaf_means.size(), numbers ? ends : 0},
        {"leaf_spreads", p.leaf_spreads.size(), numbers ? ends : 0},
        {"inner_means", p.inner_means.size(), numbers ? n.inner : 0, true},
        {"inner_spreads", p.inner_spreads.size(), p.inner_means.size()},
        {"log_p", p.log_p.size(), p.kinds.size() * u64{p.n_columns}, true},
        {"inner_rows", p.inner_rows.size(), p.missing_mode() == Missing::shared ? n.inner : 0, true},
        {"surrogate_counts", p.surrogate_counts.size(), by_surrogates ? n.inner : 0},
        {"surrogate_columns", p.surrogate_columns.size(), surrogates},
        {"surrogate_agreements", p.surrogate_agreements.size(), surrogates},
        {"surrogate_adjusted", p.surrogate_adjusted.size(), surrogates},
        {"surrogate_cuts", p.surrogate_cuts.size(), surrogates - of_values},
        {"surrogate_low_left", p.surrogate_low_left.size(), surrogates - of_values},
        {"surrogate_value_counts", p.surrogate_value_counts.size(), of_values},
        {"surrogate_values", p.surrogate_values.size(), surrogate_values},
        {"surrogate_value_left", p.surrogate_value_left.size(), surrogate_values},
        {"line_counts", p.line_counts.size(), lined},
        {"line_columns", p.line_columns.size(), lines},
        {"line_slopes", p.line_slopes.size(), lines},
        {"line_gains", p.line_gains.size(), lines},
        {"line_offsets", p.line_offsets.size(), lined},
        {"line_lows", p.line_lows.size(), lined},
        {"line_highs", p.line_highs.size(), lined},
        {"line_errors", p.line_errors.size(), lined},
    };
    for (const Length& l : lengths)
        if (l.has != l.should && !(l.may_lack && l.has == 0))
            return std::string(l.name) + " has " + std::to_string(l.has) + " entries, not " + std::to_string(l.should);
    return {};
}

// The first number of an array that is not what it has to be.
template <class T, class Right>
bool wrong(std::string& found, const char* name, const std::vector<T>& list, const char* rule, Right right) {
    for (std::size_t i = 0; i < list.size() && found.empty(); ++i)
        if (!right(list[i])) found = std::string(name) + "[" + std::to_string(i) + "] is not " + rule;
    return !found.empty();
}

std::string fault_of_numbers(const TreeParts& p) {
    const auto finite = [](double x) { return std::isfinite(x); };
    const auto positive = [](double x) { return x > 0 && x < kInf; };
    const auto from_0 = [](double x) { return x >= 0 && x < kInf; };
    const auto share = [](double x) { return x >= 0 && x <= 1; };
    const auto side = [](u8 x) { return x <= 1; };
    const auto column = [&](u32 c) { return c < p.n_columns; };
    const auto summed = [&](u32 c) { return column(c) && (p.n_values[c] == 0 || !p.term_values.empty()); };
    std::string found;
    wrong(found, "centers", p.centers, "a finite number", finite) ||
        wrong(found, "spreads", p.spreads, "a positive number", positive) ||
        wrong(found, "gains", p.gains, "a number", [](double x) { return x < kInf; }) ||
        wrong(found, "log_p", p.log_p, "the log of a p-value", [](double x) { return !(x > 0 || x == -kInf); }) ||
        wrong(found, "cuts", p.cuts, "a threshold", [](double x) { return x > -kInf; }) ||
        wrong(found, "columns", p.columns, "a column that exists", column) ||
        wrong(found, "term_columns", p.term_columns, "a numeric column", summed) ||
        wrong(found, "term_weights", p.term_weights, "a finite number", finite) ||
        wrong(found, "value_left", p.value_left, "a side", side) ||
        wrong(found, "leaf_weights", p.leaf_weights, "a number from 0 on", from_0) ||
        wrong(found, "leaf_classes", p.leaf_classes, "a class that exists", [&](u32 c) { return c < p.n_classes; }) ||
        wrong(found, "leaf_means", p.leaf_means, "a finite number", finite) ||
        wrong(found, "leaf_spreads", p.leaf_spreads, "a number from 0 on", from_0) ||
        wrong(found, "inner_means", p.inner_means, "a finite number", finite) ||
        wrong(found, "inner_spreads", p.inner_spreads, "a number from 0 on", from_0) ||
        wrong(found, "inner_rows", p.inner_rows, "above 0", [](u32 n) { return n > 0; }) ||
        wrong(found, "surrogate_counts", p.surrogate_counts, "0 to 5", [](u8 n) { return n <= kMostSurrogates; }) ||
        wrong(found, "surrogate_columns", p.surrogate_columns, "a column that exists", column) ||
        wrong(found, "surrogate_agreements", p.surrogate_agreements, "a share", share) ||
        wrong(found, "surrogate_adjusted", p.surrogate_adjusted, "a share", share) ||
        wrong(found, "surrogate_cuts", p.surrogate_cuts, "a finite number", finite) ||
        wrong(found, "surrogate_low_left", p.surrogate_low_left, "a side", side) ||
        wrong(found, "surrogate_value_left", p.surrogate_value_left, "a side", side) ||
        wrong(found, "line_columns", p.line_columns, "a numeric column",
              [&](u32 c) { return column(c) && p.n_values[c] == 0; }) ||
        wrong(found, "line_slopes", p.line_slopes, "a finite number", finite) ||
        wrong(found, "line_gains", p.line_gains, "a number", finite) ||
        wrong(found, "line_offsets", p.line_offsets, "a finite number", finite) ||
        wrong(found, "line_lows", p.line_lows, "a finite number", finite) ||
        wrong(found, "line_highs", p.line_highs, "a finite number", finite) ||
        wrong(found, "line_errors", p.line_errors, "a number from 0 on", from_0);
    for (std::size_t i = 0; i < p.line_lows.size() && found.empty(); ++i)
        if (p.line_lows[i] > p.line_highs[i]) found = "node " + std::to_string(i) + " predicts from a high to a low";
    return found;
}

// Nominal values of one split: those of its column, ascending, and some on each of two sides.
std::string fault_of_values(std::span<const u32> values, std::span<const u8> left, u32 n_values) {
    for (std::size_t v = 0; v < values.size(); ++v) {
        if (values[v] >= n_values) return " names a value that its column does not have";
        if (v > 0 && values[v - 1] >= values[v]) return " has values out of order";
    }
    if (values.size() < 2) return " has fewer than two values";
    const u64 n_left = sum_of(left);
    return !left.empty() && (n_left == 0 || n_left == left.size()) ? " has all values on one side" : "";
}

// The next n entries of an array.
template <class T>
std::span<const T> next_of(const std::vector<T>& list, u64& at, u64 n) {
    return std::span(list).subspan(std::exchange(at, at + n), n);
}

std::string fault_of_splits(const TreeParts& p, Budget& budget) {
    const bool by_surrogates = p.missing_mode() == Missing::surrogate;
    u64 pending = 1, inner = 0, column = 0, cut = 0, term = 0, terms = 0, value = 0, values = 0, sides = 0;
    for (u64 i = 0; i < p.kinds.size(); ++i) {
        if (i % 65536 == 0) budget.poll();
        const NodeKind kind = static_cast<NodeKind>(p.kinds[i]);
        const auto here = [i](const std::string& what) { return "node " + std::to_string(i) + what; };
        if (pending == 0) return here(" has no parent");
        --pending;
        if (kind == NodeKind::leaf) continue;
        const bool nominal = kind == NodeKind::subset || kind == NodeKind::multiway;
        const u32 c = kind == NodeKind::linear ? 0 : p.columns[column++];
        if (kind != NodeKind::linear && nominal != (p.n_values[c] > 0))
            return here(" splits a column of the other kind");
        u32 children = 2;
        if (nominal) {
            const u32 n = p.value_counts[value], other = p.others[value];
            ++value;
            const auto left = next_of(p.value_left, sides, kind == NodeKind::subset ? n : 0);
            if (const auto f = fault_of_values(next_of(p.values, values, n), left, p.n_values[c]); !f.empty())
                return here(f);
            if (kind == NodeKind::multiway) children = n;
            if (other != kStopHere && other >= children) return here(" sends other values to a child it does not have");
        } else {
            if (p.missing[cut] & ~((kind == NodeKind::linear ? 7 : 3) | (by_surrogates ? 8 : 0)))
                return here(" sends missing values neither left nor right");
            if (p.cuts[cut++] == kInf && kind == NodeKind::linear) return here(" has a threshold that is not finite");
        }
        if (kind == NodeKind::linear) {
            const u64 first = terms;
            const auto of = next_of(p.term_columns, terms, p.term_counts[term++]);
            if (of.empty()) return here(" is linear and has no terms");
            const auto asked = [&](std::size_t t) { return p.term_values.empty() ? kNone : p.term_values[first + t]; };
            for (std::size_t t = 0; t < of.size(); ++t) {
                const u32 n = p.n_values[of[t]];
                if (n == 0 ? asked(t) != kNone : asked(t) >= n)
                    return here(" asks a term for a value that its column does not have");
                if (t > 0 && (of[t - 1] > of[t] || (of[t - 1] == of[t] && (n == 0 || asked(t - 1) >= asked(t)))))
                    return here(" has terms out of order");
            }
        }
        if (by_surrogates && kind == NodeKind::multiway && p.surrogate_counts[inner] > 0)
            return here(" has many branches and surrogates, which have two sides");
        ++inner;
        pending += children;
    }
    return pending != 0 ? "the last node has no children" : "";
}

// Leaves, and nodes where rows end.
std::string fault_of_ends(const TreeParts& p) {
    const u64 rows = sum_of(p.leaf_rows);
    if (rows == 0) return "no leaf has rows";
    if (rows > 0xffffffffull && p.inner_rows.empty()) return "the leaves have more than 2^32 rows";
    for (u64 l = 0, at = 0; l < p.leaf_rows.size(); ++l) {
        const auto here = [l](const char* what) { return "leaf " + std::to_string(l) + what; };
        const u64 begin = at;
        const auto weights = next_of(p.leaf_weights, at, p.lists_classes() ? p.leaf_counts[l] : p.n_outputs());
        for (u64 w = begin + 1; w < at && p.lists_classes(); ++w)
            if (p.leaf_classes[w - 1] >= p.leaf_classes[w]) return here(" lists classes out of order");
        // A branch that no training row takes is a leaf of no rows, which answers as its parent does.
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        if (sum == kInf) return here(" weighs more than any number");
        if ((sum > 0) != (p.leaf_rows[l] > 0))
            return here(sum > 0 ? " weighs something without rows" : " weighs nothing");
    }
    const bool all = p.n_classes > 0 || std::find(p.leaf_rows.begin(), p.leaf_rows.end(), 0u) == p.leaf_rows.end();
    u64 end = 0, cut = 0, value = 0;  // a number that a leaf predicts is that of rows
    for (u64 i = 0; i < p.kinds.size() && !all; ++i) {
        const auto kind = static_cast<NodeKind>(p.kinds[i]);
        if (kind == NodeKind::leaf && p.leaf_rows[end] == 0) return "leaf " + std::to_string(end) + " has no rows";
        if (kind == NodeKind::leaf) ++end;
        if (kind == NodeKind::axis || kind == NodeKind::linear) end += (p.missing[cut++] & 8) != 0;
        if (kind == NodeKind::subset || kind == NodeKind::multiway)
            end += p.others[value++] == kStopHere && p.missing_mode() == Missing::surrogate;
    }
    return {};
}

std::string fault_of_surrogates(const TreeParts& p, Budget& budget) {
    u64 nominal = 0, value = 0, side = 0;
    for (u64 i = 0; i < p.surrogate_columns.size(); ++i) {
        if (i % 65536 == 0) budget.poll();
        const u32 of = p.n_values[p.surrogate_columns[i]];
        if (of == 0) continue;
        const u64 n = p.surrogate_value_counts[nominal++];
        const auto f =
            fault_of_values(next_of(p.surrogate_values, value, n), next_of(p.surrogate_value_left, side, n), of);
        if (!f.empty()) return "surrogate " + std::to_string(i) + f;
    }
    return {};
}

}  // namespace

std::string fault(const TreeParts& p, Budget& budget) {
    if (p.kinds.empty()) return "the tree has no nodes";
    if (p.kinds.size() >= 0x7fffffffull) return "the tree has more than 2^31 nodes";
    if (p.n_columns == 0 || p.n_columns >= 0x7fffffffu) return "the number of columns is out of range";
    if (p.routing.size() > 1 || (p.routing.size() == 1 && (p.routing[0] == 0 || p.routing[0] > 2)))
        return "routing is neither shared nor surrogate";
    std::array<u64, 256> found{};  // kinds alternate as nobody foresees: counted without a branch
    for (u8 kind : p.kinds) ++found[kind];
    for (u32 kind = 5; kind < found.size(); ++kind)
        if (found[kind] > 0) return "a node is of unknown kind " + std::to_string(kind);
    const Counts n{found[0], found[1], found[2], found[3], found[4], p.kinds.size() - found[0]};
    if (std::string f = fault_of_lengths(p, n); !f.empty()) return f;
    if (std::string f = fault_of_numbers(p); !f.empty()) return f;
    if (std::string f = fault_of_splits(p, budget); !f.empty()) return f;
    if (std::string f = fault_of_surrogates(p, budget); !f.empty()) return f;
    return fault_of_ends(p);
}

}  // namespace bough
