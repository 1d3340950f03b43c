// A node while it is being grown: the view that families, scorers and selectors get of it.
#pragma once

#include <algorithm>

#include "base/integers.hpp"

namespace bough {

struct Node {
    u32 n_rows = 0;
    u32 depth = 0;
    u64 path = 0;                         // address of its randomness
    std::span<const u32> rows;            // ascending; empty when nobody asked for row lists
    std::vector<u32> present;             // classes that occur here, ascending
    std::vector<double> counts;           // rows of every class of the table
    std::vector<double> weights;          // weight of every class of the table
    double total = 0;                     // weight of the node
    double mean = 0;                      // regression: of the target at the node
    double spread = 0;                    // regression: Σ w·(y − mean)²
    bool pure = false;                    // nothing is left to separate
    std::vector<double> present_weights;  // weights of the present classes, in that order
    std::span<const u8> allowed;          // per column: may it be split here? empty: all may

    bool allows(u32 column) const { return allowed.empty() || allowed[column] != 0; }
};

struct Target;

// The mean of numbers, as far as they have been taken, in their order.
struct NumberSum {
    double origin = 0, shift = 0, low = 0, high = 0;  // the first number; sum of weight × distance from it; ends

    explicit NumberSum(double first) : origin(first), low(first), high(first) {}
    void add(double y, double weight) {
        shift += weight * (y - origin);
        low = std::min(low, y);
        high = std::max(high, y);
    }
    double mean(double total) const { return origin + shift / total; }
};

// Mean and spread of numbers, taken in their order; `total` is what they weigh together.
template <class Number, class Weight>
void measure_numbers(Node& node, std::size_t n, double total, Number number, Weight weight) {
    NumberSum sum(number(0));
    double spread = 0;
    for (std::size_t i = 0; i < n; ++i) sum.add(number(i), weight(i));
    const double mean = sum.mean(total);
    for (std::size_t i = 0; i < n; ++i) {
        const double d = number(i) - mean;
        spread += weight(i) * d * d;
    }
    node.mean = mean;
    node.spread = spread;
    node.pure = sum.low == sum.high;
}

// Sums of the rows of a node that is to be: classes, or mean and spread.
void measure(Node& node, const Target& target, std::span<const u32> rows);
// The same where each of the rows weighs something else than in the target.
void measure(Node& node, const Target& target, std::span<const u32> rows, std::span<const double> weights);
// Lists the classes that occur at a measured node.
void list_present(Node& node, const Target& target);

// Limits that every split has to keep.
struct LeafLimits {
    u32 min_rows = 1;
    double min_weight = 0;
    bool by_weight = false;  // min_rows is about weight, as in C4.5

    // The rows that a side must have, by what is known before any is weighed.
    u32 least_rows(bool weighted) const {
        return std::max({1u, min_rows, weighted ? 1u : static_cast<u32>(std::ceil(min_weight))});
    }
};

}  // namespace bough
