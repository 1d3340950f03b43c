#include "grow/pruner.hpp"

#include "grow/plan.hpp"

namespace bough {

Tree prune(const Tree& tree, const Part& part, const Pruning& how) {
    const PrunerPlugin& plugin = Registry::find(Registry::get().pruners, part.name);
    if (plugin.needs_data && !how.data)
        throw std::invalid_argument("prune='" + part.name + "' looks at the training rows: give it to the estimator");
    return plugin.make(Params(plugin.info, part.params))->prune(tree, how);
}

std::vector<double> impurities(const Tree& tree, const Scorer& scorer) {
    std::vector<double> v(tree.n_nodes());
    const bool regression = tree.parts().n_classes == 0;
    for (u32 i = 0; i < tree.n_nodes(); ++i)
        v[i] = regression ? tree.spread(i) / tree.weights(i)[0] : scorer.impurity(Side(tree.weights(i)));
    return v;
}

std::vector<double> risks(const Tree& tree, const Scorer& scorer) {
    std::vector<double> v = impurities(tree, scorer);
    auto weight = [&](u32 i) {
        double sum = 0;
        for (double w : tree.weights(i)) sum += w;
        return sum;
    };
    const double total = weight(0);
    for (u32 i = 0; i < tree.n_nodes(); ++i) v[i] *= weight(i) / total;
    return v;
}

}  // namespace bough
