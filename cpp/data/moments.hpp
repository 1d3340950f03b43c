// Where the numbers of each column lie, and how far they spread.
#pragma once

#include "data/table.hpp"

namespace bough {

struct Target;

// By the weights of the rows; 0 and 1 for columns without numbers.
struct Moments {
    std::vector<double> means;
    std::vector<double> spreads;     // standard deviation, 1 where it is 0
    std::vector<double> magnitudes;  // no number is further from its center
    // What linear splits subtract: the means, or nothing at all where no column's mean is large beside its
    // spread, so that subtracting would save no digits.
    std::vector<double> centers;
    bool centered = false;
};
Moments moments_of(const Table& table, const Target& target);

// Standard deviation of each column over about a thousand rows at most; 0 for columns without numbers.
std::vector<double> rough_spreads(const Table& table);

}  // namespace bough
