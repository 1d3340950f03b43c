// The one way to make a tree: nodes are written in preorder, whether they have just been grown or are what pruning
// leaves.
#pragma once

#include "tree/tree.hpp"

namespace bough {

class TreeWriter {
   public:
    // A tree over these columns (see TreeParts).
    // `keeps_inner`: predictions and losses of inner nodes do not follow from those of their children.
    TreeWriter(std::vector<u32> n_values, u32 n_classes, Missing missing, bool keeps_inner);
    // ... over the columns of another one.
    explicit TreeWriter(const Tree& like);

    // An inner node; its children follow. `own`: what came to it, which its children do not always tell; `stayed`:
    // those that ended there, where a split with surrogates says so; `log_p`: what was found out about the columns;
    // empty: nothing; `lines`: of a linear leaf, and above one.
    void inner(const Split& split, double gain, const EndSums& own, const EndSums& stayed,
               std::span<const double> log_p, const NodeLines* lines = nullptr);
    void leaf(const EndSums& sums, std::span<const double> log_p, const NodeLines* lines = nullptr);
    // A subtree that was written elsewhere, over the same columns and about the same centers.
    void subtree(TreeParts&& subtree);
    // Nodes as they are in another tree.
    void inner(const Tree& tree, u32 node) {
        const std::optional<NodeLines> lines = tree.lines(node);
        inner(tree.split(node), tree.gain(node), sums(tree, node), tree.stayed(node), tree.tests(node),
              lines ? &*lines : nullptr);
    }
    void leaf(const Tree& tree, u32 node);

    TreeParts finish() && { return std::move(parts_); }

   private:
    void append_end(const EndSums& sums);
    void append_tests(std::span<const double> log_p);
    void append_lines(const NodeLines* lines);
    void append_surrogates(std::span<const Surrogate> surrogates);

    static EndSums sums(const Tree& tree, u32 node);

    TreeParts parts_;
    bool keeps_inner_;
};

}  // namespace bough
