// Trees of thresholds in eight bytes a node, for rows without missing values. Numbers are compared as floats; where
// that leaves the side open, as doubles. Rows and trees take half the room in the caches.
#pragma once

#include "tree/tree.hpp"

namespace bough {

class PackedForest {
   public:
    // Has no trees if they are few, or one of them has another kind of split or too many nodes.
    explicit PackedForest(std::span<const Tree* const> trees);
    bool empty() const { return begin_.empty(); }

    // Rows begin … end−1 of a table, as integers of the order of floats.
    struct Rows {
        std::span<const Column> columns;
        u64 begin, size;
        RawBuffer<u32> keys;  // row by row
        bool floats;          // all numbers are
    };
    Rows rows(std::span<const Column> columns, u64 begin, u64 end) const;
    // The node of the t-th tree where each of them ends.
    void apply(std::size_t t, const Tree& tree, const Rows& rows, u32* out) const;

   private:
    struct Step {   // in preorder: the left child is the next one
        u32 cut;    // of a leaf: 0, so that every number goes right
        u32 where;  // column, and above it how far the right child is behind the left one; of a leaf: −1
    };
    bool put(const Tree& tree, Step* to) const;  // false if it cannot

    u32 n_columns_ = 0;
    int column_bits_ = 0;
    RawBuffer<Step> steps_;           // of all trees, one after the other
    std::vector<std::size_t> begin_;  // of each; empty: none
};

}  // namespace bough
