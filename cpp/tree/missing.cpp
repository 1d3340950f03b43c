// Rows with missing values: the surrogates of a tree, and the shares of a row.
#include "tree/route.hpp"
#include "tree/tree.hpp"

namespace bough {

void Tree::derive_missing() {
    if (missing() == Missing::shared)
        for (u32 i = 0; i < n_nodes(); ++i) totals_.push_back(weights(i).sum());
    if (parts_.surrogate_counts.empty()) return;
    const TreeParts& p = parts_;
    surrogate_begin_.assign(1, 0);
    for (u8 n : p.surrogate_counts) surrogate_begin_.push_back(surrogate_begin_.back() + n);
    surrogates_.resize(p.surrogate_columns.size());
    std::size_t cut = 0, nominal = 0, value = 0;
    for (std::size_t i = 0; i < surrogates_.size(); ++i) {
        Surrogate& s = surrogates_[i];
        s.column = p.surrogate_columns[i];
        s.agreement = p.surrogate_agreements[i];
        s.adjusted = p.surrogate_adjusted[i];
        if (p.n_values[s.column] == 0) {
            s.cut = p.surrogate_cuts[cut];
            s.low_left = p.surrogate_low_left[cut++] != 0;
            continue;
        }
        const u32 size = p.surrogate_value_counts[nominal++];
        s.values.assign(p.surrogate_values.data() + value, p.surrogate_values.data() + value + size);
        s.goes_left.assign(p.surrogate_value_left.data() + value, p.surrogate_value_left.data() + value + size);
        value += size;
    }
}

void Tree::reach(std::span<const Column> columns, u64 row, std::vector<Reached>& found) const {
    found.assign(1, {0, 1.0, true});
    const bool shared = missing() == Missing::shared;
    std::vector<Reached> below;
    for (std::size_t i = 0; i < found.size(); ++i) {  // what waits stands behind
        const Reached here = found[i];
        if (kind(here.node) == NodeKind::leaf) continue;
        const auto kids = children(here.node);
        const SplitView split = view(here.node);
        const u32 to = shared ? answer(split, columns, row) : route(split, columns, row);
        double weight = 0;
        for (u32 c : kids) weight += to == kNone && shared ? totals_[c] : 0.0;
        below.clear();
        for (std::size_t c = 0; c < kids.size(); ++c) {
            // A branch that no training row took gets nothing of a row that is shared.
            const double share = to == c ? 1.0 : weight > 0 ? totals_[kids[c]] / weight : 0.0;
            if (share > 0) below.push_back({kids[c], here.share * share, true});
        }
        found[i].ends = below.empty();
        found.insert(found.begin() + static_cast<std::ptrdiff_t>(i) + 1, below.begin(), below.end());
    }
}

}  // namespace bough
