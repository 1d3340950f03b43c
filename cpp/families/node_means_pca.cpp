// node_means_pca: principal components of the k "rest" means, each the mean of all rows not in one class.
// They span the space in which the class means differ, so k points tell what n rows would.
#include "directions/components.hpp"

namespace bough {

namespace {

std::vector<double> directions_of(const GroupMeans& g, double total, u32 most, Budget* budget) {
    const u32 k = g.k, d = g.d;
    if (k < 2) return {};
    std::vector<double> c(std::size_t{k} * d);
    std::vector<double> all(d, 0.0), center(d, 0.0);
    for (u32 a = 0; a < k; ++a)
        for (u32 j = 0; j < d; ++j) all[j] += g.weight[a] * g.of(a)[j];
    for (u32 a = 0; a < k; ++a) {
        const double rest = total - g.weight[a];
        if (!(rest > 0)) return {};
        for (u32 j = 0; j < d; ++j) {
            // Σ of the other classes about this one's mean: nothing is lost where they nearly agree
            c[a * d + j] = (all[j] - g.weight[a] * g.of(a)[j]) / rest;
            center[j] += c[a * d + j] / k;
        }
    }
    for (u32 j = 0; j < d; ++j) {
        double widest = 0;
        for (u32 a = 0; a < k; ++a) {
            c[a * d + j] -= center[j];
            widest = std::max(widest, std::fabs(c[a * d + j]));
        }
        if (!(widest > g.rounding[j]))
            for (u32 a = 0; a < k; ++a) c[a * d + j] = 0;
    }
    if (k > 2) return components(c.data(), k, d, most, budget);
    c.resize(d);  // two points: the line through them
    return c;
}

void find(DirectionNode& node, u32 most) {
    node.offer(directions_of(node.group_means(), node.node.total, most, node.problem.budget));
}

std::vector<double> from_moments(const NodeMoments& m, const Params& params, Budget& budget) {
    return directions_of({m.k, m.d, m.weight, m.group_mean, m.rounding}, m.total, params.count("n_components"),
                         &budget);
}

}  // namespace

void register_node_means_pca(Registry& r) {
    r.splits.push_back(node_components_plugin(
        "node_means_pca", "principal components of the means of all rows not in a class, at every node", find));
    tell_by_moments("node_means_pca",
                    {from_moments, [](u64 k, u64 d) { return k == 2 ? 1 : std::min(k, d); }, Scatter::none});
}

}  // namespace bough
