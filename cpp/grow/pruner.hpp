// Pruners cut a grown tree back: Tree → Tree, within the same interruptible call as the growth.
#pragma once

#include "base/budget.hpp"
#include "grow/registry.hpp"
#include "tree/tree.hpp"

namespace bough {

struct Data;
struct Part;
struct Plan;

// The subtrees among which a pruner chose, smallest first: the price of a leaf at which each is the best one, its
// leaves, its error in training, and by cross-validation with the standard deviation of that estimate.
struct PruningTable {
    std::vector<double> alpha, leaves, error, cv_error, cv_deviation;
};

// What a pruner may look at besides the tree, and what it leaves.
struct Pruning {
    const Scorer& scorer;        // the criterion that the tree was grown by
    const Target& target;        // classes, costs and priors; no rows
    Budget& budget;              // to be polled
    const Data* data = nullptr;  // the rows that the tree was grown from; null: the tree stands alone
    const Plan* plan = nullptr;  // what it was grown by, for those who grow others beside it; null likewise
    std::size_t stage = 0;       // how many parts of the plan have cut the tree back before
    PruningTable* table = nullptr;
};

class Pruner {
   public:
    virtual ~Pruner() = default;
    virtual Tree prune(const Tree& tree, const Pruning& how) const = 0;
};

// Cuts a tree back by one part of a plan.
Tree prune(const Tree& tree, const Part& part, const Pruning& how);

// The criterion's impurity of every node (regression: its variance), and that times the node's share of the weight;
// classes weigh what they do in splits (data/stakes.hpp).
std::vector<double> impurities(const Tree& tree, const Scorer& scorer, const Target& target);
// Refuses a tree of numbers whose squares are no numbers: nothing could be compared.
void check_squares(const Tree& tree);
std::vector<double> risks(const Tree& tree, const Scorer& scorer, const Target& target);

}  // namespace bough
