// From data to a tree: a sample is drawn, a tree grown from it, refined and cut back, as planned.
#pragma once

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/engine.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

struct PruningTable;
struct Refinement;

// How many times over the refiner and the pruners of a plan go through the rows again, about.
u32 rows_again(const Plan& plan);

// A tree and the engine that grew it.
struct GrownTree {
    Tree tree;
    std::string engine;
};

// `table` is filled by a pruner that chose among subtrees, `refinement` by a refiner.
GrownTree grow_tree(const Data& data, const Sample& sample, const Plan& plan, Budget& budget,
                    PruningTable* table = nullptr, Refinement* refinement = nullptr);
// ... by an engine that was chosen.
Tree grow_tree(const Data& data, const Sample& sample, const Plan& plan, const Engine& engine, Budget& budget,
               PruningTable* table = nullptr, Refinement* refinement = nullptr);

// The subtree below a node of a tree of this plan, from the rows that came to the node; it is not cut back.
Tree grow_subtree(const Data& data, const Plan& plan, const Start& start, Budget& budget);

}  // namespace bough
