// Pruners cut a grown tree back: they name the inner nodes that become leaves.
#pragma once

#include <functional>

#include "base/info.hpp"
#include "tree/tree.hpp"

namespace bough {

class Pruner {
   public:
    virtual ~Pruner() = default;
    // risks[i]: share of the tree's weight at node i times its impurity. Returns a flag per node:
    // 1 makes it a leaf. Flags below a flagged node mean nothing.
    virtual std::vector<u8> cut(const Tree& tree, std::span<const double> risks) const = 0;
};

// The tree in which the flagged nodes are leaves.
Tree pruned(const Tree& tree, std::span<const u8> leaves);

// Cost-complexity pruning in full. For every inner node: the penalty per leaf from which on it is a
// leaf of the cheapest subtree (inf for leaves), and the risk of the leaves below it just before.
struct WeakestLinks {
    std::vector<double> alphas, risk_below;
};
WeakestLinks weakest_links(const Tree& tree, std::span<const double> risks);

// The sequence of penalties at which subtrees are given up, from 0, and the risk of what is left.
struct PruningPath {
    std::vector<double> alphas, risks;
};
PruningPath pruning_path(const Tree& tree, std::span<const double> risks);

struct PrunerPlugin {
    Info info;
    std::function<std::unique_ptr<Pruner>(const Params&)> make;
};

}  // namespace bough
