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
    bool along = false;  // the cuts are along a direction, not along a column
    u32 direction = 0;
};

// The order of cuts by direction, above the bits of a cut's own place and side: earlier directions first.
inline u64 along_order(u32 direction) { return u64{std::min(direction, (1u << 30) - 1)} << 34; }

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

// The left sides of many partitions of one node.
struct LeftSides {
    u32 count = 0;
    u32 n_classes = 0;
    u32 stride = 0;      // doubles from one to the next, a multiple of 4; what is beyond the classes is 0
    const double* left;  // weight of every class
    const double* all;   // ... of both sides, as long as the stride
    double total = 0;
    bool whole = false;                 // all weights are whole numbers
    std::span<const u32> classes = {};  // see Side
};

struct Contingency;

class Scorer {
   public:
    virtual ~Scorer() = default;

    virtual double impurity(const Side& side) const = 0;
    virtual Gain gain(const Side& left, const Side& right) const = 0;
    virtual Gain gain_of_many(std::span<const Side> children) const = 0;
    // Differences of gain that are nothing at this node, before the factor kTie.
    virtual Gain unit(const Node& node) const = 0;
    // The largest gain that any split of this node can have, as far as the criterion knows.
    virtual Gain limit(const Node& node) const = 0;
    virtual const Traits& traits() const = 0;

    // Gains of many partitions at once, off by at most the number returned (times the node's unit or
    // the gain): they tell which are worth a closer look.
    virtual double gains(const LeftSides& sides, double* out) const = 0;
    // If traits().graph: the weight of the edge between two values.
    virtual double edge(const Side& a, const Side& b) const = 0;
    // The edges from one value to those before it; `scale` makes a gain of their sum.
    virtual void edges(const Contingency& t, u32 value, double* out) const = 0;
    virtual double edge_scale(const Contingency& t) const = 0;
    // For searches through many partitions: the gain of a side, given by the weights of the k present
    // classes, against the rest of `all`; and an upper bound of it while low <= side <= high. Both up to
    // rounding.
    virtual double quick_gain(const double* side, const double* all, u32 k) const = 0;
    virtual double gain_over(const double* low, const double* high, const double* all, u32 k) const = 0;

    // Every cut of one presorted column.
    virtual void cuts(const Node& node, const PackedColumn<u32>& column, const LeafLimits& limits,
                      CutSink sink) const = 0;
    virtual void cuts(const Node& node, const PackedColumn<u64>& column, const LeafLimits& limits,
                      CutSink sink) const = 0;
    // Every cut along one direction.
    virtual void along(const Node& node, const Projection& p, const LeafLimits& limits, CutSink sink) const = 0;
};

struct CriterionPlugin {
    Info info;
    Traits traits;
    std::function<std::unique_ptr<Scorer>(const Target&)> make;
};

}  // namespace bough
