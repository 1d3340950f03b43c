#include "grow/pruner.hpp"

#include <limits>

#include "base/scale.hpp"
#include "data/stakes.hpp"
#include "grow/plan.hpp"

namespace bough {

Tree prune(const Tree& tree, const Part& part, const Pruning& how) {
    const PrunerPlugin& plugin = Registry::find(Registry::get().pruners, part.name);
    if (plugin.needs_data && !how.data)
        throw std::invalid_argument("prune='" + part.name + "' looks at the training rows: give it to the estimator");
    if (tree.linear() && part.name != "cost_complexity" && part.name != "cost_complexity_cv")
        throw std::invalid_argument("prune='" + part.name +
                                    "' compares leaves that predict one number, and this tree has linear leaves; take "
                                    "'cost_complexity'");
    return plugin.make(Params(plugin.info, part.params))->prune(tree, how);
}

void check_squares(const Tree& tree) {
    if (tree.parts().n_classes > 0 || tree.n_leaves() == 1 || !tree.parts().inner_means.empty()) return;
    const double variance = tree.spread(0) / tree.weights(0)[0];
    if (variance < std::numeric_limits<double>::min() ||
        !(tree.spread(0) < 1.6e308))  // 1.7e308 is as large as they get
        throw std::invalid_argument(
            "pruning compares squared errors, and those of numbers of this size are beyond float64; multiply the "
            "target by a power of ten that brings it near 1");
}

std::vector<double> impurities(const Tree& tree, const Scorer& scorer, const Target& target) {
    std::vector<double> v(tree.n_nodes()), own;
    const bool regression = tree.parts().n_classes == 0;
    const std::vector<double> alter = weights_in_splits(target);
    for (u32 i = 0; i < tree.n_nodes(); ++i) {
        const ClassWeights weights = tree.weights(i);
        std::span<const double> w = weights.weights();
        if (regression) {
            v[i] = tree.spread(i) / w[0];
            continue;
        }
        if (!alter.empty() || wild_exponent(w) != 0) {
            own.assign(w.begin(), w.end());
            tame(own);
            for (std::size_t c = 0; c < own.size() && !alter.empty(); ++c) own[c] *= alter[weights.id(c)];
            tame(own);
            w = own;
        }
        v[i] = scorer.impurity(Side(w).of(weights.classes()));
    }
    return v;
}

std::vector<double> risks(const Tree& tree, const Scorer& scorer, const Target& target) {
    check_squares(tree);
    std::vector<double> v = impurities(tree, scorer, target);
    const std::vector<double> alter = weights_in_splits(target);
    auto weight = [&](u32 i) {
        double sum = 0;
        const auto w = tree.weights(i);
        for (std::size_t c = 0; c < w.size(); ++c) sum += alter.empty() ? w[c] : alter[w.id(c)] * w[c];
        return sum;
    };
    const double total = weight(0);
    for (u32 i = 0; i < tree.n_nodes(); ++i) v[i] *= weight(i) / total;
    return v;
}

}  // namespace bough
