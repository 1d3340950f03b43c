// The one way to make a tree: nodes are written in preorder, whether they have just been grown or are what pruning
// leaves.
#pragma once

#include "tree/tree.hpp"

namespace bough {

// What a leaf knows of the rows that ended in it.
struct LeafSums {
    u32 rows = 0;
    std::span<const double> weights;  // per class; regression: of the leaf
    double mean = 0, spread = 0;      // regression
};

class TreeWriter {
   public:
    // A tree over these columns (see TreeParts).
    TreeWriter(std::vector<u32> n_values, u32 n_classes);
    // ... over the columns of another one.
    explicit TreeWriter(const Tree& like);

    // An inner node; its children follow. `log_p`: what was found out about the columns; empty: no tests.
    void inner(const Split& split, double gain, std::span<const double> log_p);
    void leaf(const LeafSums& sums, std::span<const double> log_p);
    // Nodes as they are in another tree.
    void inner(const Tree& tree, u32 node) { inner(tree.split(node), tree.gain(node), tree.tests(node)); }
    void leaf(const Tree& tree, u32 node);

    TreeParts finish() && { return std::move(parts_); }

   private:
    TreeParts parts_;
};

}  // namespace bough
