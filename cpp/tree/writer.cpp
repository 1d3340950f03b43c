#include "tree/writer.hpp"

#include <iterator>

namespace bough {

void Records::make_leaf(u32 record, const Node& node, const Target& target) {
    nodes[record].leaf = static_cast<u32>(leaf_rows.size());
    leaf_rows.push_back(node.n_rows);
    if (target.regression()) {
        leaf_weights.push_back(node.total);
        leaf_means.push_back(node.mean);
        leaf_spreads.push_back(node.spread);
    } else {
        leaf_weights.insert(leaf_weights.end(), node.weights.begin(), node.weights.end());
    }
}

void Records::graft(u32 record, Records&& sub) {
    const u32 nodes_before = static_cast<u32>(nodes.size()), splits_before = static_cast<u32>(splits.size());
    const u32 leaves_before = static_cast<u32>(leaf_rows.size()), tests_before = static_cast<u32>(tests.size());
    auto moved = [&](Record r) {
        if (r.split != kNone) r.split += splits_before;
        if (r.leaf != kNone) r.leaf += leaves_before;
        if (r.test != kNone) r.test += tests_before;
        if (r.first_child != kNone) r.first_child += nodes_before - 1;  // the root takes the old place
        return r;
    };
    nodes[record] = moved(sub.nodes[0]);
    for (std::size_t i = 1; i < sub.nodes.size(); ++i) nodes.push_back(moved(sub.nodes[i]));
    std::move(sub.splits.begin(), sub.splits.end(), std::back_inserter(splits));
    std::move(sub.tests.begin(), sub.tests.end(), std::back_inserter(tests));
    leaf_rows.insert(leaf_rows.end(), sub.leaf_rows.begin(), sub.leaf_rows.end());
    leaf_weights.insert(leaf_weights.end(), sub.leaf_weights.begin(), sub.leaf_weights.end());
    leaf_means.insert(leaf_means.end(), sub.leaf_means.begin(), sub.leaf_means.end());
    leaf_spreads.insert(leaf_spreads.end(), sub.leaf_spreads.begin(), sub.leaf_spreads.end());
}

TreeParts Records::in_preorder(const Table& table, const Target& target, double offset) && {
    TreeParts p;
    p.n_columns = table.n_columns();
    p.n_classes = target.n_classes;
    for (const auto& c : table.columns)
        p.n_values.push_back(c.kind == ColumnKind::nominal ? std::max(1u, c.n_values) : 0);
    const std::size_t k = p.n_outputs();
    std::vector<u32> stack{0};
    while (!stack.empty()) {
        const Record& r = nodes[stack.back()];
        stack.pop_back();
        if (r.test != kNone)
            p.log_p.insert(p.log_p.end(), tests[r.test].begin(), tests[r.test].end());
        else if (!tests.empty())
            p.log_p.insert(p.log_p.end(), p.n_columns, kNaN);
        if (r.split == kNone) {
            p.kinds.push_back(static_cast<u8>(NodeKind::leaf));
            p.leaf_rows.push_back(leaf_rows[r.leaf]);
            const auto w = leaf_weights.begin() + static_cast<std::ptrdiff_t>(r.leaf * k);
            p.leaf_weights.insert(p.leaf_weights.end(), w, w + static_cast<std::ptrdiff_t>(k));
            if (target.regression()) {
                p.leaf_means.push_back(std::ldexp(leaf_means[r.leaf], target.number_exponent) + offset);
                p.leaf_spreads.push_back(leaf_spreads[r.leaf]);
            }
            continue;
        }
        const Split& s = splits[r.split];
        p.append(s, r.gain);
        for (u32 c = s.n_children(); c-- > 0;) stack.push_back(r.first_child + c);
    }
    return p;
}

}  // namespace bough
