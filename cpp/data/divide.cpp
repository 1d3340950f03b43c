#include "data/divide.hpp"

#include "data/kernels.hpp"

namespace bough {

u32 partition_marked(u32* entries, u32 size, u32 row_mask, const u32* marks, bool keep_marked, bool keep_others,
                     u32* spare) {
    const ListKernels& k = list_kernels();
    if (keep_marked && keep_others) return k.partition_both(entries, size, row_mask, marks, spare);
    const u32 kept = k.select(entries, size, row_mask, marks, keep_marked ? 1 : 0, entries);
    return keep_marked ? kept : size - kept;
}

u32 partition_marked(u64* entries, u32 size, u64 row_mask, const u32* marks, bool keep_marked, bool keep_others,
                     u64* spare) {
    if (keep_marked && keep_others) return partition_both(entries, size, row_mask, marks, spare);
    const u32 kept = select_marked(entries, size, row_mask, marks, keep_marked ? 1u : 0u, entries);
    return keep_marked ? kept : size - kept;
}

}  // namespace bough
