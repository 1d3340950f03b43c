#include "grow/grow.hpp"

#include "grow/grower.hpp"
#include "grow/pruner.hpp"

namespace bough {

Tree grow(const Data& data, const Sample& sample, const Plan& plan, Budget& budget) {
    const Drawn drawn(data, sample);
    Tree tree(grow_parts(drawn.data(), plan, budget), budget);
    if (plan.prune.empty()) return tree;
    Target bare;  // a tree's sums are in the user's weights, whatever the rows have
    bare.n_classes = data.target.n_classes;
    bare.costs = data.target.costs;
    const auto scorer = Registry::find(Registry::get().criteria, plan.criterion).make(bare);
    for (const Part& part : plan.prune) tree = prune(tree, part, {*scorer, budget, &drawn.data(), &plan});
    return tree;
}

}  // namespace bough
