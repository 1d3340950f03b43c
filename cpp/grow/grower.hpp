// The one loop: a node is stopped, or its columns are selected, its splits proposed, the best one
// made and its rows passed on.
#pragma once

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

class Ranks;

// The full tree, in the weights of the data whatever their size; `whole` is the table that the data were drawn from.
// Of some rows only if they are given, which needs the ranks of the data.
TreeParts grow_parts(const Data& data, const Table& whole, const Plan& plan, Budget& budget,
                     std::span<const u32> rows = {}, const Ranks* ranks = nullptr);

}  // namespace bough
