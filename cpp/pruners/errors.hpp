// What pruners that count errors of classes share.
#pragma once

#include <algorithm>

#include "base/rng.hpp"
#include "data/sample.hpp"
#include "data/stakes.hpp"
#include "grow/pruner.hpp"
#include "tree/prune.hpp"

namespace bough {

// The weight that a prediction of the most frequent class gets wrong.
inline double errors_of(const ClassWeights& w) { return w.sum() - w.most(); }

// The sum over the leaves below each node of what `value(leaf)` is.
template <class Value>
std::vector<double> sums_below(const Tree& tree, const Value& value) {
    std::vector<double> sum(tree.n_nodes(), 0.0);
    for (u32 i = tree.n_nodes(); i-- > 0;) {
        if (tree.kind(i) == NodeKind::leaf) sum[i] = value(i);
        if (i > 0) sum[tree.parent(i)] += sum[i];
    }
    return sum;
}

// The rows of each class (together if not `by_class`, or where numbers are predicted), each time in an order of its
// own.
inline std::vector<std::vector<u32>> shuffled_rows(const Data& data, bool by_class, Rng rng) {
    std::vector<std::vector<u32>> strata(by_class ? std::max(1u, data.target.n_classes) : 1);
    for (u32 row = 0; row < data.table.n_rows; ++row)
        strata[strata.size() > 1 ? data.target.classes[row] : 0].push_back(row);
    for (auto& rows : strata)
        for (u32 i = static_cast<u32>(rows.size()); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
    return strata;
}

// Refuses costs and priors where each error counts as one: half an error, or the limit of a binomial count, is no cost.
inline void check_plain(const Pruning& how, const std::string& pruner) {
    if (!how.target.losses.empty() || !how.target.scale.empty())
        throw std::invalid_argument("prune='" + pruner +
                                    "' counts errors and knows no costs or priors; take 'cost_complexity_cv', "
                                    "'cost_complexity', 'minimum_error', 'reduced_error', 'training_errors' or "
                                    "'collapse'");
}

inline void check_classes(const Tree& tree, const std::string& pruner) {
    if (tree.parts().n_classes == 0)
        throw std::invalid_argument("prune='" + pruner +
                                    "' counts errors of classes; for numbers take 'cost_complexity' or 'collapse'");
}

// A pruner that is one function, cut(tree, params, how): the nodes that become leaves. `counts`: what it counts.
enum class Counts { anything, classes, errors };
template <class Cut>
PrunerPlugin pruner_of(Info info, Counts counts, Cut cut) {
    struct Made final : Pruner {
        Cut cut;
        Params params;
        std::string name;
        Counts counts;
        Made(Cut c, const Params& p, std::string n, Counts of) : cut(c), params(p), name(std::move(n)), counts(of) {}
        Tree prune(const Tree& tree, const Pruning& how) const override {
            if (counts != Counts::anything) check_classes(tree, name);
            if (counts == Counts::errors) check_plain(how, name);
            return pruned(tree, cut(tree, params, how), how.budget);
        }
    };
    return {info,
            [cut, counts, name = info.name](const Params& p) { return std::make_unique<Made>(cut, p, name, counts); }};
}

}  // namespace bough
