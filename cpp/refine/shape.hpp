// A tree while it is refined: nodes that keep their splits, their values and the subtrees that no row comes to.
#pragma once

#include "base/budget.hpp"
#include "data/moments.hpp"
#include "grow/stop.hpp"
#include "refine/loss.hpp"
#include "tree/route.hpp"

namespace bough {

struct Branch {
    u32 left = kNone, right = kNone, parent = kNone, depth = 0;  // a leaf has no children
    u8 only = 2;                                                 // 0: every row goes to the left, 1: to the right
    double terms = 0;
    Split split;
    LeafValue value;
    std::vector<u8> known;  // in the first levels: of each row of the table, does it go to the left?
    u64 split_at = 0, value_at = 0, searched_at = 0;  // when they last changed, when it was last searched

    bool leaf() const { return left == kNone; }
};

class Shape {
   public:
    Shape(const Table& table, const Moments& moments) : table_(&table), moments_(&moments), branches_(1), views_(1) {}
    Shape& operator=(Shape&&) = default;
    Shape(Shape&&) = default;

    // The nodes of a tree over another table of the same columns.
    void take(const Shape& other);
    u32 n_leaves() const { return size() / 2 + 1; }
    u32 size() const { return static_cast<u32>(branches_.size()); }
    Branch& operator[](u32 i) { return branches_[i]; }
    const Branch& operator[](u32 i) const { return branches_[i]; }
    const Table& table() const { return *table_; }

    void set(u32 i, Split split, double terms);
    // Gives a leaf two children that predict what it does.
    void divide(u32 i, Split split, double terms);
    // ... or what stands below it, splits in preorder.
    void grow(u32 leaf, std::span<const Split> splits, u64 clock);
    // The other side of its parent is left.
    void exchange(u32 i) { std::swap(branches_[i].left, branches_[i].right); }

    bool goes_left(u32 i, u32 row) const {
        const Branch& b = branches_[i];
        return b.known.empty() ? routed_left(i, row) : b.known[row];
    }
    u32 child(u32 i, u32 row) const {
        const Branch& b = branches_[i];
        const bool left = b.only < 2 ? b.only == 0 : goes_left(i, row);
        return left ? b.left : b.right;
    }
    u32 leaf_of(u32 from, u32 row) const {
        while (!branches_[from].leaf()) from = child(from, row);
        return from;
    }
    using Rows = std::vector<std::vector<u32>>;  // per node
    void reach(Budget& budget, Rows& to) const;
    // Fits all leaves to their rows; returns what they cost. Those that change get another time. `rows` are those of
    // reach().
    double refit(const Losses& losses, const Rows& rows, u64& clock);
    // Joins leaves that are too small; true: there were some.
    bool keep_limits(const LeafLimits& limits, const Target& target, Budget& budget);
    // Terms of the splits that decide anything, below each node and at it; children stand behind their parents.
    std::vector<double> terms() const;
    // Without nodes that decide nothing.
    void compact();
    // The splits in preorder, a leaf's kind being leaf.
    std::vector<Split> preorder() const;
    // A split of growth, with a side for each value of its column.
    Split full(Split split) const;

   private:
    void look(u32 i);
    bool routed_left(u32 i, u32 row) const {
        const u32 child = answer(views_[i], table_->columns, row);
        return (child == kNone ? views_[i].without : child) == 0;
    }
    const Table* table_;
    const Moments* moments_;
    std::vector<Branch> branches_;
    std::vector<SplitView> views_;
};

}  // namespace bough
