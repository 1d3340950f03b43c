// The one loop: a node is stopped, or its columns are selected, its splits proposed, the best one
// made and its rows passed on.
#pragma once

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

// The full tree, in the weights of the data whatever their size; `whole` is the table that the data were drawn from.
TreeParts grow_parts(const Data& data, const Table& whole, const Plan& plan, Budget& budget);

}  // namespace bough
