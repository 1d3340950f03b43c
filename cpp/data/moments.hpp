// Where the numbers of each column lie, and how far they spread.
#pragma once

#include <algorithm>
#include <functional>

#include "base/budget.hpp"
#include "base/info.hpp"
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

// What sums tell of the rows of a node, where directions are made without looking at rows: in search units, from the
// centers of the columns, which are all numeric ones.
struct NodeMoments {
    u32 k = 0, d = 0;  // groups: the classes that are present; where numbers are predicted two, see GroupMeans
    double total = 0;  // weight
    std::vector<double> weight;      // per group
    std::vector<double> mean;        // d, of the node
    std::vector<double> group_mean;  // k × d; missing numbers are at the node's mean
    std::vector<double> low, high;   // d: the least and the greatest number
    std::vector<double> rounding;    // d: differences below this mean nothing
    std::vector<double> scatter;     // d × d: sums of products about the node's mean, if they are asked for

    // Does a column vary by more than rounding?
    bool varies(u32 j) const { return std::max(high[j] - mean[j], mean[j] - low[j]) > rounding[j]; }
};

// A family of directions that needs no rows.
struct ByMoments {
    // Directions of d coefficients each, in the order in which they are tried.
    std::function<std::vector<double>(const NodeMoments&, const Params&, Budget&)> find = nullptr;
    // How many they are at most, of k groups.
    u64 (*most)(u64 k, u64 d) = nullptr;
    bool scatter = false;  // needs the sums of products
};

// Standard deviation of each column over about a thousand rows at most; 0 for columns without numbers.
std::vector<double> rough_spreads(const Table& table);

}  // namespace bough
