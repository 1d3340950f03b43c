#include "score/node.hpp"

#include <algorithm>

#include "data/target.hpp"

namespace bough {

void measure(Node& node, const Target& target, std::span<const u32> rows) {
    const std::size_t k = std::max(1u, target.n_classes);
    node.n_rows = static_cast<u32>(rows.size());
    node.counts.assign(k, 0.0);
    node.weights.assign(k, 0.0);
    node.total = 0;
    if (!target.regression() && !target.weighted()) {
        for (u32 row : rows) node.counts[target.classes[row]] += 1;
        node.weights = node.counts;
        node.total = node.n_rows;
        return;
    }
    for (u32 row : rows) {
        const u32 c = target.regression() ? 0 : target.classes[row];
        node.counts[c] += 1;
        node.weights[c] += target.weight(row);
    }
    for (double w : node.weights) node.total += w;
    if (!target.regression()) return;
    const double origin = target.numbers[rows[0]];
    double shift = 0, low = origin, high = origin;
    for (u32 row : rows) {
        const double y = target.numbers[row];
        shift += target.weight(row) * (y - origin);
        low = std::min(low, y);
        high = std::max(high, y);
    }
    node.mean = origin + shift / node.total;
    node.spread = 0;
    for (u32 row : rows) {
        const double d = target.numbers[row] - node.mean;
        node.spread += target.weight(row) * d * d;
    }
    node.pure = low == high;
}

void list_present(Node& node, const Target& target) {
    node.present.clear();
    node.present_weights.clear();
    for (u32 c = 0; c < node.counts.size(); ++c)
        if (node.counts[c] > 0) {
            node.present.push_back(c);
            node.present_weights.push_back(node.weights[c]);
        }
    if (!target.regression()) node.pure = node.present.size() <= 1;
}

}  // namespace bough
