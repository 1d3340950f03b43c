// node_means_pca: principal components of the k "rest" means, each the mean of all rows not in one class.
// They span the space in which the class means differ, so k points tell what n rows would.
#include <numeric>

#include "directions/components.hpp"

namespace bough {

namespace {

std::vector<double> directions_of(const GroupMeans& g, double total, const Params& params, Budget* budget) {
    const u32 most = params.count("n_components");
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
    const double length = std::sqrt(std::inner_product(c.begin(), c.end(), c.begin(), 0.0));
    if (!params.flag("across") || most == 1 || d == 1 || !(length > 0) || !std::isfinite(length)) return c;
    // The other axis of two points: what the reflection that turns the line onto the first column makes of the second.
    std::vector<double> v(c);
    v[0] += std::copysign(length, v[0]);
    const double by = 2 * v[1] / std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
    for (u32 j = 0; j < d; ++j) c.push_back((j == 1) - by * v[j]);
    return c;
}

std::vector<double> from_moments(const NodeMoments& m, const Params& params, Budget& budget) {
    return directions_of({m.k, m.d, m.weight, m.group_mean, m.rounding}, m.total, params, &budget);
}

}  // namespace

void register_node_means_pca(Registry& r) {
    r.splits.push_back(direction_plugin(
        {"node_means_pca",
         "principal components of the rest means (for each class, the mean of all other rows), at every node",
         "Bodine & Hochbaum 2022",
         {components_param(),
          {"across", "with two classes left at the node, also try a direction across the line through their means",
           Param::Type::flag, 0}}},
        [](const Problem&, const Params& params) -> DirectionFinder {
            return [params](DirectionNode& node) {
                node.offer(directions_of(node.group_means(), node.node.total, params, node.problem.budget));
            };
        }));
    r.splits.back().by_moments = {from_moments, [](u64 k, u64 d) { return std::min(k, d); }};
}

}  // namespace bough
