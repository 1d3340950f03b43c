// node_pca: principal components of the node's own rows.
#include "directions/components.hpp"

namespace bough {

namespace {

void find(DirectionNode& node, u32 most) {
    NodeMatrix m = node.matrix();
    if (node.problem.target->weighted())
        for (u32 i = 0; i < m.n; ++i) {
            const double root = std::sqrt(node.weight(i));
            for (u32 j = 0; j < m.d; ++j) m.x[std::size_t{i} * m.d + j] *= root;
        }
    node.offer(components(m.x.data(), m.n, m.d, most, node.problem.budget));
}

}  // namespace

void register_node_pca(Registry& r) {
    r.splits.push_back(
        node_components_plugin("node_pca", "principal components of the node's rows, at every node", find));
}

}  // namespace bough
