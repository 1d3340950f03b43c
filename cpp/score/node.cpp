#include "score/node.hpp"

#include <algorithm>

#include "data/target.hpp"

namespace bough {

namespace {

// weight(i) is that of rows[i].
template <class Weight>
void sum_up(Node& node, const Target& target, std::span<const u32> rows, Weight weight) {
    const std::size_t k = target.n_classes;
    node.n_rows = static_cast<u32>(rows.size());
    node.counts.assign(k, 0.0);
    node.weights.assign(k, 0.0);
    node.total = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const u32 c = target.classes[rows[i]];
        node.counts[c] += 1;
        node.weights[c] += weight(i);
    }
    for (double w : node.weights) node.total += w;
}

// A numeric target; weight(i) is that of rows[i].
template <class Weight>
void measure_target(Node& node, const Target& target, std::span<const u32> rows, bool weighted, Weight weight) {
    node.n_rows = static_cast<u32>(rows.size());
    node.counts.assign(1, node.n_rows);
    if (rows.empty()) {
        node.weights.assign(1, 0.0);
        node.total = 0;
        return;
    }
    node.take(measure_numbers(target.leaf, weighted, [&](auto visit) {
        if (weighted)
            for (std::size_t i = 0; i < rows.size(); ++i) visit(target.numbers[rows[i]], weight(i));
        else
            for (u32 row : rows) visit(target.numbers[row]);
    }));
    node.total = node.weight_of(node.sums);
    node.weights.assign(1, node.total);
}

}  // namespace

void measure(Node& node, const Target& target, std::span<const u32> rows) {
    auto weight = [&](std::size_t i) { return target.weight(rows[i]); };
    if (target.regression()) return measure_target(node, target, rows, target.weighted(), weight);
    if (target.weighted()) return sum_up(node, target, rows, weight);
    node.n_rows = static_cast<u32>(rows.size());
    node.counts.assign(target.n_classes, 0.0);
    for (u32 row : rows) node.counts[target.classes[row]] += 1;
    node.weights = node.counts;
    node.total = node.n_rows;
}

void measure(Node& node, const Target& target, std::span<const u32> rows, std::span<const double> weights) {
    auto weight = [&](std::size_t i) { return weights[i]; };
    if (target.regression()) return measure_target(node, target, rows, true, weight);
    sum_up(node, target, rows, weight);
}

void list_present(Node& node, const Target& target) {
    node.present.clear();
    node.present_weights.clear();
    node.ruled = kNone;
    for (u32 c = 0; c < node.counts.size(); ++c)
        if (node.counts[c] > 0) {
            if (c == target.ruled) node.ruled = static_cast<u32>(node.present.size());
            node.present.push_back(c);
            node.present_weights.push_back(node.weights[c]);
        }
    if (!target.regression()) node.pure = node.present.size() <= 1;
}

}  // namespace bough
