// Pruners cut a grown tree back: Tree → Tree, within the same interruptible call as the growth.
#pragma once

#include "base/budget.hpp"
#include "grow/registry.hpp"
#include "tree/tree.hpp"

namespace bough {

struct Data;
struct Part;
struct Plan;

// What a pruner may look at besides the tree.
struct Pruning {
    const Scorer& scorer;        // the criterion that the tree was grown by
    Budget& budget;              // to be polled
    const Data* data = nullptr;  // the rows that the tree was grown from; null: the tree stands alone
    const Plan* plan = nullptr;  // what it was grown by, for those who grow others beside it; null likewise
};

class Pruner {
   public:
    virtual ~Pruner() = default;
    virtual Tree prune(const Tree& tree, const Pruning& how) const = 0;
};

// Cuts a tree back by one part of a plan.
Tree prune(const Tree& tree, const Part& part, const Pruning& how);

// The criterion's impurity of every node (regression: its variance), and that times the node's share of the weight.
std::vector<double> impurities(const Tree& tree, const Scorer& scorer);
std::vector<double> risks(const Tree& tree, const Scorer& scorer);

}  // namespace bough
