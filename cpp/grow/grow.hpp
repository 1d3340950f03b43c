// From data to a tree: a sample is drawn, a tree grown from it and cut back, as planned.
#pragma once

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/grower.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

struct PruningTable;

// How many times over the pruners of a plan go through the rows again, about.
u32 rows_again(const Plan& plan);

// `table` is filled by a pruner that chose among subtrees. `ranks` of the data if there are some already; they are made
// where trees of this plan are grown from them.
Tree grow(const Data& data, const Sample& sample, const Plan& plan, Budget& budget, PruningTable* table = nullptr,
          const Ranks* ranks = nullptr);

// The subtree below a node of a tree of this plan, from the rows that came to the node; it is not cut back.
Tree grow_below(const Data& data, const Plan& plan, const Start& start, Budget& budget);

// Are so many trees of this plan grown from ranks? Nodes look at less than half of the columns, rows weigh 1.
bool grows_from_ranks(const Data& data, const Sample& sample, const Plan& plan, u64 trees);

}  // namespace bough
