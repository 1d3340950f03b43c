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

    // Weights of leaves that do not say whose they are are of these classes; empty: of all, in order.
    void number(std::span<const u32> classes) { classes_ = classes; }

    // An inner node; its children follow. `rows`: how many came to it, which its children do not tell where rows are
    // shared; `stayed`: those that ended there, where a split with surrogates says so; `log_p`: what was found out
    // about the columns; empty: no tests.
    void inner(const Split& split, double gain, u32 rows, const EndSums& stayed, std::span<const double> log_p);
    void leaf(const EndSums& sums, std::span<const double> log_p);
    // An inner node that asks for one number of rows that all have it.
    void axis(u32 column, double cut, bool missing_left, double gain) {
        parts_.kinds.push_back(static_cast<u8>(NodeKind::axis));
        parts_.gains.push_back(gain);
        parts_.columns.push_back(column);
        parts_.cuts.push_back(cut);
        parts_.missing.push_back(missing_left ? 1 : 0);
    }
    // The threshold of the i-th of them, where that was not known.
    void set_cut(std::size_t i, double cut) { parts_.cuts[i] = cut; }
    // A subtree that was written elsewhere, about the same centers and with tests if this one has them.
    void whole(TreeParts&& subtree);
    // Nodes as they are in another tree.
    void inner(const Tree& tree, u32 node) {
        inner(tree.split(node), tree.gain(node), tree.rows(node), tree.stayed(node), tree.tests(node));
    }
    void leaf(const Tree& tree, u32 node);

    TreeParts finish() && { return std::move(parts_); }

   private:
    void append_surrogates(std::span<const Surrogate> surrogates);

    TreeParts parts_;
    std::span<const u32> classes_;
};

}  // namespace bough
