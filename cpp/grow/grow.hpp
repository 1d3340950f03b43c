// From data to a tree: a sample is drawn, a tree grown from it and cut back, as planned.
#pragma once

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/engine.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

struct PruningTable;

// How many times over the pruners of a plan go through the rows again, about.
u32 rows_again(const Plan& plan);

// A tree and the engine that grew it.
struct GrownTree {
    Tree tree;
    std::string engine;
};

// `table` is filled by a pruner that chose among subtrees.
GrownTree grow_tree(const Data& data, const Sample& sample, const Plan& plan, Budget& budget,
                    PruningTable* table = nullptr);
// ... of an engine that was chosen; `ranks` of the data, if it grows from them.
Tree grow_tree(const Data& data, const Sample& sample, const Plan& plan, const Engine& engine, Budget& budget,
               PruningTable* table, const Ranks* ranks);

// The subtree below a node of a tree of this plan, from the rows that came to the node; it is not cut back.
Tree grow_subtree(const Data& data, const Plan& plan, const Start& start, Budget& budget);

}  // namespace bough
