// The loops over packed lists that gain from wide vectors, one variant for each kernel set.
#pragma once

#include <algorithm>

#include "base/integers.hpp"

namespace bough {

struct ListKernels {
    // Moves the entries whose row is marked to the front and the others behind them, both in order; returns the
    // number of marked ones. `spare` holds at least `size` entries.
    u32 (*partition_both)(u32* entries, u32 size, u32 row_mask, const u32* marks, u32* spare);
    // Copies the marked entries, in order, to where there is room for all; returns their number.
    u32 (*select)(const u32* entries, u32 size, u32 row_mask, const u32* marks, u32* to);
    // How many of 256 entries have (e & mask) == value.
    u32 (*count_block)(const u32* entries, u32 mask, u32 value);
};

const ListKernels& list_kernels();

// `select` for few entries, which are not worth a call.
inline u32 select_marked(const u32* entries, u32 size, u32 row_mask, const u32* marks, u32* to) {
    u32 front = 0;
    for (u32 i = 0; i < size; ++i) {
        const u32 row = entries[i] & row_mask;
        to[front] = entries[i];
        front += marks[row >> 5] >> (row & 31) & 1;
    }
    return front;
}

}  // namespace bough
