// Trees of thresholds in eight bytes a node, for rows whose numbers are all floats: such a number is at most a
// threshold if and only if it is at most the greatest float that is. Rows and trees take half the room in the caches.
#pragma once

#include "tree/tree.hpp"

namespace bough {

class NarrowTrees {
   public:
    // Has no trees if they are few, or one of them has another kind of split or too many nodes.
    explicit NarrowTrees(std::span<const Tree* const> trees);
    bool empty() const { return trees_.empty(); }

    // Rows begin … end−1, row by row, as whole numbers of the order of floats; false if a number is missing or no
    // float.
    static bool keys(std::span<const Column> columns, u64 begin, u64 end, u32* out);
    // The node of a tree where each of n such rows ends.
    void apply(std::size_t tree, const u32* rows, u64 n, u32* out) const;

   private:
    struct Step {   // in preorder: the left child is the next one
        u32 cut;    // of a leaf: 0, so that every number goes right
        u32 where;  // column, and above it how far the right child is behind the left one; of a leaf: −1
    };
    bool add(const Tree& tree);

    u32 n_columns_ = 0;
    int column_bits_ = 0;
    std::vector<std::vector<Step>> trees_;
};

}  // namespace bough
