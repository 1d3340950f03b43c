#include "tree/packed_forest.hpp"

#include <bit>

#include "base/memory.hpp"
#include "tree/descend.hpp"
#include "tree/route.hpp"

namespace bough {

namespace {

// Numbers as integers of the same order: those from a float to the next one get the same, none gets 0.
u32 key_of(double x) {
    const float near = static_cast<float>(x) + 0.0f;  // −0 is 0
    const u32 bits = std::bit_cast<u32>(near);
    return (bits ^ (static_cast<u32>(static_cast<i32>(bits) >> 31) | 0x80000000u)) - static_cast<u32>(near > x);
}

// Rare, and so kept out of the loop over rows.
[[gnu::noinline]] u32 side_at(const Tree& tree, u32 node, std::span<const Column> columns, u64 row) {
    return route(tree.view(node), columns, row);
}

}  // namespace

PackedForest::PackedForest(std::span<const Tree* const> trees)
    : n_columns_(trees[0]->parts().n_columns), column_bits_(static_cast<int>(std::bit_width(n_columns_))) {
    constexpr std::size_t kFewest = 4;  // fewer are through before all numbers have keys
    if (trees.size() < kFewest) return;
    std::size_t n = 0;
    for (const Tree* tree : trees) n += tree->n_nodes();
    steps_ = RawBuffer<Step>(n);
    prefer_large_pages(steps_.data(), n * sizeof(Step));
    for (const Tree* tree : trees) {
        begin_.push_back(begin_.empty() ? 0 : begin_.back() + trees[begin_.size() - 1]->n_nodes());
        if (!put(*tree, steps_.data() + begin_.back())) {
            steps_ = {};
            begin_.clear();
            return;
        }
    }
}

bool PackedForest::put(const Tree& tree, Step* to) const {
    if (u64{tree.n_nodes()} >> (31 - column_bits_) > 0) return false;
    const TreeParts& parts = tree.parts();
    for (u32 node = 0, inner = 0; node < tree.n_nodes(); ++node) {
        if (tree.kind(node) == NodeKind::leaf) {
            to[node] = {0, ~0u << column_bits_};
        } else if (tree.kind(node) == NodeKind::axis) {
            const u32 further = tree.children(node)[1] - node - 1;
            to[node] = {key_of(parts.cuts[inner]), parts.columns[inner] | further << column_bits_};
            ++inner;
        } else {
            return false;
        }
    }
    return true;
}

PackedForest::Rows PackedForest::rows(std::span<const Column> columns, u64 begin, u64 end) const {
    const std::size_t d = columns.size();
    Rows to{columns, begin, end - begin, RawBuffer<u32>((end - begin) * d)};
    u32 others = 0;
    auto put = [&](double x, u32& key) {
        key = key_of(x);
        others |= static_cast<u32>(static_cast<double>(static_cast<float>(x)) != x);
    };
    u32* out = to.keys.data();
    if (const double* first = first_row(columns)) {
        for (u64 i = begin; i < end; ++i, out += d) {
            const double* row = first + static_cast<i64>(i) * columns[0].stride;
            for (std::size_t c = 0; c < d; ++c) put(row[c], out[c]);
        }
    } else {
        for (std::size_t c = 0; c < d; ++c)
            for (u64 i = begin; i < end; ++i)
                put(columns[c].values ? columns[c].value(i) : 0.0, out[(i - begin) * d + c]);
    }
    to.floats = others == 0;
    return to;
}

void PackedForest::apply(std::size_t t, const Tree& tree, const Rows& rows, u32* out) const {
    const Step* steps = steps_.data() + begin_[t];
    const u32 mask = (1u << column_bits_) - 1, *keys = rows.keys.data();
    const int shift = column_bits_;
    const u64 d = n_columns_;
    auto move = [=](const Step& step, u32 right) {  // 1, or to the right, without a branch
        return 1 + (static_cast<u32>(static_cast<i32>(step.where) >> shift) & (0u - right));
    };
    auto by = [=](u32 at, const u32* row) {
        const Step step = steps[at];
        return move(step, step.cut < row[step.where & mask]);
    };
    auto by_or_equal = [=, &tree, &rows](u32 at, const u32* row) {
        const Step step = steps[at];
        const u32 key = row[step.where & mask];
        if (key == step.cut) [[unlikely]] {
            const u64 i = rows.begin + static_cast<u64>(row - keys) / d;
            return move(step, side_at(tree, at, rows.columns, i));
        }
        return move(step, step.cut < key);
    };
    auto row_of = [keys, d](u64 i) { return keys + i * d; };
    rows.floats ? descend(row_of, by, rows.size, out) : descend(row_of, by_or_equal, rows.size, out);
}

}  // namespace bough
