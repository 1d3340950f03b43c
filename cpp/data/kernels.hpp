// The loops over packed lists that gain from wide vectors, one variant for each kernel set.
#pragma once

#include "base/integers.hpp"

namespace bough {

struct ListKernels {
    // Moves the entries whose row is marked to the front and the others behind them, both in order; returns the
    // number of marked ones. `spare` holds at least `size` entries.
    u32 (*partition_both)(u32* entries, u32 size, u32 row_mask, const u32* marks, u32* spare);
    // Moves the entries whose mark is `wanted` to the front; returns their number.
    u32 (*partition_one)(u32* entries, u32 size, u32 row_mask, const u32* marks, u32 wanted);
    // How many of 256 entries have (e & mask) == value.
    u32 (*count_block)(const u32* entries, u32 mask, u32 value);
};

const ListKernels& list_kernels();

}  // namespace bough
