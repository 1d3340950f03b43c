// minimum_error: class shares are estimated by m rows with the shares of the root besides those of the node; from the
// leaves up, a node becomes a leaf if its expected error is not above that of its children.
#include "base/slack.hpp"
#include "pruners/errors.hpp"

namespace bough {

void register_minimum_error(Registry& r) {
    r.pruners.push_back(pruner_of_classes(
        {"minimum_error",
         "from the leaves up, a node becomes a leaf if its expected error by the m-estimate is not above its "
         "children's",
         "Niblett & Bratko 1986, Cestnik & Bratko 1991",
         {{"m", "weight of the root's class shares in every estimate", Param::Type::real, 2, 0, kInf}}},
        [](const Tree& tree, const Params& params) {
            const double m = params.get("m"), all = sum_of(tree.weights(0));
            std::vector<double> error(tree.n_nodes());  // of the best subtree of each node
            std::vector<u8> leaves(tree.n_nodes());
            for (u32 i = tree.n_nodes(); i-- > 0;) {
                const auto w = tree.weights(i);
                const double n = sum_of(w);
                double top = 0;
                for (std::size_t c = 0; c < w.size(); ++c)
                    top = std::max(top, (w[c] + m * (tree.weights(0)[c] / all)) / (n + m));
                error[i] = 1 - top;
                if (tree.kind(i) == NodeKind::leaf) continue;
                double below = 0;
                for (u32 c : tree.children(i)) below += sum_of(tree.weights(c)) / n * error[c];
                leaves[i] = error[i] <= below + kErrors;
                error[i] = std::min(error[i], below);
            }
            return leaves;
        }));
}

}  // namespace bough
