// cost_complexity: the subtree with the least impurity + alpha for each leaf.
#include "grow/pruner.hpp"
#include "tree/prune.hpp"

namespace bough {

namespace {

struct CostComplexity final : Pruner {
    double alpha;
    explicit CostComplexity(double a) : alpha(a) {}
    Tree prune(const Tree& tree, const Pruning& how) const override {
        const std::vector<double> alphas = weakest_links(tree, risks(tree, how.scorer, how.target), how.budget).alphas;
        std::vector<u8> leaves(tree.n_nodes());
        for (u32 i = 0; i < tree.n_nodes(); ++i) leaves[i] = alphas[i] <= alpha;
        return pruned(tree, leaves, how.budget);
    }
};

}  // namespace

void register_cost_complexity(Registry& r) {
    r.pruners.push_back(
        {{"cost_complexity",
          "the subtree with the lowest impurity + alpha per leaf",
          "Breiman et al. 1984 (CART)",
          {{"alpha", "price of a leaf; the same as the estimators' ccp_alpha", Param::Type::real, 0, 0, kInf}}},
         [](const Params& p) { return std::make_unique<CostComplexity>(p.get("alpha")); }});
}

}  // namespace bough
