// What pruners share: a tree with some of its nodes made leaves, and cost-complexity in full.
#pragma once

#include "base/budget.hpp"
#include "tree/tree.hpp"

namespace bough {

// The tree in which the flagged nodes are leaves; flags below a flagged node mean nothing.
Tree pruned(const Tree& tree, std::span<const u8> leaves, Budget& budget);

// For every inner node: the penalty per leaf from which on it is a leaf of the cheapest subtree (inf for
// leaves), and the risk of the leaves below it just before. A node's risk is its share of the tree's weight
// times its impurity.
struct WeakestLinks {
    std::vector<double> alphas, risk_below;
};
WeakestLinks weakest_links(const Tree& tree, std::span<const double> risks, Budget& budget);

// The sequence of penalties at which subtrees are given up, from 0, and the risk of what is left.
struct PruningPath {
    std::vector<double> alphas, risks;
};
PruningPath pruning_path(const Tree& tree, std::span<const double> risks, Budget& budget);

}  // namespace bough
