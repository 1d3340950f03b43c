// Linear splits with fewer terms: a coefficient goes if some cut along what is left keeps every training row
// of the node on its side. One place for all families that make linear splits.
#pragma once

#include <functional>

#include "base/budget.hpp"
#include "data/table.hpp"
#include "tree/split.hpp"

namespace bough {

// Drops terms of a linear split, those of least weight times spread first, until none can go; what is left of
// one term is an axis split. `left(row)` tells the side of a row and stays true, unless the return value is
// true: then the two sides have changed places, because the first coefficient that is left was negative.
bool simplify(Split& split, const Table& table, const Moments& moments, std::span<const u32> rows,
              const std::function<bool(u32)>& left, Budget& budget);

}  // namespace bough
