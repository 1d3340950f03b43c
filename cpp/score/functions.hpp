// Functions of the user's own that a plan brings along. They may be called from any thread; whoever makes
// them sees to Python's lock.
#pragma once

#include <functional>

#include "base/integers.hpp"
#include "data/target.hpp"

namespace bough {

struct Functions {
    // n × d numbers by rows (NaN: missing), the rows' classes or numbers, their weights; returns directions
    // of d coefficients each, one after the other.
    std::function<std::vector<double>(const std::vector<double>& x, u32 n, u32 d, const std::vector<double>& y,
                                      const std::vector<double>& w)>
        directions;
    // Weights of n_values × n_classes (of a regression target: weight, Σ w·y and Σ w·y² of each value);
    // returns for each value whether it goes left.
    std::function<std::vector<u8>(const std::vector<double>& table, u32 n_values, u32 n_classes)> partition;
    EdgeWeights edges;
    // To be called when a function has failed, so that the other threads stop soon.
    std::function<void()> failed;
};

}  // namespace bough
