// Where a cut is put between two neighbouring values.
#pragma once

#include <numeric>

#include "base/integers.hpp"

namespace bough {

// The midpoint of low < high, and below high whatever the rounding: x <= cut separates them.
inline double between(double low, double high) {
    const double middle = std::midpoint(low, high);
    return middle >= low && middle < high ? middle : low;
}

}  // namespace bough
