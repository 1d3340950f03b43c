// minimum_error: class shares are estimated by m rows with the shares of the root besides those of the node; from the
// leaves up, a node becomes a leaf if its expected error (with costs: what it costs) is not above that of its children.
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
        false, [](const Tree& tree, const Params& params, const Answers& answers) {
            const double m = params.get("m");
            const std::size_t k = tree.weights(0).size();
            std::vector<double> weight(tree.n_nodes()), root(k), share(k);
            auto scaled = [&](u32 i, std::size_t c) { return tree.weights(i)[c] * answers.scale(c); };
            for (u32 i = 0; i < tree.n_nodes(); ++i)
                for (std::size_t c = 0; c < k; ++c) weight[i] += scaled(i, c);
            for (std::size_t c = 0; c < k; ++c) root[c] = scaled(0, c) / weight[0];
            std::vector<double> error(tree.n_nodes());  // of the best subtree of each node
            std::vector<u8> leaves(tree.n_nodes());
            for (u32 i = tree.n_nodes(); i-- > 0;) {
                for (std::size_t c = 0; c < k; ++c) share[c] = (scaled(i, c) + m * root[c]) / (weight[i] + m);
                error[i] = kInf;
                for (std::size_t a = 0; a < k; ++a) {
                    double cost = answers.losses() ? 0.0 : 1 - share[a];
                    for (std::size_t c = 0; c < k && answers.losses(); ++c) cost += share[c] * answers.loss(c, a);
                    error[i] = std::min(error[i], cost);
                }
                if (tree.kind(i) == NodeKind::leaf) continue;
                double below = 0;
                for (u32 c : tree.children(i)) below += weight[c] / weight[i] * error[c];
                leaves[i] = error[i] <= below + kErrors;
                error[i] = std::min(error[i], below);
            }
            return leaves;
        }));
}

}  // namespace bough
