// A tree as a game of its columns: what does it predict of a row of which only some columns are known? The Shapley
// value of a column is its mean contribution over all orders in which columns become known. What is not known comes
// from a background row, or, by weights, a row follows all branches by their share of the training rows.
#pragma once

#include <utility>

#include "base/budget.hpp"
#include "tree/route.hpp"
#include "tree/tree.hpp"

namespace bough {

inline constexpr u32 kByWeight = kNone - 1;  // instead of a child: all of them, by their weights

// A branch of the tree, or the end of rows that stop at an inner node. In preorder; the first leads to the root.
struct Arm {
    u32 node = 0;        // that it leads to, or where rows stop
    u32 above = kNone;   // the arm that leads to the node it leaves
    u32 child = 0;       // which branch of that; kStopHere: rows stop
    u32 depth = 0;       // 0 for the root
    bool ends = false;   // at a leaf, or in a stop
    double weight = 1;   // the share of the rows above that goes here
    u32 behind = 0;      // the first arm that is not below
    u32 player = 0;      // of splits of one column: its place among those of the path
    u32 before = kNone;  // ... and the arm that last left a split of it
    double unknown = 1;  // the share that comes here where it is not known
};

class Game {
   public:
    // `values`: what every node says, a number for each output. Tree and values stay where they are.
    Game(const Tree& tree, std::span<const double> values, Budget& budget);

    const Tree& tree() const { return tree_; }
    std::span<const Arm> arms() const { return arms_; }
    u32 depth() const { return depth_; }
    u32 most_columns() const { return most_columns_; }  // that a path asks
    u32 n_outputs() const { return n_outputs_; }
    const double* value(const Arm& arm) const { return values_.data() + std::size_t{arm.node} * n_outputs_; }
    const SplitView& split(const Arm& arm) const { return splits_[arm.node]; }
    // The column that is asked above an arm, by a split of one.
    u32 column(const Arm& arm) const { return splits_[arms_[arm.above].node].column; }

    u32 way(const SplitView& split, std::span<const Column> columns, u64 row) const {
        if (!shared_) return route(split, columns, row);
        const u32 child = answer(split, columns, row);
        return child == kNone ? kByWeight : child;
    }
    static double share(const Arm& arm, u32 way) {
        return way == kByWeight ? arm.weight : way == arm.child ? 1.0 : 0.0;
    }
    // The share of a row that takes each arm; false where a split asks several columns: then there is no such share.
    bool shares(std::span<const Column> columns, u64 row, double* out) const;
    // Adds what is predicted of a row of which nothing is known.
    void nothing_known(double scale, double* out) const;

   private:
    void add_arms_below(u32 a, std::vector<Arm>& waiting) const;

    const Tree& tree_;
    std::span<const double> values_;
    std::vector<SplitView> splits_;  // by node
    std::vector<Arm> arms_;
    u32 n_outputs_, depth_ = 0, most_columns_ = 0;
    bool shared_, linear_ = false;
};

// Trees whose splits ask one column each: a leaf is reached by the product over the columns of its path of the share
// that comes there, which is one number if the column is known, o, and another one if it is not, z. The Shapley value
// of a column is then ∫ (o − z)·Π (1 − t)·z' + t·o' dt from 0 to 1 over the products of the other columns: a
// polynomial, which the rule of Gauss and Legendre integrates exactly.
class Weighted {
   public:
    explicit Weighted(const Game& game);
    // Adds the Shapley values of a row by the shares of it that take each arm, columns × outputs; what is not known
    // goes by weights or as the shares `against` tell.
    void add(const double* shares, const double* against, double scale, double* out);

   private:
    struct Level {
        u32 arm = 0;
        double known = 1, unknown = 1;
    };
    // Of an arm on the way, one number for each point of the rule: the product down to here, the inverse of its factor,
    // what of sums over leaves its column gets, and these sums, by output.
    enum Part : u32 { kProduct, kInverse, kCredit, kSums };
    double* part(u32 depth, Part p) {
        return room_.data() + at_.size() * (std::size_t{depth} * (kSums + game_.n_outputs()) + p);
    }
    void close(u32 depth, double scale, double* out);

    const Game& game_;
    std::vector<double> at_, weight_, room_;
    std::vector<Level> levels_;  // by depth
    u32 top_ = 0;
};

// The same against rows that take or leave each arm, 64 of them at a time: a bit for each.
class Crowd {
   public:
    // `background`: shares of rows, one after the other.
    Crowd(const Game& game, std::span<const double> background);
    void add(const double* shares, double scale, double* out);

   private:
    struct Level {
        u32 arm = 0;
        bool own = true;             // does the row's value of the column come here?
        u64 other = ~u64{0}, alive;  // whose of the background does; who comes here with the row's or their value
    };
    void end(u32 depth, double scale, double* out);

    const Game& game_;
    std::vector<u64> takes_;         // by 64 rows, by arm
    std::vector<double> orders_;     // see orders() in crowd.cpp, by two numbers below kTable
    std::vector<Level> levels_;      // by depth
    std::vector<u32> columns_, at_;  // of a path: the columns, the last level of each
    std::vector<u32> last_;          // by place among the columns of a path: the last leaf that met it
    std::vector<double> gains_;
    double n_rows_;
    u32 leaf_ = 0;
};

}  // namespace bough
