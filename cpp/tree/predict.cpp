// Down the tree: where each row ends.
#include <algorithm>

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

// Rows of a table: one after the other in memory, or each column by itself.
struct MatrixRows {
    const double* base;
    i64 stride;
    struct Row {
        const double* x;
        double at(u32 column) const { return x[column]; }
    };
    Row row(u64 i) const { return {base + static_cast<i64>(i) * stride}; }
};
struct ColumnRows {
    const Column* columns;
    struct Row {
        const Column* columns;
        u64 i;
        double at(u32 column) const { return columns[column].value(i); }
    };
    Row row(u64 i) const { return {columns, i}; }
};

// Rows go down in groups: while one waits for memory the others move.
template <bool kMissing, class Step, class Rows>
void descend(const Step* steps, Rows rows, u64 begin, u64 end, u32* out) {
    constexpr u32 kGroup = 16, kSteps = 4;  // rows in flight, steps between looks whether all have settled
    auto step = [steps](u32 at, const typename Rows::Row& row) {
        const Step& s = steps[at];
        const double x = row.at(s.column & kColumnBits);
        u32 left = x <= s.cut;
        if constexpr (kMissing) left |= static_cast<u32>(x != x) & ~(s.column >> 31);
        return s.right ^ ((s.right ^ 1u) & (0u - left));  // 1 or s.right, without a branch
    };
    u64 i = begin;
    for (; i + kGroup <= end; i += kGroup) {
        typename Rows::Row row[kGroup];
        u32 at[kGroup] = {};
        for (u32 g = 0; g < kGroup; ++g) row[g] = rows.row(i + g);
        for (u32 moved = 1; moved;) {
            for (u32 s = 1; s < kSteps; ++s)
                for (u32 g = 0; g < kGroup; ++g) at[g] += step(at[g], row[g]);
            moved = 0;
            for (u32 g = 0; g < kGroup; ++g) {
                const u32 by = step(at[g], row[g]);
                moved |= by;
                at[g] += by;
            }
        }
        for (u32 g = 0; g < kGroup; ++g) out[i - begin + g] = at[g];
    }
    for (; i < end; ++i) {
        const auto row = rows.row(i);
        u32 at = 0;
        for (u32 by = step(at, row); by; by = step(at, row)) at += by;
        out[i - begin] = at;
    }
}

}  // namespace

void Tree::apply_axis(std::span<const Column> columns, u64 begin, u64 end, u32* out, bool missing) const {
    bool matrix = true;
    for (std::size_t c = 1; c < columns.size(); ++c)
        matrix &= columns[c].values == columns[0].values + c && columns[c].stride == columns[0].stride;
    auto run = [&](auto rows) {
        if (missing)
            descend<true>(steps_.data(), rows, begin, end, out);
        else
            descend<false>(steps_.data(), rows, begin, end, out);
    };
    if (matrix && columns[0].values)
        run(MatrixRows{columns[0].values, columns[0].stride});
    else
        run(ColumnRows{columns.data()});
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
