// The engine that families of directions share. A family is a function that looks at a node and offers
// directions; the engine projects the rows, sorts and sweeps them by any criterion, and makes the linear
// split of the winner. A finder sees
//
//   search units   a column divided by its spread if standardize is set, else the user's own
//   columns        those numeric columns that may be split at the node
//
// and every direction is made one unit long in search units, with its first coefficient positive.
#pragma once

#include "data/dense.hpp"
#include "grow/family.hpp"

namespace bough {

// Rows × columns in search units, about the node's mean; missing numbers are at the mean.
struct NodeMatrix {
    u32 n = 0, d = 0;
    std::vector<double> x;     // by rows
    std::vector<double> mean;  // per column, from the column's center, in search units
    const double* row(u32 i) const { return x.data() + std::size_t{i} * d; }
};

// Means of the classes that are present, in search units, from the column's center; missing numbers are
// at the node's mean. For numbers to be predicted there are two: rows up to the node's mean and above.
struct GroupMeans {
    u32 k = 0, d = 0;
    std::vector<double> weight;    // per group
    std::vector<double> mean;      // k × d
    std::vector<double> rounding;  // per column: differences below this mean nothing
    const double* of(u32 group) const { return mean.data() + std::size_t{group} * d; }
};

// What the engine remembers of an open node.
struct DirectionState final : NodeState {
    u32 begin = 0;                             // its first row among the dense ones
    u64 id = 0;                                // no other state has it
    u32 n_tried = 0;                           // directions so far
    std::vector<u32> numbers;                  // of directions that can still win
    std::vector<std::vector<double>> weights;  // theirs, per dense column in the user's units
    std::vector<double> sums;                  // Σ w·x per class of the table and dense column, if they are kept
    u32 fresh = 0;                             // rows of the node for which they were last summed up anew
};

// Positions this close are one: half of it is more than sums in two orders differ by, one after the other and in eight
// lanes. `reach`: Σ |coefficient| · largest number of its column.
inline double blur_of(u32 n_columns, double reach) {
    return (1.25 * n_columns + 16) * std::numeric_limits<double>::epsilon() * reach;
}

// Where sums are kept, children get them by subtraction; a node of few rows is summed up as fast.
inline bool keeps_sums(const Problem& problem, const DenseRows& dense, u32 n_rows) {
    return !problem.target->regression() && !dense.has_missing() && n_rows > 4 * problem.target->n_classes;
}

class DirectionNode {
   public:
    DirectionNode(const Problem& problem, const DenseRows& dense, const Node& node, DirectionState& state, u32 family,
                  bool gaps_at_center, Worker& worker, Best& best);

    const Problem& problem;
    const Node& node;
    Rng rng;
    std::vector<u32> columns;  // of the dense rows, ascending: those that may be split here
    u32 n_rows() const { return node.n_rows; }
    u32 n_columns() const { return static_cast<u32>(columns.size()); }
    u32 cls(u32 i) const { return dense_.classes()[begin_ + i]; }
    double weight(u32 i) const { return dense_.weights() ? dense_.weights()[begin_ + i] : 1.0; }
    double number(u32 i) const { return dense_.numbers()[begin_ + i]; }
    // The number of row i in column j as the table has it, or standardised if that is set; NaN if missing.
    double value(u32 i, u32 j) const;
    bool missing(u32 i, u32 j) const { return dense_.has_missing() && dense_.missing_at(begin_ + i, columns[j]); }
    bool has_missing() const { return dense_.has_missing(); }
    double unit(u32 j) const;  // one search unit of column j, in the user's units
    // The group of a row in group_means().
    u32 group(u32 i) const;

    NodeMatrix matrix() const;
    GroupMeans group_means() const;

    // Runs piece(i, worker) for every i < n, with the helpers that a large node has.
    void each(std::size_t n, const std::function<void(std::size_t, int)>& piece) const { worker_.team->each(n, piece); }
    // Tries directions of n_columns() coefficients each, in search units; those without length are left out.
    void offer(std::span<const double> directions);

   private:
    struct Prepared;  // a direction on its way through the engine
    // Without coefficients that pull predictions down (1) or up (-1) where others pull the other way.
    std::vector<double> one_way(std::span<const double> direction, int sign) const;
    void sweep(const Prepared& p, const double* w, double* z, Best& best) const;

    const DenseRows& dense_;
    DirectionState& state_;
    u32 begin_, family_;
    bool gaps_at_center_;
    Worker& worker_;
    Best& best_;
};

using DirectionFinder = std::function<void(DirectionNode&)>;

// A plug-in from a function that makes the finder of one fit. A row that lacks a number of a direction has no position
// along it, or, with `gaps_at_center`, one as if the number were its column's center. A parameter called cut says where
// cuts are put: midway between two positions (0), or at the lower one (1).
FamilyPlugin direction_plugin(Info info, std::function<DirectionFinder(const Problem&, const Params&)> make,
                              bool gaps_at_center = false);

}  // namespace bough
