#include "tree/narrow.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "tree/descend.hpp"

namespace bough {

namespace {

// Floats as whole numbers of the same order; none is 0.
u32 key_of(float x) {
    const u32 bits = std::bit_cast<u32>(x + 0.0f);  // −0 is 0
    return bits ^ (static_cast<u32>(static_cast<i32>(bits) >> 31) | 0x80000000u);
}

// Of the greatest float at most x.
u32 key_below(double x) {
    const float near = static_cast<float>(x);
    return key_of(static_cast<double>(near) > x ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near);
}

}  // namespace

NarrowTrees::NarrowTrees(std::span<const Tree* const> trees)
    : n_columns_(trees[0]->parts().n_columns), column_bits_(static_cast<int>(std::bit_width(n_columns_))) {
    constexpr std::size_t kFewest = 4;  // fewer are through before all numbers are floats
    if (trees.size() < kFewest) return;
    for (const Tree* tree : trees)
        if (!add(*tree)) {
            trees_.clear();
            return;
        }
}

bool NarrowTrees::add(const Tree& tree) {
    if (u64{tree.n_nodes()} >> (31 - column_bits_) > 0) return false;
    auto& steps = trees_.emplace_back(tree.n_nodes());
    const TreeParts& parts = tree.parts();
    for (u32 node = 0, inner = 0; node < tree.n_nodes(); ++node) {
        if (tree.kind(node) == NodeKind::leaf) {
            steps[node] = {0, ~0u << column_bits_};
        } else if (tree.kind(node) == NodeKind::axis) {
            const u32 further = tree.children(node)[1] - node - 1;
            steps[node] = {key_below(parts.cuts[inner]), parts.columns[inner] | further << column_bits_};
            ++inner;
        } else {
            return false;
        }
    }
    return true;
}

bool NarrowTrees::keys(std::span<const Column> columns, u64 begin, u64 end, u32* out) {
    const std::size_t d = columns.size();
    bool matrix = true;
    for (std::size_t c = 0; c < d; ++c)
        matrix &=
            columns[c].values && columns[c].values == columns[0].values + c && columns[c].stride == columns[0].stride;
    auto put = [](double x, u32& to) {  // 1 if x is no float
        const float narrow = static_cast<float>(x);
        to = key_of(narrow);
        return static_cast<u32>(static_cast<double>(narrow) != x);
    };
    if (matrix) {
        for (u64 i = begin; i < end; ++i, out += d) {
            const double* row = columns[0].values + static_cast<i64>(i) * columns[0].stride;
            u32 others = 0;
            for (std::size_t c = 0; c < d; ++c) others |= put(row[c], out[c]);
            if (others) return false;
        }
        return true;
    }
    u32 others = 0;
    for (std::size_t c = 0; c < d; ++c)
        for (u64 i = begin; i < end; ++i)
            others |= put(columns[c].values ? columns[c].value(i) : 0.0, out[(i - begin) * d + c]);
    return others == 0;
}

void NarrowTrees::apply(std::size_t tree, const u32* rows, u64 n, u32* out) const {
    const Step* steps = trees_[tree].data();
    const u32 mask = (1u << column_bits_) - 1;
    const int shift = column_bits_;
    auto by = [=](u32 at, const u32* row) {  // 1, or to the right, without a branch
        const Step step = steps[at];
        const u32 right = 0u - static_cast<u32>(step.cut < row[step.where & mask]);
        return 1 + (static_cast<u32>(static_cast<i32>(step.where) >> shift) & right);
    };
    descend([rows, d = n_columns_](u64 i) { return rows + i * d; }, by, n, out);
}

}  // namespace bough
