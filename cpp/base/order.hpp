// Sorting row numbers by the values of a column or a projection.
#pragma once

#include "base/budget.hpp"

namespace bough {

struct OrderScratch {
    RawBuffer<u64> words, spare;
    std::vector<u32> counts;
};

// Sorts rows 0 … n−1 by v, ties by row, leaving out those that are NaN; `low` and `high` are the least
// and the greatest value. The lower halves of the returned words are the rows; `m` tells how many.
const u64* order_rows(const double* v, u32 n, double low, double high, OrderScratch& scratch, Budget& budget, u32& m);

}  // namespace bough
