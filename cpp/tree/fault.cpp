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

std::string fault_of_lengths(const TreeParts& p, const std::array<u64, 256>& kinds) {
    const bool by_surrogates = p.missing_mode() == Missing::surrogate, numbers = p.n_classes == 0;
    const bool lists = p.lists_classes();
    PartCounts n;
    n.tree = p.routing.size();
    n.column = p.n_columns;
    n.node = p.kinds.size();
    n.cell = n.node * n.column;
    n.linear = kinds[2];
    n.nominal = kinds[3] + kinds[4];
    n.inner = n.node - kinds[0];
    n.asking = n.inner - n.linear;
    n.cut = kinds[1] + n.linear;
    n.term = sum_of(p.term_counts);
    n.value = sum_of(p.value_counts);
    for (u64 i = 0, at = 0; i < p.kinds.size() && at < p.value_counts.size(); ++i)
        if (const auto kind = static_cast<NodeKind>(p.kinds[i]); kind == NodeKind::subset)
            n.sided_value += p.value_counts[at++];
        else if (kind == NodeKind::multiway)
            ++at;
    n.end = kinds[0];  // and nodes where rows end
    for (u8 bits : p.missing) n.end += (bits & 8) != 0;
    for (u32 other : p.others) n.end += by_surrogates && other == kStopHere;
    n.end_of_numbers = numbers ? n.end : 0;
    n.inner_of_numbers = numbers ? n.inner : 0;
    n.inner_mean = p.inner_means.size();
    n.listing_end = lists ? n.end : 0;
    n.weight = lists ? sum_of(p.leaf_counts) : n.end * p.n_outputs();
    n.listed_weight = lists ? n.weight : 0;
    n.shared_inner = p.missing_mode() == Missing::shared ? n.inner : 0;
    n.surrogate_inner = by_surrogates ? n.inner : 0;
    n.surrogate = sum_of(p.surrogate_counts);
    for (u32 c : p.surrogate_columns) n.surrogate_of_values += c < p.n_values.size() && p.n_values[c] > 0;
    n.surrogate_of_numbers = n.surrogate - n.surrogate_of_values;
    n.surrogate_value = sum_of(p.surrogate_value_counts);
    n.lined = numbers && p.missing_mode() == Missing::either && !p.line_counts.empty() ? n.node : 0;
    n.line = sum_of(p.line_counts);
    std::string found;
    each_part(p, [&](const char* name, const auto& list, u64 PartCounts::* count, auto&, bool may_lack) {
        if (found.empty() && list.size() != n.*count && !(may_lack && list.empty()))
            found =
                std::string(name) + " has " + std::to_string(list.size()) + " entries, not " + std::to_string(n.*count);
    });
    return found;
}

std::string fault_of_entries(const TreeParts& p) {
    std::string found;
    each_part(p, [&](const char* name, const auto& list, u64 PartCounts::*, const auto& rule, bool) {
        for (std::size_t i = 0; i < list.size() && found.empty(); ++i)
            if (!rule.right(p, list[i])) found = std::string(name) + "[" + std::to_string(i) + "] is not " + rule.what;
    });
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
    u64 pending = 1, inner = 0, column = 0, cut = 0, term = 0, terms = 0, value = 0, values = 0, sides = 0, end = 0;
    for (u64 i = 0; i < p.kinds.size(); ++i) {
        if (i % 65536 == 0) budget.poll();
        const NodeKind kind = static_cast<NodeKind>(p.kinds[i]);
        const auto here = [i](const std::string& what) { return "node " + std::to_string(i) + what; };
        if (pending == 0) return here(" has no parent");
        --pending;
        if (kind == NodeKind::leaf) {  // a number that a leaf predicts is that of rows
            if (p.n_classes == 0 && p.leaf_rows[end] == 0) return "leaf " + std::to_string(end) + " has no rows";
            ++end;
            continue;
        }
        const bool nominal = kind == NodeKind::subset || kind == NodeKind::multiway;
        const u32 c = kind == NodeKind::linear ? 0 : p.columns[column++];
        if (kind != NodeKind::linear && nominal != (p.n_values[c] > 0))
            return here(" splits a column of the other kind");
        u32 children = 2;
        if (nominal) {
            const u32 n = p.value_counts[value], other = p.others[value];
            ++value;
            end += by_surrogates && other == kStopHere;
            const auto left = next_of(p.value_left, sides, kind == NodeKind::subset ? n : 0);
            if (const auto f = fault_of_values(next_of(p.values, values, n), left, p.n_values[c]); !f.empty())
                return here(f);
            if (kind == NodeKind::multiway) children = n;
            if (other != kStopHere && other >= children) return here(" sends other values to a child it does not have");
        } else {
            if (p.missing[cut] & ~((kind == NodeKind::linear ? 7 : 3) | (by_surrogates ? 8 : 0)))
                return here(" sends missing values neither left nor right");
            end += (p.missing[cut] & 8) != 0;
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
        // A branch that no training row takes is a leaf of no rows, which predicts what its parent does.
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        if (sum == kInf) return here(" weighs more than any number");
        if ((sum > 0) != (p.leaf_rows[l] > 0))
            return here(sum > 0 ? " weighs something without rows" : " weighs nothing");
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
    if (std::string f = fault_of_lengths(p, found); !f.empty()) return f;
    if (std::string f = fault_of_entries(p); !f.empty()) return f;
    if (std::string f = fault_of_splits(p, budget); !f.empty()) return f;
    if (std::string f = fault_of_surrogates(p, budget); !f.empty()) return f;
    return fault_of_ends(p);
}

}  // namespace bough
