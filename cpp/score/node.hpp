// A node while it is being grown: the view that families, scorers and selectors get of it.
#pragma once

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
};

}  // namespace bough
