// collapse: a subtree whose leaves all answer alike becomes one leaf.
#include "data/stakes.hpp"
#include "grow/pruner.hpp"
#include "tree/prune.hpp"

namespace bough {

namespace {

struct Collapse final : Pruner {
    Tree prune(const Tree& tree, const Pruning& how) const override {
        const Stakes stakes(how.target);
        const bool regression = tree.parts().n_classes == 0;
        std::vector<double> answer(tree.n_nodes());  // NaN where the leaves below disagree
        std::vector<u8> leaves(tree.n_nodes(), 0);
        for (u32 i = tree.n_nodes(); i-- > 0;) {
            if (i % 65536 == 0) how.budget.poll();
            const auto w = tree.weights(i);
            const double own = regression ? tree.mean(i) : static_cast<double>(stakes.of(w));
            answer[i] = own;
            for (u32 c : tree.children(i))
                if (answer[c] != own) answer[i] = kNaN;
            leaves[i] = tree.kind(i) != NodeKind::leaf && answer[i] == answer[i];
        }
        return pruned(tree, leaves, how.budget);
    }
};

}  // namespace

void register_collapse(Registry& r) {
    r.pruners.push_back({{"collapse", "subtrees whose leaves all predict the same become one leaf", "common"},
                         [](const Params&) { return std::make_unique<Collapse>(); }});
}

}  // namespace bough
