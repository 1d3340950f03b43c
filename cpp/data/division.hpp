// Which child every row of a node goes to: a value that is made once for a split, read by all who keep rows or lists of
// the node, and gone when the children have theirs.
#pragma once

#include <utility>

#include <algorithm>
#include "data/kernels.hpp"

namespace bough {

// What divisions are written in. A worker owns it and lends it to one division at a time, which leaves it as it was.
struct DivisionMemory {
    explicit DivisionMemory(u32 n_rows) : bits(n_rows / 32 + 2, 0), n_rows(n_rows) {}
    std::vector<u32> bits;    // one for each row of the table, all 0
    std::vector<u32> listed;  // rows whose bit is set, none
    std::vector<u32> child;   // by row, once a node has more than two children
    u32 n_rows;
};

// A part of a list.
struct Piece {
    u32 begin, size;
};

class Division {
   public:
    // Of the n rows of a node, those that list(rows) appends go to the child that it returns, all others to the other.
    template <class List>
    static Division in_two(DivisionMemory& memory, u32 n, List list) {
        Division d(memory, 2);
        d.front_ = list(memory.listed);
        for (u32 row : memory.listed) memory.bits[row >> 5] |= 1u << (row & 31);
        d.n_rows[d.front_] = static_cast<u32>(memory.listed.size());
        d.n_rows[1 - d.front_] = n - d.n_rows[d.front_];
        return d;
    }
    // Each of the rows of a node goes to child_of(row).
    template <class ChildOf>
    static Division in_many(DivisionMemory& memory, std::span<const u32> rows, u32 n_children, ChildOf child_of) {
        Division d(memory, n_children);
        d.many_ = true;
        memory.child.resize(memory.n_rows);
        for (u32 row : rows) ++d.n_rows[memory.child[row] = child_of(row)];
        return d;
    }
    Division(Division&& other) noexcept
        : n_rows(std::move(other.n_rows)),
          open(std::move(other.open)),
          memory_(std::exchange(other.memory_, nullptr)),
          front_(other.front_),
          many_(other.many_) {}
    Division& operator=(Division&&) = delete;
    ~Division() {
        if (!memory_) return;
        for (u32 row : memory_->listed) memory_->bits[row >> 5] = 0;
        memory_->listed.clear();
    }

    std::vector<u32> n_rows;  // per child
    std::vector<u8> open;     // per child: is it to be split further? What others remember may be lost

    u32 n_children() const { return static_cast<u32>(n_rows.size()); }
    bool many() const { return many_; }
    u32 child(u32 row) const { return many_ ? memory_->child[row] : side(row); }
    // Of a division in two.
    u32 side(u32 row) const { return 1 ^ front_ ^ (memory_->bits[row >> 5] >> (row & 31) & 1); }
    u32 front() const { return front_; }                             // the child whose rows are listed
    std::span<const u32> listed() const { return memory_->listed; }  // its rows
    void flip() {                                                    // the two sides change places
        front_ = 1 - front_;
        std::swap(n_rows[0], n_rows[1]);
    }

    // Moves the entries of a list so that those of each child lie together in their order, and tells where.
    void part(u32* entries, u32 size, u32 row_mask, Piece* pieces, u32* spare) const {
        if (many_) return part_many(entries, size, row_mask, {pieces, n_rows.size()}, spare);
        const u32 n = list_kernels().partition_both(entries, size, row_mask, memory_->bits.data(), spare);
        pieces[front_] = {0, n};
        pieces[1 - front_] = {n, size - n};
    }

   private:
    void part_many(u32* entries, u32 size, u32 row_mask, std::span<Piece> pieces, u32* spare) const {
        const u32* child_of = memory_->child.data();
        std::fill(pieces.begin(), pieces.end(), Piece{0, 0});
        for (u32 i = 0; i < size; ++i) ++pieces[child_of[entries[i] & row_mask]].size;
        u32 sum = 0;
        for (Piece& p : pieces) p.begin = sum, sum += p.size, p.size = 0;
        for (u32 i = 0; i < size; ++i) {
            Piece& p = pieces[child_of[entries[i] & row_mask]];
            spare[p.begin + p.size++] = entries[i];
        }
        std::copy_n(spare, size, entries);
    }
    Division(DivisionMemory& memory, u32 n_children) : n_rows(n_children, 0), open(n_children, 1), memory_(&memory) {}

    DivisionMemory* memory_;
    u32 front_ = 0;
    bool many_ = false;
};

}  // namespace bough
