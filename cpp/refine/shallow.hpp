// What a search of shallow trees works on: the rows with whole weights and the ranks of their values, sorted lists, and
// the splits that it tries. Trees cost Σ of what rows cost in their leaves, and something for each leaf.
#pragma once

#include "base/parallel.hpp"
#include "data/sample.hpp"
#include "refine/loss.hpp"
#include "tree/split.hpp"

namespace bough {

using Cost = i64;  // in units of 1 / kFine of the least weight

inline constexpr Cost kFine = 1 << 20;  // so that the price of a leaf is whole
inline constexpr Cost kAny = std::numeric_limits<Cost>::max() / 4;

// A column in order. Rows without a value are a value of their own, behind all numbers or before them.
struct RankedColumn {
    u32 column = 0;
    bool nominal = false;  // a cut is any subset of its values
    bool codes = false;    // values are codes of a nominal column
    bool gaps_first = false, gaps_last = false;
    std::vector<double> values;  // by rank; NaN: missing
    std::vector<u32> rank;       // per row
    u32 top = kNone;             // the rank of many rows, which are in no list: they are the others
};

// Cuts of a sorted column, or one subset of a nominal one.
struct Splitter {
    u32 list = 0;
    std::vector<u8> left;  // by rank; empty: cuts
};

struct ShallowProblem {
    ShallowProblem(const Data& data, const Losses& losses, double leaf_price, Team& team, Budget& budget);

    u32 n = 0, k = 2;
    int class_bits = 1;
    std::vector<u32> classes;     // that save most if they are predicted
    std::vector<i32> weights;     // empty: 1
    std::vector<i32> gains, top;  // as in LaneRows
    std::vector<RankedColumn> lists;
    std::vector<Splitter> splitters;
    Cost leaf = 0;    // price of a leaf
    double unit = 1;  // what a weight of 1 costs
    double base = 0;  // what the best answers cost
    // A cost in units of the loss.
    double loss(Cost cost) const { return base + static_cast<double>(cost) / static_cast<double>(kFine) * unit; }
    bool rounded = false;  // costs are not those of the rows themselves, but nearly

    i32 weight(u32 row) const { return weights.empty() ? 1 : weights[row]; }
    // What the row's worst answer costs, beside its best one, and what an answer costs less.
    i32 most(u32 row) const { return gains.empty() ? weight(row) : weight(row) * top[classes[row]]; }
    i32 saves(u32 row, u32 a) const {
        if (gains.empty()) return a == classes[row] ? weight(row) : 0;
        return weight(row) * gains[classes[row] * k + a];
    }

   private:
    void weigh(const Data& data, const Losses& losses, double leaf_price);
    void rank(const Table& table, u32 column, std::vector<RankedColumn>& to, Budget& budget) const;
    void add_splitters(u32 list);
};

// A tree that is being searched, in preorder.
struct Choice {
    enum class Kind : u8 { leaf, stump, split };  // stump: the best tree of one cut, or a leaf, to be written down
    Kind kind = Kind::leaf;
    u32 list = 0, low = 0, high = 0;  // split: the ranks on both sides of the cut
    u32 right = 0;                    // ... and how far its right child is
    u32 label = 0;                    // leaf
    std::vector<u8> left;             // a subset: by rank

    bool goes_left(u32 rank) const { return left.empty() ? rank <= low : left[rank] != 0; }
};
using Sketch = std::vector<Choice>;

Sketch joined(Choice root, const Sketch& left, const Sketch& right);
inline Sketch left_of(const Sketch& t) { return {t.begin() + 1, t.begin() + t[0].right}; }
inline Sketch right_of(const Sketch& t) { return {t.begin() + t[0].right, t.end()}; }
// The splits in preorder, for rebuild.hpp.
std::vector<Split> splits_of(const ShallowProblem& problem, const Sketch& tree);

}  // namespace bough
