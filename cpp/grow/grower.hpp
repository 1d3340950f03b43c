// The one loop: a node is stopped, or its columns are selected, its splits proposed, the best one
// made and its rows passed on.
#pragma once

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

class Ranks;
struct Moments;

// Where a tree grows that is part of another one: what a node knows of the way to it, and the weight of all rows.
struct Start {
    u32 depth = 0;
    u64 path = kRootPath;
    double weight = 0;                 // 0: that of the data
    const Moments* moments = nullptr;  // of the table that the rows came from; null: of the data
};

// The full tree, in the weights of the data whatever their size; `whole` is the table that the data were drawn from.
// Of some rows only if they are given, which needs the ranks of the data.
TreeParts grow_parts(const Data& data, const Table& whole, const Plan& plan, Budget& budget,
                     std::span<const u32> rows = {}, const Ranks* ranks = nullptr, const Start& start = {});

}  // namespace bough
