// The loops over packed lists that gain from wide vectors, one variant for each kernel set.
#pragma once

#include <algorithm>

#include "base/integers.hpp"

namespace bough {

inline constexpr u32 kFewClasses = 16;

struct ListKernels {
    // Moves the entries whose row is marked to the front and the others behind them, both in order; returns the
    // number of marked ones. `spare` holds at least `size` entries.
    u32 (*partition_both)(u32* entries, u32 size, u32 row_mask, const u32* marks, u32* spare);
    // Copies the entries whose mark is `wanted`, in order, to where there is room for all or over themselves; returns
    // their number.
    u32 (*select)(const u32* entries, u32 size, u32 row_mask, const u32* marks, u32 wanted, u32* to);
    // How many of 256 entries have (e & mask) == value.
    u32 (*count_block)(const u32* entries, u32 mask, u32 value);
    // How many of at most 256 entries are of each of kFewClasses classes, (e >> shift) & mask.
    void (*count_classes)(const u32* entries, u32 size, int shift, u32 mask, u32* counts);
};

const ListKernels& list_kernels();

// `select` for few entries, which are not worth a call.
inline u32 select_marked(const u32* entries, u32 size, u32 row_mask, const u32* marks, u32 wanted, u32* to) {
    u32 front = 0;
    for (u32 i = 0; i < size; ++i) {
        const u32 row = entries[i] & row_mask, bit = marks[row >> 5] >> (row & 31) & 1;
        to[front] = entries[i];
        front += bit == wanted;
    }
    return front;
}

// Counts of n classes in lanes, so that equal neighbours do not wait for each other.
template <u32 kMost>
void count_in_lanes(const u32* entries, u32 size, int shift, u32 mask, std::size_t n, u32* counts) {
    constexpr u32 kLanes = 4;
    u32 lanes[kLanes][kMost];
    for (auto& lane : lanes) std::fill_n(lane, n, 0u);
    auto count = [&](u32 lane, u32 i) { ++lanes[lane][entries[i] >> shift & mask]; };
    u32 i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (u32 lane = 0; lane < kLanes; ++lane) count(lane, i + lane);
    for (; i < size; ++i) count(0, i);
    for (std::size_t c = 0; c < n; ++c) counts[c] = lanes[0][c] + lanes[1][c] + lanes[2][c] + lanes[3][c];
}

}  // namespace bough
