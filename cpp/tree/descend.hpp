// Down a tree of thresholds, many rows at once. All go some steps, those that have not settled some more, and so on:
// few steps are taken in vain. Sixteen go side by side: while one waits for memory the others move.
#pragma once

#include <algorithm>
#include <type_traits>

#include "base/integers.hpp"

namespace bough {

inline constexpr u32 kWave = 256;  // rows

// row_of(i) is what is known of row i, by(node, row) how far the row moves from a node: 0 from a leaf, and for ever.
template <class RowOf, class By>
void descend_wave(RowOf row_of, By by, u32 n, u32* out) {
    constexpr u32 kGroup = 16;
    u32 open[kWave];  // rows that have not settled
    for (u32 i = 0; i < n; ++i) open[i] = i;
    std::fill_n(out, n, 0u);
    auto move = [=](u32* group, auto count, u32 n_steps, u32* kept) {
        decltype(row_of(0)) row[kGroup];
        u32 at[kGroup], moved[kGroup];
        for (u32 g = 0; g < count; ++g) {
            row[g] = row_of(group[g]);
            at[g] = out[group[g]];
        }
        for (u32 s = 1; s < n_steps; ++s)
            for (u32 g = 0; g < count; ++g) at[g] += by(at[g], row[g]);
        for (u32 g = 0; g < count; ++g) at[g] += moved[g] = by(at[g], row[g]);
        for (u32 g = 0; g < count; ++g) {
            out[group[g]] = at[g];
            *kept = group[g];
            kept += moved[g] != 0;
        }
        return kept;
    };
    constexpr u32 kFirst = 8, kThen = 4;  // steps
    for (u32 n_open = n, n_steps = kFirst; n_open > 0; n_steps = kThen) {
        u32 *kept = open, i = 0;
        for (; i + kGroup <= n_open; i += kGroup)
            kept = move(open + i, std::integral_constant<u32, kGroup>{}, n_steps, kept);
        if (i < n_open) kept = move(open + i, n_open - i, n_steps, kept);
        n_open = static_cast<u32>(kept - open);
    }
}

template <class RowOf, class By>
void descend(RowOf row_of, By by, u64 n, u32* out) {
    for (u64 i = 0; i < n; i += kWave)
        descend_wave([=](u32 j) { return row_of(i + j); }, by, static_cast<u32>(std::min<u64>(kWave, n - i)), out + i);
}

}  // namespace bough
