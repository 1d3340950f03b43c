// Down the tree: where each row ends.
#include <algorithm>

#include "tree/descend.hpp"
#include "tree/route.hpp"
#include "tree/tree.hpp"

namespace bough {

void Tree::make_steps() {
    if (!axis_only_ || n_leaves() == 1) return;
    constexpr u32 kRight = 0x80000000u;
    steps_.resize(n_nodes());
    for (u32 node = 0, inner = 0; node < n_nodes(); ++node) {
        if (kind(node) == NodeKind::leaf) {
            steps_[node] = {kNaN, parts_.columns[0] | kRight, 0};  // a column that is there and numeric
            continue;
        }
        const u32 side = parts_.missing[inner] & 1 ? 0u : kRight;
        steps_[node] = {parts_.cuts[inner], parts_.columns[inner] | side, children(node)[1] - node};
        ++inner;
    }
}

namespace {

constexpr u32 kColumnBits = 0x7fffffffu;

}  // namespace

void Tree::apply_axis(std::span<const Column> columns, u64 begin, u64 end, u32* out, bool missing) const {
    bool matrix = true;
    for (std::size_t c = 1; c < columns.size(); ++c)
        matrix &= columns[c].values == columns[0].values + c && columns[c].stride == columns[0].stride;
    auto run = [&](auto row_of, auto value) {
        auto by = [steps = steps_.data(), value](u32 at, auto row) {
            const Step& s = steps[at];
            const u32 left = value(row, s.column & kColumnBits) <= s.cut;
            return s.right ^ ((s.right ^ 1u) & (0u - left));  // 1 or s.right, without a branch
        };
        auto by_or_missing = [steps = steps_.data(), value](u32 at, auto row) {
            const Step& s = steps[at];
            const double x = value(row, s.column & kColumnBits);
            const u32 left = static_cast<u32>(x <= s.cut) | (static_cast<u32>(x != x) & ~(s.column >> 31));
            return s.right ^ ((s.right ^ 1u) & (0u - left));
        };
        missing ? descend(row_of, by_or_missing, end - begin, out) : descend(row_of, by, end - begin, out);
    };
    if (matrix && columns[0].values)
        run([first = columns[0].values, begin,
             stride = columns[0].stride](u64 i) { return first + static_cast<i64>(begin + i) * stride; },
            [](const double* row, u32 column) { return row[column]; });
    else
        run([begin](u64 i) { return begin + i; },
            [columns](u64 row, u32 column) { return columns[column].value(row); });
}

// The child of a row, or the node itself where the row ends.
u32 Tree::next(u32 node, std::span<const Column> columns, u64 row) const {
    if (kind(node) == NodeKind::leaf) return node;
    const u32 child = route(view(node), columns, row);
    return child == kStopHere ? node : children(node)[child];
}

void Tree::apply(std::span<const Column> columns, u64 begin, u64 end, u32* out, bool missing) const {
    if (n_leaves() == 1) {
        std::fill(out, out + (end - begin), 0u);
    } else if (axis_only_ && (!missing || this->missing() == Missing::either)) {
        apply_axis(columns, begin, end, out, missing);
    } else if (!linear_steps_.empty() && (!missing || this->missing() == Missing::either)) {
        apply_linear(columns, begin, end, out);
    } else if (this->missing() == Missing::shared) {
        std::vector<Reached> found;
        for (u64 row = begin; row < end; ++row) {
            reach(columns, row, found);
            const Reached* most = nullptr;
            for (const auto& r : found)
                if (r.ends && (!most || r.share > most->share)) most = &r;
            out[row - begin] = most->node;
        }
    } else {
        for (u64 row = begin; row < end; ++row) {
            u32 at = 0;
            for (u32 to = next(at, columns, row); to != at; to = next(at, columns, row)) at = to;
            out[row - begin] = at;
        }
    }
}

}  // namespace bough
