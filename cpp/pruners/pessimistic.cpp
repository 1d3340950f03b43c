// pessimistic: every leaf is taken to make half an error more than it did in training; a subtree becomes a leaf if
// that leaf makes no more errors than the subtree and one standard error of it.
#include "pruners/errors.hpp"

namespace bough {

void register_pessimistic(Registry& r) {
    r.pruners.push_back(pruner_of(
        {"pessimistic",
         "a subtree becomes a leaf if that costs no more than one standard error, every leaf making half an error more",
         "Quinlan 1987"},
        Counts::errors, [](const Tree& tree, const Params&, const Pruning&) {
            const auto errors = sums_below(tree, [&](u32 leaf) { return errors_of(tree.weights(leaf)); });
            const auto n_leaves = sums_below(tree, [](u32) { return 1.0; });
            std::vector<u8> leaves(tree.n_nodes());
            for (u32 i = 0; i < tree.n_nodes(); ++i) {
                const double n = tree.weights(i).sum(), below = errors[i] + n_leaves[i] / 2;
                const double deviation = std::sqrt(std::max(0.0, below * (n - below) / n));
                leaves[i] = errors_of(tree.weights(i)) + 0.5 <= below + deviation;
            }
            return leaves;
        }));
}

}  // namespace bough
