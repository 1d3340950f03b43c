// The rows of a node of a search for shallow trees, with all columns in order.
#pragma once

#include "refine/lanes.hpp"
#include "refine/shallow.hpp"

namespace bough {

struct Subset {
    u32 n = 0;
    i64 weight = 0;         // what worst answers cost
    std::vector<u32> rows;  // of the problem, ascending; their places here are what follows speaks of
    std::vector<u32> classes;
    std::vector<i32> weights;      // empty: 1
    std::vector<i64> saved;        // by each answer for all rows
    std::vector<u64> bits;         // the rows as a set
    RawBuffer<u32> entries;        // of each list, as in LaneList; the next one begins n further
    RawBuffer<u32> ends;           // as `entries`: where runs of one value end, those that are not listed included
    std::vector<u32> n_runs;       // of each list
    std::vector<u32> gap_at, gap;  // ... where its most frequent value belongs, and how many rows have it
    RawBuffer<u32> masses;         // as `ends`: the weight up to there; empty: rows weigh 1
    std::vector<LaneList> lanes;   // of lists of two runs and more

    explicit Subset(const ShallowProblem& problem) : problem_(&problem) {}
    // All rows.
    void take_all();
    // Which of these rows, and what they weigh, so that bounds can be asked for; fill() makes the rest.
    void take_side(const Subset& from, const std::vector<u8>& member, u8 side);
    void fill(const Subset& from, const std::vector<u8>& member, u8 side);

    const u32* list(u32 l) const { return entries.data() + std::size_t{l} * n; }
    const u32* ends_of(u32 l) const { return ends.data() + std::size_t{l} * n; }
    u32 n_listed(u32 l) const { return n - gap[l]; }
    // Of the row in a place of a list, those that are not listed included.
    u32 rank_at(u32 l, u32 place) const {
        const RankedColumn& column = problem_->lists[l];
        if (place - gap_at[l] < gap[l]) return column.top;
        return column.rank[rows[row_of(list(l)[place < gap_at[l] ? place : place - gap[l]])]];
    }
    u32 row_of(u32 entry) const { return entry >> (problem_->class_bits + 1); }
    u32 class_of(u32 entry) const { return entry >> 1 & ((1u << problem_->class_bits) - 1); }
    // Cuts of a splitter: after the first run, the second … A subset is one cut, if it divides the rows at all or not.
    i32 n_cuts(u32 splitter) const {
        const Splitter& s = problem_->splitters[splitter];
        return s.left.empty() ? static_cast<i32>(n_runs[s.list]) - 1 : 1;
    }
    // The weight on the left of a cut; −1 and n_cuts are the ends.
    i64 mass(u32 splitter, i32 cut) const;
    void mark(const Choice& choice, std::vector<u8>& member) const;
    Choice choice(u32 splitter, i32 cut) const;
    // What the rows cost in one leaf, without its price.
    i64 leaf_loss(u32* label = nullptr) const;

   private:
    void make_room();
    void finish(u32 l);
    void point_at_lists();
    const ShallowProblem* problem_;
};

}  // namespace bough
