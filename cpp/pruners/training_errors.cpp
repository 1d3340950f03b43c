// training_errors: a subtree that makes no fewer errors on its training rows than one leaf would becomes that leaf;
// with costs or priors, one whose errors cost no less. C4.5 does so before anything else.
#include "base/slack.hpp"
#include "pruners/errors.hpp"

namespace bough {

void register_training_errors(Registry& r) {
    r.pruners.push_back(pruner_of(
        {"training_errors", "a subtree becomes a leaf if that makes no more training errors", "Quinlan 1993 (C4.5)"},
        Counts::classes, [](const Tree& tree, const Params&, const Pruning& how) {
            const Stakes stakes(how.target);
            auto wrong = [&](u32 i) {
                return stakes.plain() ? errors_of(tree.weights(i)) : stakes.risk(tree.weights(i));
            };
            const auto below = sums_below(tree, wrong);
            const double unit = stakes.unit();
            std::vector<u8> leaves(tree.n_nodes());
            for (u32 i = 0; i < tree.n_nodes(); ++i) leaves[i] = below[i] >= wrong(i) - kNoErrors * unit;
            return leaves;
        }));
}

}  // namespace bough
