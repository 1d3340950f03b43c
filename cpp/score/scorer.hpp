// The only place where families and criteria meet. A family asks about one column or one direction
// at a time, never about one row.
#pragma once

#include <functional>

#include "base/budget.hpp"
#include "base/info.hpp"
#include "data/packed.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "score/side.hpp"
#include "score/traits.hpp"

namespace bough {

// Where a scorer puts the cuts it finds: completes them with what it cannot know.
struct CutSink {
    Best* best;
    u32 column;
    u32 family;
    bool projected = false;  // the cuts are along a direction, not along a column
    u32 direction = 0;
    Budget* budget = nullptr;  // for those who take long
};

// The rows of a node along one direction.
struct Projection {
    u32 size;
    const double* z;        // position of every row; NaN: it has none
    const u32* classes;     // by row
    const double* weights;  // by row, or null
    const double* numbers;  // by row, of a regression target
    double low, high;       // least and greatest position
    double blur;            // positions this close are one position
    u32 n_missing;
    Budget* budget;
};

// Rows of a node that change sides one after the other.
struct Moves {
    u32 size;
    const u64* order;       // their numbers are the lower halves
    const u32* classes;     // by row
    const double* weights;  // by row
    const double* numbers;  // by row, of a regression target about the node's mean
    const double* to_left;  // by row: positive if it moves to the left
};
struct Sums;

// The left sides of many partitions of one node.
struct LeftSides {
    u32 count = 0;
    u32 n_classes = 0;
    u32 stride = 0;      // doubles from one to the next, a multiple of 4; what is beyond the classes is 0
    const double* left;  // weight of every class
    const double* all;   // ... of both sides, as long as the stride
    double total = 0;
    bool integral = false;              // all weights are whole numbers
    std::span<const u32> classes = {};  // see Side
};

// The values of a nominal column at a node, each with its class weights.
struct ValueRows {
    u32 n_values = 0, n_classes = 0;
    const double* w;               // n_values × n_classes
    const double* totals;          // per value
    double total = 0;              // of all values
    std::span<const u32> classes;  // see Side

    Side side(u32 v) const { return Side::known({w + std::size_t{v} * n_classes, n_classes}, totals[v]).of(classes); }
};

// What a criterion knows that is, for a nominal column, the weight of a cut in a graph of its values.
class ValueGraph {
   public:
    virtual ~ValueGraph() = default;
    // The weight of the edge between two values.
    virtual double edge(const Side& a, const Side& b) const = 0;
    // ... of the edges from one value to the first `upto` values; 0 to itself.
    virtual void edges(const ValueRows& rows, u32 value, u32 upto, double* out) const = 0;
    // What makes a gain of the weight of a cut.
    virtual double scale(const ValueRows& rows) const = 0;
};

// What a criterion knows whose gain can be bounded: for searches through many partitions of a node, whose k
// present classes weigh `all`. Up to rounding.
class Bounds {
   public:
    virtual ~Bounds() = default;
    // The gain of a side against the rest; −inf if one of them is empty.
    virtual double gain(const double* side, const double* all, u32 k) const = 0;
    // An upper bound of it while low <= side <= high.
    virtual double most(const double* low, const double* high, const double* all, u32 k) const = 0;
};

class RankedClassCuts;
class RankedNumberCuts;
class FewCuts;

class Scorer {
   public:
    virtual ~Scorer() = default;

    virtual double impurity(const Side& side) const = 0;
    virtual Gain gain(const Side& left, const Side& right) const = 0;
    // Of any number of children; NaN where a criterion is for two only (Traits::multiway).
    virtual Gain gain_of_many(std::span<const Side> children) const = 0;
    // Differences of gain that are nothing at this node, before the factor kTie.
    virtual Gain unit(const Node& node) const = 0;
    // The largest gain that any split of this node can have, as far as the criterion knows.
    virtual Gain limit(const Node& node) const = 0;
    virtual const Traits& traits() const = 0;

    // Gains of many partitions at once, off by at most the number returned (times the node's unit or
    // the gain): they tell which are worth a closer look.
    virtual double gains(const LeftSides& sides, double* out) const = 0;
    // Gains after each move, from what is on the left at the start, off by at most the number returned; for
    // criteria that do not look at positions.
    virtual double gains(const Node& node, const Sums& start, const Moves& moves, double* out) const = 0;
    // Null where the criterion is no cut in a graph; where it cannot be bounded.
    virtual const ValueGraph* graph() const = 0;
    virtual const Bounds* bounds() const = 0;
    // Null where rows are more than counts of classes.
    virtual const RankedClassCuts* ranked_classes() const = 0;
    // Null where the target is no number.
    virtual const RankedNumberCuts* ranked_numbers() const = 0;
    // Null where nodes of few rows are searched like any other.
    virtual const FewCuts* few() const = 0;

    // Every cut of one presorted column.
    virtual void cuts(const Node& node, const PackedColumn& column, const LeafLimits& limits, CutSink sink) const = 0;
    // Every cut along one direction.
    virtual void projected_cuts(const Node& node, const Projection& p, const LeafLimits& limits,
                                CutSink sink) const = 0;
};

struct CriterionPlugin {
    Info info;
    Traits traits;
    std::function<std::unique_ptr<Scorer>(const Target&)> make;
    // Of a numeric target: what leaves predict. Null: the mean, with squared losses.
    std::function<LeafRule(const Params&)> leaf = nullptr;
    bool function = false;  // calls a function of the user's own
};

}  // namespace bough
