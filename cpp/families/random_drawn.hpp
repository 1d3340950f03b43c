// random where nodes draw few columns of many, in forests: see random_drawn.cpp.
#pragma once

#include "families/drawn_subtree.hpp"

namespace bough {

// Grows what is below a node whose entries are those from `begin`; `tries` columns of those that are drawn count, 0:
// all.
void grow_random(const Problem& problem, u32 family, u32 tries, DrawnRows& rows, const Node& node, u32 begin, u32 size,
                 const StopRules& stop, Worker& worker, TreeWriter& out);

}  // namespace bough
