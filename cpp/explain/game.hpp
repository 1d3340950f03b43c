// A tree as a game of its columns: what does it predict of a row of which only some columns are known? The Shapley
// value of a column is its mean contribution over all orders in which columns become known. What is not known comes
// from a background row, or, by weights, a row follows all branches by their share of the training rows.
#pragma once

#include <map>
#include <unordered_map>
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
    u32 n_outputs() const { return n_outputs_; }
    const double* value(const Arm& arm) const { return values_.data() + std::size_t{arm.node} * n_outputs_; }
    const SplitView& split(const Arm& arm) const { return splits_[arm.node]; }

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
    u32 n_outputs_, depth_ = 0;
    bool shared_, linear_ = false;
};

// Trees whose splits ask one column each: a leaf is reached by the product over the columns of its path of the share
// that comes there, which is one number if the column is known, o, and another if it is not, z.
class Products {
   public:
    // `background`: shares of rows, one after the other; none: by weights.
    Products(const Game& game, std::span<const double> background);
    // Adds the Shapley values of a row with these shares, columns × outputs.
    void add(std::span<const double> shares, double scale, double* out);

   private:
    using Shares = std::vector<double>;  // by column of a path
    struct Leaf {
        u32 arm;
        std::vector<u32> columns;  // of its path
        // What comes here of the rows against which a row is explained: patterns of those that take or leave every arm,
        // a bit for each column, and how many have it; shares of the others.
        std::map<u64, u32> patterns;
        std::vector<Shares> unknown;
        std::unordered_map<u64, Shares> found;  // what each column gets, by pattern; empty: nothing
    };
    template <class Whole, class Part>
    void each_leaf(std::span<const double> shares, const Whole& whole, const Part& part);
    void integrate(const Shares& known, const Shares& unknown, double times, Shares& found) const;
    Shares solve(const Leaf& leaf, const Shares& known, const u64* pattern) const;

    const Game& game_;
    double n_background_;
    std::vector<Leaf> leaves_;
    std::vector<u32> leaf_of_;         // by arm
    std::vector<double> at_, weight_;  // of the quadrature
    std::vector<u64> patterns_;        // by depth
    std::size_t kept_ = 0;
};

}  // namespace bough
