// Where a cut is put between two neighbouring values.
#pragma once

#include <cmath>
#include <numeric>

#include "base/integers.hpp"

namespace bough {

// The midpoint of low < high, and below high whatever the rounding: x <= cut separates them.
inline double between(double low, double high) {
    const double middle = std::midpoint(low, high);
    return middle >= low && middle < high ? middle : low;
}

// Where a cut is stored between two values: at their midpoint, or just below it.
inline double cut_between(double low, double high, bool below) {
    const double middle = between(low, high);
    return below && middle > low ? std::nextafter(middle, low) : middle;
}

}  // namespace bough
