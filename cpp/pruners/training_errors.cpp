// training_errors: a subtree that makes no fewer errors on its training rows than one leaf would becomes that leaf.
// C4.5 does so before anything else.
#include "base/slack.hpp"
#include "pruners/errors.hpp"

namespace bough {

void register_training_errors(Registry& r) {
    r.pruners.push_back(pruner_of_classes(
        {"training_errors", "subtrees that make no fewer training errors than one leaf become that leaf",
         "Quinlan 1993 (C4.5)"},
        [](const Tree& tree, const Params&) {
            const auto below = sums_below(tree, [&](u32 leaf) { return errors_of(tree.weights(leaf)); });
            std::vector<u8> leaves(tree.n_nodes());
            for (u32 i = 0; i < tree.n_nodes(); ++i) leaves[i] = below[i] >= errors_of(tree.weights(i)) - kNoErrors;
            return leaves;
        }));
}

}  // namespace bough
