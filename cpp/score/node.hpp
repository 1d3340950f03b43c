// A node while it is being grown: the view that families, scorers and selectors get of it.
#pragma once

#include <algorithm>

#include "data/exact_sum.hpp"
#include "score/side.hpp"

namespace bough {

struct NodeLines;

struct Node : NumberMeasure {  // the measure: of a numeric target
    u32 n_rows = 0;
    u32 depth = 0;
    u64 path = 0;                         // address of its randomness
    std::span<const u32> rows;            // ascending; empty when nobody asked for row lists
    std::span<const u32> by_target;       // the same in the order of a numeric target, where the criterion follows it
    std::vector<u32> present;             // classes that occur here, ascending
    std::vector<double> counts;           // rows of every class of the table
    std::vector<double> weights;          // weight of every class of the table
    double total = 0;                     // weight of the node
    std::shared_ptr<NodeLines> lines;     // what it adds to a linear leaf; null: leaves are means
    std::vector<double> present_weights;  // weights of the present classes, in that order
    std::span<const u8> allowed;          // per column: may it be split here? empty: all may
    u32 only = kNone;                     // the one column that is allowed, where there is one only
    u32 ruled = 1;                        // place among the present classes of the one that rules are about

    // What rows of a numeric target weigh, and their sum of weight × distance from the node's mean.
    double weight_of(const ExactSum& some) const { return image.weight(some.weight); }
    double distances_of(const ExactSum& some) const { return image.about_mean(some, sums); }
    void take(const NumberMeasure& m) { static_cast<NumberMeasure&>(*this) = m; }

    // A side of this node.
    template <class R>
    SideOf<R> view(const SideOf<R>& side) const {
        return side.of(present).about(mean);
    }

    bool allows(u32 column) const { return allowed.empty() || allowed[column] != 0; }
    // Those of some columns, ascending, that are worth a question: all of them, or the only one.
    std::span<const u32> among(std::span<const u32> columns) const {
        if (only == kNone) return columns;
        const auto [begin, end] = std::equal_range(columns.begin(), columns.end(), only);
        return {begin, end};
    }
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

    // The rows that a side must have, by what is known before any is weighed.
    u32 least_rows(bool weighted) const {
        return std::max({1u, min_rows, weighted ? 1u : static_cast<u32>(std::ceil(min_weight))});
    }
};

}  // namespace bough
