// collapse: a subtree whose leaves all predict the same becomes one leaf.
#include "pruners/errors.hpp"

namespace bough {

void register_collapse(Registry& r) {
    r.pruners.push_back(pruner_of(
        {"collapse", "subtrees whose leaves all predict the same become one leaf", "common"}, Counts::anything,
        [](const Tree& tree, const Params&, const Pruning& how) {
            const Stakes stakes(how.target);
            std::vector<double> predicted(tree.n_nodes());  // NaN where the leaves below disagree
            std::vector<u8> leaves(tree.n_nodes(), 0);
            for (u32 i = tree.n_nodes(); i-- > 0;) {
                if (i % 65536 == 0) how.budget.poll();
                const double own =
                    tree.parts().n_classes == 0 ? tree.mean(i) : static_cast<double>(stakes.of(tree.weights(i)));
                predicted[i] = own;
                for (u32 c : tree.children(i))
                    if (predicted[c] != own) predicted[i] = kNaN;
                leaves[i] = tree.kind(i) != NodeKind::leaf && predicted[i] == predicted[i];
            }
            return leaves;
        }));
}

}  // namespace bough
