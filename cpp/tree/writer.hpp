// The one way to make a tree: nodes are written in preorder, whether they have just been grown or are what pruning
// leaves.
#pragma once

#include "tree/tree.hpp"

namespace bough {

class TreeWriter {
   public:
    // A tree over these columns (see TreeParts).
    TreeWriter(std::vector<u32> n_values, u32 n_classes, Missing missing);
    // ... over the columns of another one.
    explicit TreeWriter(const Tree& like);

    // An inner node; its children follow. `rows`: how many came to it, which its children do not tell where rows are
    // shared; `stayed`: those that ended there, where a split with surrogates says so; `log_p`: what was found out
    // about the columns; empty: nothing.
    void inner(const Split& split, double gain, u32 rows, const EndSums& stayed, std::span<const double> log_p);
    void leaf(const EndSums& sums, std::span<const double> log_p);
    // A subtree that was written elsewhere, over the same columns and about the same centers.
    void whole(TreeParts&& subtree);
    // Nodes as they are in another tree.
    void inner(const Tree& tree, u32 node) {
        inner(tree.split(node), tree.gain(node), tree.rows(node), tree.stayed(node), tree.tests(node));
    }
    void leaf(const Tree& tree, u32 node);

    TreeParts finish() && { return std::move(parts_); }

   private:
    void append_end(const EndSums& sums);
    void append_tests(std::span<const double> log_p);
    void append_surrogates(std::span<const Surrogate> surrogates);

    TreeParts parts_;
};

}  // namespace bough
