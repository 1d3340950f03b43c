// A direction on its way to a linear split.
#pragma once

#include "grow/family.hpp"

namespace bough {

struct Direction {
    u32 first = 0;    // the first of these with a coefficient
    double blur = 0;  // positions this close are one position
};

// Makes a direction over some of the `numeric` columns of the table, by their places among these, in search units, one
// unit long with its first coefficient positive: `w` gets a coefficient for each of these in the user's units. False if
// it has no length.
bool prepare(const Problem& problem, std::span<const u32> numeric, std::span<const u32> columns,
             const double* direction, double* w, Direction& made);

}  // namespace bough
