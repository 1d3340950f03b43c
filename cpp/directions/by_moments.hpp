// What sums tell of the rows of a node, where directions are made without looking at rows: in search units, from the
// centers of the columns, which are all numeric ones.
#pragma once

#include <functional>
#include <string_view>

#include "base/budget.hpp"
#include "base/info.hpp"

namespace bough {

// Which sums of products of columns a family of directions needs.
enum class Scatter : u8 {
    none,
    whole,   // about the node's mean
    within,  // about the mean of each row's class
    each,    // likewise, of every class by itself; where numbers are predicted, and for `within`, the same as `whole`
};

struct NodeMoments {
    u32 k = 0, d = 0;  // groups: the classes that are present; where numbers are predicted two, see GroupMeans
    bool regression = false;
    double total = 0;                 // weight
    std::vector<double> weight;       // per group
    std::vector<double> mean;         // d, of the node
    std::vector<double> group_mean;   // k × d; missing numbers are at the node's mean
    std::vector<double> low, high;    // k × d: the least and the greatest number
    std::vector<double> rounding;     // d: differences below this mean nothing
    std::vector<double> scatter;      // d × d, or k × d × d
    std::vector<double> with_target;  // d: Σ w·(y − mean)·(x − mean), where numbers are predicted

    // The largest distance of a number of some groups from a point.
    double widest(u32 j, double from, u32 first, u32 last) const {
        double w = 0;
        for (u32 g = first; g < last; ++g)
            if (low[g * d + j] <= high[g * d + j]) w = std::max({w, high[g * d + j] - from, from - low[g * d + j]});
        return w;
    }
    // Does a column vary by more than rounding?
    bool varies(u32 j) const { return widest(j, mean[j], 0, k) > rounding[j]; }
};

// A family of directions that needs no rows.
struct ByMoments {
    // Directions of d coefficients each, in the order in which they are tried.
    std::function<std::vector<double>(const NodeMoments&, const Params&, Budget&)> find = nullptr;
    // How many they are at most, of k groups.
    u64 (*most)(u64 k, u64 d) = nullptr;
    Scatter scatter = Scatter::none;
};

// Families of directions tell here, where they are registered, that they need no rows.
void tell_by_moments(std::string_view split, ByMoments how);
// Null where a split needs rows.
const ByMoments* find_by_moments(std::string_view split);

}  // namespace bough
