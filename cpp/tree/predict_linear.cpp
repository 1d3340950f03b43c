// Down a tree of linear and axis splits: each row is laid out once, less the centers, and every linear node
// costs one product over its own columns.
#include <algorithm>

#include "base/dot.hpp"
#include "tree/steps.hpp"

namespace bough {

void Tree::make_linear_steps() {
    if (axis_only_ || n_leaves() == 1) return;
    const u32 n = n_nodes();
    for (u32 i = 0; i < n; ++i)
        if (kind(i) == NodeKind::subset || kind(i) == NodeKind::multiway) return;
    linear_steps_.resize(n);
    step_node_ = in_steps(*this, [&](u32 s, u32 node, u32 child) {
        LinearStep& step = linear_steps_[s];
        step.child = child;
        if (child == s) return;
        const SplitView split = view(node);
        step.cut = split.cut;
        step.missing_right = split.without == 0 ? 0 : 1;
        step.n_terms = static_cast<u32>(split.term_columns.size());
        step.first =
            step.n_terms == 0 ? split.column : static_cast<u32>(split.term_columns.data() - parts_.term_columns.data());
        step.whole = step.n_terms == parts_.n_columns;
        step.gaps_at_center = split.gaps_at_center;
    });
}

void Tree::apply_linear(std::span<const Column> columns, u64 begin, u64 end, u32* out) const {
    constexpr u32 kGroup = 8;  // rows in flight: while one waits for its sum the others move
    const std::size_t d = columns.size();
    bool matrix = columns[0].values != nullptr;
    for (std::size_t c = 1; c < d; ++c)
        matrix &= columns[c].values == columns[0].values + c && columns[c].stride == columns[0].stride;
    const bool lay_out = !matrix || !parts_.centers.empty();
    std::vector<double> room(lay_out ? kGroup * d : 0);
    const double* x[kGroup] = {};
    u64 row = begin;
    u32 size = kGroup;
    auto next = [&](u32 at, u32 g) {
        const LinearStep& s = linear_steps_[at];
        if (s.child == at) return at;
        double z;
        if (s.n_terms == 0) {
            z = columns[s.first].value(row + g);
        } else {
            const double* w = parts_.term_weights.data() + s.first;
            const u32* terms = parts_.term_columns.data() + s.first;
            z = s.whole ? dot(s.n_terms, w, x[g]) : dot(s.n_terms, w, [&](u32 t) { return x[g][terms[t]]; });
            if (s.gaps_at_center && is_missing(z))
                z = dot(s.n_terms, w, [&](u32 t) { return is_missing(x[g][terms[t]]) ? 0.0 : x[g][terms[t]]; });
        }
        return s.child + static_cast<u32>((z > s.cut) | ((z != z) & (s.missing_right != 0)));
    };
    for (; row < end; row += size) {
        size = static_cast<u32>(std::min<u64>(kGroup, end - row));
        if (lay_out)
            for (std::size_t c = 0; c < d; ++c) {
                if (!columns[c].values) continue;
                const double center = parts_.centers.empty() ? 0.0 : parts_.centers[c];
                for (u32 g = 0; g < size; ++g) room[g * d + c] = columns[c].value(row + g) - center;
            }
        for (u32 g = 0; g < size; ++g)
            x[g] = lay_out ? room.data() + g * d : columns[0].values + static_cast<i64>(row + g) * columns[0].stride;
        u32 at[kGroup] = {};
        for (u32 moved = 1; moved;) {
            moved = 0;
            for (u32 g = 0; g < size; ++g) {
                const u32 to = next(at[g], g);
                moved |= to ^ at[g];
                at[g] = to;
            }
        }
        for (u32 g = 0; g < size; ++g) out[row - begin + g] = step_node_[at[g]];
    }
}

}  // namespace bough
