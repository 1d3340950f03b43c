// What sums tell of the rows of a node, where directions are made without looking at rows: in search units, from the
// centers of the columns, which are all numeric ones.
#pragma once

#include <functional>
#include <string_view>

#include "base/budget.hpp"
#include "base/info.hpp"

namespace bough {

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

// Families of directions tell here, where they are registered, that they need no rows.
void tell_by_moments(std::string_view split, ByMoments how);
// Null where a split needs rows.
const ByMoments* find_by_moments(std::string_view split);

}  // namespace bough
