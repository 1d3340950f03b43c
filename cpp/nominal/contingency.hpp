// The table of a nominal column at a node: which values are there, and the weight of each class
// under each value. Everything that partitions values works on it.
#pragma once

#include <algorithm>

#include "base/slack.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "score/problem.hpp"

namespace bough {

struct Contingency {
    u32 n_values = 0, n_classes = 0;  // present ones
    std::vector<u32> codes;           // of the values, ascending
    std::vector<u32> classes;         // of the table that the columns are, ascending
    std::vector<double> w;            // n_values × n_classes
    std::vector<double> z;            // regression: per value, sum of the target
    std::vector<double> totals;       // per value
    std::vector<u32> rows;            // per value
    std::vector<double> all;          // per class
    double total = 0;
    double origin = 0;      // regression: what `z` are sums of distances from
    u32 n_rows = 0;         // that have a value
    bool integral = false;  // all weights are integers

    std::span<const double> of(u32 value) const { return {w.data() + std::size_t{value} * n_classes, n_classes}; }
    bool regression() const { return !z.empty(); }
    ValueRows value_rows() const { return {n_values, n_classes, w.data(), totals.data(), total, classes}; }
    // The table that a user gives, without its empty values and classes; each value counts as one row.
    static Contingency of_table(const double* table, u32 n, u32 k);
    // Sums up `w` and `rows`: totals, all, total, n_rows.
    void add_up();
    // The same once values, classes and `w` are complete, of rows that weigh 1 or not.
    void finish(bool weighted);
};

// The rows of a node counted under the values of one column, in memory of this thread: until it counts others.
const Contingency& tabulated(const Node& node, const Column& column, const Target& target);

// A two-sided partition of the values, built up by flips; keeps both sides' sums.
class Partition {
   public:
    explicit Partition(const Contingency& t);
    void flip(u32 value);
    // All values to the right except those marked.
    void set(std::span<const u8> left);
    bool left(u32 value) const { return left_[value] != 0; }
    std::span<const u8> mask() const { return left_; }
    u32 n_left() const { return n_left_; }
    Side left_side() const;
    Side right_side() const;
    u32 left_rows() const { return left_rows_; }
    u32 right_rows() const { return t_.n_rows - left_rows_; }
    const Contingency& table() const { return t_; }

   private:
    const Contingency& t_;
    std::vector<u8> left_;
    std::vector<double> lw_, rw_, lz_, rz_;
    u32 n_left_ = 0, left_rows_ = 0;
};

// Takes the partitions that a search tries, and keeps the best by the one tie rule.
class PartitionSink {
   public:
    PartitionSink(const Problem& problem, u32 column, u32 family, bool stop_unseen, Best& best)
        : problem_(problem), column_(column), family_(family), stop_unseen_(stop_unseen), best_(best) {}

    // The gain of a partition, −inf if it breaks a limit or leaves a side empty.
    Gain gain(const Partition& p) const;
    void offer(const Partition& p) const;
    // The same for a partition given by its left values, whose sums are taken here.
    void offer(const Contingency& t, std::vector<u8> left) const;
    void offer_multiway(const Contingency& t) const;
    const Scorer& scorer() const { return *problem_.scorer; }
    // Can a partition with two sides break a limit on leaves?
    bool limited() const { return problem_.limits.min_rows > 1 || problem_.limits.min_weight > 0; }
    // Do both sides keep them, of which one has these rows and this weight?
    bool keeps_limits(const Contingency& t, double rows, double weight) const {
        return std::min(rows, t.n_rows - rows) >= problem_.limits.min_rows &&
               std::min(weight, t.total - weight) >= problem_.limits.min_weight * (1 - kTie);
    }
    const Best& best() const { return best_; }
    Budget& budget() const { return *problem_.budget; }
    void poll() const { problem_.budget->poll(); }

    // A search that knows a limit on the gain of every partition of the table tells it here.
    void prove(double bound) const { bound_ = std::min(bound_, bound); }
    double bound() const { return bound_; }

   private:
    Gain cut_weight(const Partition& p) const;

    const Problem& problem_;
    u32 column_, family_;
    bool stop_unseen_;
    Best& best_;
    mutable double bound_ = kInf;
};

// Partition number i of n values as Gray code; the first value stays on the left, so that each is met once.
std::vector<u8> partition_of(u64 i, u32 n);
// Offers every cut of the values in the given order.
void scan_order(const Contingency& t, std::span<const u32> order, const PartitionSink& sink);

}  // namespace bough
