#include "stores/row_ids.hpp"

namespace bough {

void measure_children(const Node& node, const Target& target, const Division& division, std::vector<Node>& children,
                      Node& stayed) {
    const u32 n = static_cast<u32>(children.size());
    if (!target.weighted() && !target.regression() && !division.many()) {  // one side is counted
        Node &listed = children[division.front()], &other = children[1 - division.front()];
        measure(listed, target, division.listed());
        other.n_rows = node.n_rows - listed.n_rows;
        other.counts = other.weights = node.counts;
        for (std::size_t c = 0; c < node.counts.size(); ++c)
            other.counts[c] = other.weights[c] = node.counts[c] - listed.counts[c];
        other.total = node.total - listed.total;
    } else {
        std::vector<std::vector<u32>> rows(division.n_children());
        for (u32 row : node.by_target.empty() ? node.rows : node.by_target) rows[division.child(row)].push_back(row);
        for (u32 c = 0; c < n; ++c) measure(children[c], target, rows[c]);
        if (rows.size() > n) measure(stayed, target, rows[n]);
    }
    for (Node& child : children) list_present(child, target);
}

}  // namespace bough
