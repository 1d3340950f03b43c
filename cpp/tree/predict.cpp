// Down the tree: where each row ends.
#include <algorithm>

#include "tree/descend.hpp"
#include "tree/route.hpp"
#include "tree/tree.hpp"

namespace bough {

namespace {

constexpr u32 kRight = 0x80000000u, kSum = 0x40000000u, kColumn = kSum - 1;  // in Step::what

}  // namespace

// Of trees of thresholds and sums over numeric columns.
void Tree::make_steps() {
    if (!parts_.value_counts.empty() || !parts_.term_values.empty() || n_leaves() == 1 || parts_.n_columns > kColumn)
        return;
    const auto numeric = std::find(parts_.n_values.begin(), parts_.n_values.end(), 0u);
    const u32 any = static_cast<u32>(numeric - parts_.n_values.begin());  // what a leaf reads
    steps_.resize(n_nodes());
    if (!parts_.term_counts.empty()) sums_.resize(n_nodes());
    for (u32 node = 0, inner = 0, column = 0; node < n_nodes(); ++node) {
        if (kind(node) == NodeKind::leaf) {
            steps_[node] = {kNaN, any | kRight, 0};
            continue;
        }
        const u32 side = parts_.missing[inner] & 1 ? 0u : kRight;
        u32 what;
        if (kind(node) == NodeKind::linear) {
            const Place at = place(node);
            what = kSum;
            sums_[node] = {at.term_pool, parts_.term_counts[at.term], (parts_.missing[inner] & 4) != 0};
        } else {
            what = parts_.columns[column++];
        }
        steps_[node] = {parts_.cuts[inner], what | side, children(node)[1] - node};
        ++inner;
    }
}

void Tree::apply_axis(std::span<const Column> columns, u64 begin, u64 end, u32* out, bool missing) const {
    auto run = [&](auto row_of, auto value) {
        auto by = [steps = steps_.data(), value](u32 at, auto row) {
            const Step& s = steps[at];
            const u32 left = value(row, s.what & ~kRight) <= s.cut;
            return s.right ^ ((s.right ^ 1u) & (0u - left));  // 1 or s.right, without a branch
        };
        auto by_or_missing = [steps = steps_.data(), value](u32 at, auto row) {
            const Step& s = steps[at];
            const double x = value(row, s.what & ~kRight);
            const u32 left = static_cast<u32>(x <= s.cut) | (static_cast<u32>(x != x) & ~(s.what >> 31));
            return s.right ^ ((s.right ^ 1u) & (0u - left));
        };
        missing ? descend(row_of, by_or_missing, end - begin, out) : descend(row_of, by, end - begin, out);
    };
    if (const double* first = first_row(columns))
        run([first, begin, stride = columns[0].stride](u64 i) { return first + static_cast<i64>(begin + i) * stride; },
            [](const double* row, u32 column) { return row[column]; });
    else
        run([begin](u64 i) { return begin + i; },
            [columns](u64 row, u32 column) { return columns[column].value(row); });
}

// Each row is laid out once, less the centers; a sum is one product over its own columns.
void Tree::apply_linear(std::span<const Column> columns, u64 begin, u64 end, u32* out) const {
    const std::size_t d = columns.size();
    const bool lay_out = !first_row(columns) || !parts_.centers.empty();
    const u32 most = std::clamp(static_cast<u32>((1u << 15) / d), 16u, kWave);  // rows that stay in a cache
    std::vector<double> room(lay_out ? most * d : 0);
    const double* x = room.data();
    std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(d);  // of two rows at x
    const Step* steps = steps_.data();
    const Sum* sums = sums_.data();
    const double* weights = parts_.term_weights.data();
    const u32* term_columns = parts_.term_columns.data();
    u64 row = begin;
    auto by = [&](u32 at, u32 i) {
        const Step s = steps[at];
        if (s.right == 0) return 0u;
        double z;
        if (s.what & kSum) {
            const Sum sum = sums[at];  // read beside the step, not after it
            const double* w = weights + sum.first;
            const u32* terms = term_columns + sum.first;
            const double* own = x + i * apart;
            z = sum.n == d ? dot(sum.n, w, own) : dot(sum.n, w, [&](u32 t) { return own[terms[t]]; });
            if (sum.gaps_at_center && is_missing(z))
                z = dot(sum.n, w, [&](u32 t) { return is_missing(own[terms[t]]) ? 0.0 : own[terms[t]]; });
        } else {
            z = columns[s.what & kColumn].value(row + i);
        }
        const u32 left = static_cast<u32>(z <= s.cut) | (static_cast<u32>(z != z) & ~(s.what >> 31));
        return s.right ^ ((s.right ^ 1u) & (0u - left));  // 1 or s.right, without a branch
    };
    for (u32 n; row < end; row += n) {
        n = static_cast<u32>(std::min<u64>(most, end - row));
        for (std::size_t c = 0; c < d && lay_out; ++c) {
            if (!columns[c].values) continue;
            const double center = parts_.centers.empty() ? 0.0 : parts_.centers[c];
            for (u32 i = 0; i < n; ++i) room[i * d + c] = columns[c].value(row + i) - center;
        }
        if (!lay_out) apart = columns[0].stride, x = columns[0].values + static_cast<i64>(row) * apart;
        descend_wave([](u32 i) { return i; }, by, n, out + (row - begin));
    }
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
    } else if (!steps_.empty() && (!missing || this->missing() == Missing::either)) {
        sums_.empty() ? apply_axis(columns, begin, end, out, missing) : apply_linear(columns, begin, end, out);
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
