// What stays the same while a tree grows, or a branch of it whose rows are shared: the table, the target, who scores.
#pragma once

#include <algorithm>

#include "base/budget.hpp"
#include "base/parallel.hpp"
#include "data/full_table.hpp"
#include "data/moments.hpp"
#include "data/sample.hpp"
#include "score/functions.hpp"
#include "score/scorer.hpp"
#include "tree/split.hpp"

namespace bough {

class Ranks;

struct Problem {
    const Table* table = nullptr;
    std::span<const u32> rows;     // that the tree is grown from, ascending; empty: every row once
    const Ranks* ranks = nullptr;  // of the table, where nodes look at few of its columns
    const Target* target = nullptr;
    const Data* all = nullptr;        // the rows that the whole tree grows from
    const FullTable* full = nullptr;  // the table that those were drawn from
    Missing missing = Missing::either;
    const Scorer* scorer = nullptr;
    LeafLimits limits;
    u64 seed = 0;
    std::span<const u32> tie_places;  // of each column among columns that tie; empty: in the order of the table
    bool every_column = true;         // may be split at every node: none is drawn, none selected
    bool standardize = false;         // distances and directions are over columns divided by their spread
    Moments moments;                  // of the columns, where the plan needs them
    Functions functions;              // of the user's own
    Team* team = nullptr;
    Budget* budget = nullptr;
};

// Puts columns in the order in which they win ties.
inline void sort_by_place(std::vector<u32>& columns, std::span<const u32> places) {
    std::sort(columns.begin(), columns.end(),
              [places](u32 a, u32 b) { return places.empty() ? a < b : places[a] < places[b]; });
}

}  // namespace bough
