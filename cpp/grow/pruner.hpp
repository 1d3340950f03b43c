// Pruners cut a grown tree back: Tree → Tree, within the same interruptible call as the growth.
#pragma once

#include <functional>

#include "base/budget.hpp"
#include "base/info.hpp"
#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "score/scorer.hpp"
#include "tree/tree.hpp"

namespace bough {

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

struct PrunerPlugin {
    Info info;
    std::function<std::unique_ptr<Pruner>(const Params&)> make;
    bool needs_data = false;  // asks for Pruning::data and ::plan
};

// Cuts a tree back by one part of a plan.
Tree prune(const Tree& tree, const Part& part, const Pruning& how);

// The criterion's impurity of every node (regression: its variance), and that times the node's share of the weight.
std::vector<double> impurities(const Tree& tree, const Scorer& scorer);
std::vector<double> risks(const Tree& tree, const Scorer& scorer);

}  // namespace bough
