#include "grow/records.hpp"

#include <algorithm>

namespace bough {

u32 Records::sums(const Node& node, std::span<const u32> classes) {
    leaf_begin_.push_back(leaf_weights_.size());
    leaf_rows_.push_back(node.n_rows);
    if (target_.regression()) {
        leaf_weights_.push_back(node.total);
        leaf_means_.push_back(node.value);
        leaf_spreads_.push_back(node.loss);
    } else if (target_.n_classes <= kManyClasses) {
        leaf_weights_.insert(leaf_weights_.end(), node.weights.begin(), node.weights.end());
    } else {
        for (u32 c = 0; c < node.weights.size(); ++c)
            if (node.weights[c] > 0) {
                leaf_classes_.push_back(classes.empty() ? c : classes[c]);
                leaf_weights_.push_back(node.weights[c]);
            }
    }
    return static_cast<u32>(leaf_rows_.size() - 1);
}

u32 Records::make_inner(u32 record, Split split, double gain, const Node& node, const Node& stayed,
                        std::span<const u32> classes) {
    const u32 first = static_cast<u32>(nodes_.size()), n = split.n_children();
    for (u32 c = 0; c < n; ++c) add();
    Record& r = nodes_[record];
    r.lines = node.lines;
    r.gain = gain;
    r.mean = node.value;
    r.spread = node.loss;
    r.first_child = first;
    r.rows = node.n_rows;
    r.split = static_cast<u32>(splits_.size());
    if (stayed.n_rows > 0) r.stayed = sums(stayed, classes);
    splits_.push_back(std::move(split));
    return first;
}

TreeWriter writer_for(const Table& table, const Target& target, Missing missing) {
    std::vector<u32> n_values;
    for (const auto& c : table.columns)
        n_values.push_back(c.kind == ColumnKind::nominal ? std::max(1u, c.n_values) : 0);
    return {std::move(n_values), target.n_classes, missing, !target.leaf.squares()};
}

void restore_means(TreeParts& parts, const Target& target, double offset) {
    for (auto* list : {&parts.leaf_means, &parts.inner_means, &parts.line_lows, &parts.line_highs})
        for (double& mean : *list) mean = std::ldexp(mean, target.number_exponent) + offset;
    for (auto* list : {&parts.line_offsets, &parts.line_slopes})
        for (double& x : *list) x = std::ldexp(x, target.number_exponent);
    if (parts.line_offsets.empty()) return;
    parts.line_offsets[0] += offset;
    if (!std::all_of(parts.line_slopes.begin(), parts.line_slopes.end(), [](double x) { return std::isfinite(x); }))
        throw std::invalid_argument(
            "leaf='linear' finds slopes beyond float64; multiply the target, or its columns, by a power of ten that "
            "brings their numbers near 1");
}

TreeParts Records::in_preorder() && {
    TreeWriter writer = writer_for(table_, target_, missing_);
    leaf_begin_.push_back(leaf_weights_.size());
    std::vector<double> weights;
    std::vector<u32> classes;
    auto ended = [&](u32 place) {
        if (place == kNone) return EndSums{};
        const auto begin = static_cast<std::ptrdiff_t>(leaf_begin_[place]);
        const auto end = static_cast<std::ptrdiff_t>(leaf_begin_[place + 1]);
        weights.assign(leaf_weights_.begin() + begin, leaf_weights_.begin() + end);
        if (!leaf_classes_.empty()) classes.assign(leaf_classes_.begin() + begin, leaf_classes_.begin() + end);
        EndSums sums{leaf_rows_[place], weights, classes};
        if (target_.regression()) {
            sums.mean = leaf_means_[place];
            sums.spread = leaf_spreads_[place];
        }
        return sums;
    };
    std::vector<u32> stack{0};
    while (!stack.empty()) {
        const Record& r = nodes_[stack.back()];
        stack.pop_back();
        if (r.subtree != kNone) {
            writer.subtree(std::move(subtrees_[r.subtree]));
            continue;
        }
        const std::span<const double> log_p = r.test == kNone ? std::span<const double>() : tests_[r.test];
        if (r.split == kNone) {
            writer.leaf(ended(r.leaf), log_p, r.lines.get());
            continue;
        }
        const Split& split = splits_[r.split];
        writer.inner(split, r.gain, {r.rows, {}, {}, r.mean, r.spread}, ended(r.stayed), log_p, r.lines.get());
        for (u32 c = split.n_children(); c-- > 0;) stack.push_back(r.first_child + c);
    }
    return std::move(writer).finish();
}

}  // namespace bough
