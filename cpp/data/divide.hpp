// Stable partitions of packed lists and row lists by one bit, or one number, for each row.
#pragma once

#include <algorithm>

#include "base/integers.hpp"

namespace bough {

// Moves the entries whose row is marked to the front and the others behind them, both in order;
// returns the number of marked ones. `spare` holds at least `size` entries.
template <class E>
u32 partition_both(E* entries, u32 size, E row_mask, const u32* marks, E* spare) {
    u32 front = 0, back = 0;
    for (u32 i = 0; i < size; ++i) {
        const E e = entries[i];
        const u32 row = static_cast<u32>(e & row_mask), bit = marks[row >> 5] >> (row & 31) & 1;
        entries[front] = e;
        spare[back] = e;
        front += bit;
        back += 1 - bit;
    }
    std::copy(spare, spare + back, entries + front);
    return front;
}

// Copies the entries whose mark is `wanted`, in order, to where there is room for all or over themselves; returns their
// number.
template <class E>
u32 select_marked(const E* entries, u32 size, E row_mask, const u32* marks, u32 wanted, E* to) {
    u32 front = 0;
    for (u32 i = 0; i < size; ++i) {
        const E e = entries[i];
        const u32 row = static_cast<u32>(e & row_mask);
        to[front] = e;
        front += (marks[row >> 5] >> (row & 31) & 1) == wanted;
    }
    return front;
}

// The fastest of these that the machine has. A side that is not kept may be lost; then the other one
// starts at the front. Returns the number of marked entries.
u32 partition_marked(u32* entries, u32 size, u32 row_mask, const u32* marks, bool keep_marked, bool keep_others,
                     u32* spare);
u32 partition_marked(u64* entries, u32 size, u64 row_mask, const u32* marks, bool keep_marked, bool keep_others,
                     u64* spare);

// A part of a list.
struct Piece {
    u32 begin, size;
};

// Sorts entries by child_of[row], stably; pieces[c] becomes where those of child c are.
template <class E>
void partition_many(E* entries, u32 size, E row_mask, const u32* child_of, std::span<Piece> pieces, E* spare) {
    std::fill(pieces.begin(), pieces.end(), Piece{0, 0});
    for (u32 i = 0; i < size; ++i) ++pieces[child_of[entries[i] & row_mask]].size;
    u32 sum = 0;
    for (Piece& p : pieces) p.begin = sum, sum += p.size, p.size = 0;
    for (u32 i = 0; i < size; ++i) {
        Piece& p = pieces[child_of[entries[i] & row_mask]];
        spare[p.begin + p.size++] = entries[i];
    }
    std::copy(spare, spare + size, entries);
}

}  // namespace bough
