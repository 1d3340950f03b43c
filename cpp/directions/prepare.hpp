// A direction on its way to a linear split.
#pragma once

#include "data/dense.hpp"
#include "grow/family.hpp"

namespace bough {

struct Direction {
    u32 first = 0;    // the first dense column with a coefficient
    double blur = 0;  // positions this close are one position
};

// Makes a direction over some dense columns, in search units, one unit long with its first coefficient positive: `w`
// gets a coefficient for each dense column in the user's units. False if it has no length.
bool prepare(const Problem& problem, const DenseRows& dense, std::span<const u32> columns, const double* direction,
             double* w, Direction& made);

}  // namespace bough
