// minimum_error: class shares are estimated by m rows with the shares of the root besides those of the node; from the
// leaves up, a node becomes a leaf if its expected error (with costs: what it costs) is not above that of its children.
#include "base/slack.hpp"
#include "pruners/errors.hpp"

namespace bough {

void register_minimum_error(Registry& r) {
    r.pruners.push_back(pruner_of(
        {"minimum_error",
         "from the leaves up, a node becomes a leaf if its expected error by the m-estimate is not above its "
         "children's",
         "Niblett & Bratko 1986, Cestnik & Bratko 1991",
         {{"m", "weight of the root's class shares in every estimate", Param::Type::real, 2, 0, kInf}}},
        Counts::classes, [](const Tree& tree, const Params& params, const Pruning& how) {
            const Stakes stakes(how.target);
            const double m = params.get("m"), unit = stakes.unit();
            const std::size_t k = tree.parts().n_classes;
            std::vector<double> weight(tree.n_nodes()), root(k), share(k);
            for (u32 i = 0; i < tree.n_nodes(); ++i) {
                const ClassWeights w = tree.weights(i);
                for (std::size_t c = 0; c < w.size(); ++c) weight[i] += w[c] * stakes.scale(w.id(c));
            }
            stakes.shares(tree.weights(0), root);
            const double likeliest = *std::max_element(root.begin(), root.end());
            std::vector<double> error(tree.n_nodes());  // of the best subtree of each node
            std::vector<u8> leaves(tree.n_nodes());
            for (u32 i = tree.n_nodes(); i-- > 0;) {
                const ClassWeights w = tree.weights(i);
                auto estimate = [&](double own, double of_root) { return (own + m * of_root) / (weight[i] + m); };
                if (stakes.losses()) {
                    for (std::size_t c = 0; c < k; ++c) share[c] = estimate(0, root[c]);
                    for (std::size_t c = 0; c < w.size(); ++c)
                        share[w.id(c)] = estimate(w[c] * stakes.scale(w.id(c)), root[w.id(c)]);
                    error[i] = kInf;
                    for (std::size_t a = 0; a < k; ++a) {
                        double cost = 0;
                        for (std::size_t c = 0; c < k; ++c) cost += share[c] * stakes.loss(c, a);
                        error[i] = std::min(error[i], cost);
                    }
                } else {
                    error[i] = 1 - estimate(0, likeliest);  // of a class that may not be here
                    for (std::size_t c = 0; c < w.size(); ++c)
                        error[i] = std::min(error[i], 1 - estimate(w[c] * stakes.scale(w.id(c)), root[w.id(c)]));
                }
                if (tree.kind(i) == NodeKind::leaf) continue;
                double below = 0;
                for (u32 c : tree.children(i)) below += weight[c] / weight[i] * error[c];
                leaves[i] = error[i] <= below + kErrors * unit;
                error[i] = std::min(error[i], below);
            }
            return leaves;
        }));
}

}  // namespace bough
