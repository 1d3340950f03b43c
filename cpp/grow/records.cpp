#include "grow/records.hpp"

#include <algorithm>
#include <iterator>

namespace bough {

u32 Records::sums(const Node& node, const Target& target, std::span<const u32> classes) {
    leaf_begin.push_back(leaf_weights.size());
    leaf_rows.push_back(node.n_rows);
    if (target.regression()) {
        leaf_weights.push_back(node.total);
        leaf_means.push_back(node.mean);
        leaf_spreads.push_back(node.spread);
    } else if (target.n_classes <= kManyClasses) {
        leaf_weights.insert(leaf_weights.end(), node.weights.begin(), node.weights.end());
    } else {
        for (u32 c = 0; c < node.weights.size(); ++c)
            if (node.weights[c] > 0) {
                leaf_classes.push_back(classes.empty() ? c : classes[c]);
                leaf_weights.push_back(node.weights[c]);
            }
    }
    return static_cast<u32>(leaf_rows.size() - 1);
}

void Records::graft(u32 record, Records&& sub) {
    const u32 nodes_before = static_cast<u32>(nodes.size()), splits_before = static_cast<u32>(splits.size());
    const u32 leaves_before = static_cast<u32>(leaf_rows.size()), tests_before = static_cast<u32>(tests.size());
    const u32 wholes_before = static_cast<u32>(wholes.size());
    auto moved = [&](Record r) {
        if (r.split != kNone) r.split += splits_before;
        if (r.leaf != kNone) r.leaf += leaves_before;
        if (r.stayed != kNone) r.stayed += leaves_before;
        if (r.test != kNone) r.test += tests_before;
        if (r.whole != kNone) r.whole += wholes_before;
        if (r.first_child != kNone) r.first_child += nodes_before - 1;  // the root takes the old place
        return r;
    };
    nodes[record] = moved(sub.nodes[0]);
    for (std::size_t i = 1; i < sub.nodes.size(); ++i) nodes.push_back(moved(sub.nodes[i]));
    std::move(sub.splits.begin(), sub.splits.end(), std::back_inserter(splits));
    std::move(sub.tests.begin(), sub.tests.end(), std::back_inserter(tests));
    std::move(sub.wholes.begin(), sub.wholes.end(), std::back_inserter(wholes));
    leaf_rows.insert(leaf_rows.end(), sub.leaf_rows.begin(), sub.leaf_rows.end());
    for (u64 begin : sub.leaf_begin) leaf_begin.push_back(leaf_weights.size() + begin);
    leaf_weights.insert(leaf_weights.end(), sub.leaf_weights.begin(), sub.leaf_weights.end());
    leaf_classes.insert(leaf_classes.end(), sub.leaf_classes.begin(), sub.leaf_classes.end());
    leaf_means.insert(leaf_means.end(), sub.leaf_means.begin(), sub.leaf_means.end());
    leaf_spreads.insert(leaf_spreads.end(), sub.leaf_spreads.begin(), sub.leaf_spreads.end());
}

TreeParts Records::in_preorder(const Table& table, const Target& target, Missing missing, double offset) && {
    std::vector<u32> n_values;
    for (const auto& c : table.columns)
        n_values.push_back(c.kind == ColumnKind::nominal ? std::max(1u, c.n_values) : 0);
    TreeWriter writer(std::move(n_values), target.n_classes, missing);
    leaf_begin.push_back(leaf_weights.size());
    const std::vector<double> untested(tests.empty() ? 0 : table.n_columns(), kNaN);
    std::vector<double> weights;
    std::vector<u32> classes;
    auto given = [&](double mean) { return std::ldexp(mean, target.number_exponent) + offset; };
    auto ended = [&](u32 place) {
        if (place == kNone) return EndSums{};
        const auto begin = static_cast<std::ptrdiff_t>(leaf_begin[place]);
        const auto end = static_cast<std::ptrdiff_t>(leaf_begin[place + 1]);
        weights.assign(leaf_weights.begin() + begin, leaf_weights.begin() + end);
        if (!leaf_classes.empty()) classes.assign(leaf_classes.begin() + begin, leaf_classes.begin() + end);
        EndSums sums{leaf_rows[place], weights, classes};
        if (target.regression()) {
            sums.mean = given(leaf_means[place]);
            sums.spread = leaf_spreads[place];
        }
        return sums;
    };
    std::vector<u32> stack{0};
    while (!stack.empty()) {
        const Record& r = nodes[stack.back()];
        stack.pop_back();
        if (r.whole != kNone) {
            TreeParts& parts = wholes[r.whole];
            for (double& mean : parts.leaf_means) mean = given(mean);
            if (parts.log_p.empty()) parts.log_p.assign(parts.kinds.size() * untested.size(), kNaN);
            writer.whole(std::move(parts));
            continue;
        }
        const auto& log_p = r.test == kNone ? untested : tests[r.test];
        if (r.split != kNone) {
            writer.inner(splits[r.split], r.gain, r.rows, ended(r.stayed), log_p);
            for (u32 c = splits[r.split].n_children(); c-- > 0;) stack.push_back(r.first_child + c);
            continue;
        }
        writer.leaf(ended(r.leaf), log_p);
    }
    return std::move(writer).finish();
}

}  // namespace bough
