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

std::vector<double> axes_from_moments(const NodeMoments& m, const Params& params, Budget& budget) {
    std::vector<double> gram = m.scatter;
    for (u32 j = 0; j < m.d; ++j)
        for (u32 i = 0; i < m.d && !m.varies(j); ++i)
            gram[std::size_t{i} * m.d + j] = gram[std::size_t{j} * m.d + i] = 0;
    return widest_axes(std::move(gram), m.d, params.count("n_components"), &budget);
}

}  // namespace

void register_node_pca(Registry& r) {
    r.splits.push_back(direction_plugin({"node_pca",
                                         "principal components of the node's rows, at every node",
                                         "Bodine & Hochbaum 2022",
                                         {components_param()}},
                                        [](const Problem&, const Params& params) -> DirectionFinder {
                                            return [most = params.count("n_components")](DirectionNode& node) {
                                                find(node, most);
                                            };
                                        }));
    r.splits.back().by_moments = {axes_from_moments, [](u64, u64 d) { return d; }, true};
}

}  // namespace bough
