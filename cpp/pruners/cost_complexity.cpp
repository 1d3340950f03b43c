// cost_complexity: the subtree with the least impurity + alpha for each leaf.
#include "pruners/errors.hpp"

namespace bough {

void register_cost_complexity(Registry& r) {
    r.pruners.push_back(pruner_of(
        {"cost_complexity",
         "the subtree with the lowest impurity + alpha per leaf",
         "Breiman et al. 1984 (CART)",
         {{"alpha", "price of a leaf; the same as the estimators' ccp_alpha", Param::Type::real, 0, 0, kInf}}},
        Counts::anything, [](const Tree& tree, const Params& params, const Pruning& how) {
            const auto links = weakest_links(tree, risks(tree, how.scorer, how.target), how.budget);
            std::vector<u8> leaves(tree.n_nodes());
            for (u32 i = 0; i < tree.n_nodes(); ++i) leaves[i] = links.alphas[i] <= params.get("alpha");
            return leaves;
        }));
}

}  // namespace bough
