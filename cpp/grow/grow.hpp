// From data to a tree: a sample is drawn, a tree grown from it and cut back, as planned.
#pragma once

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

struct PruningTable;

// How many times over the pruners of a plan go through the rows again, about.
u32 rows_again(const Plan& plan);

// `table` is filled by a pruner that chose among subtrees.
Tree grow(const Data& data, const Sample& sample, const Plan& plan, Budget& budget, PruningTable* table = nullptr);

}  // namespace bough
