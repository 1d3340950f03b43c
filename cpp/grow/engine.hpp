// Which store a tree grows from, and why; and its growth from there.
#pragma once

#include <memory>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

class BinnedTable;
class Family;
struct FamilyPlugin;
struct Moments;
class Params;
struct Problem;
class Ranks;

struct Engine {
    enum class Store : u8 { lists, ranks, row_ids, bins };
    Store store = Store::row_ids;
    bool single = false;    // one family searches every node, with nobody else asking about columns or splits
    bool compacts = false;  // small nodes go on from lists of their own
    std::string reason;     // a sentence
    std::shared_ptr<const Ranks> ranks;  // of the table, if trees grow from them
    std::shared_ptr<const BinnedTable> bins;
};

// The engine of so many trees of a plan; `balanced`: their rows weigh what makes classes equal; `bins`: of each column
// at most, 0: every number may be a cut. Throws std::invalid_argument where the plan names an engine that cannot grow
// them.
Engine choose_engine(const Data& data, const Sample& sample, const Plan& plan, u64 trees, bool balanced, Budget& budget,
                     u32 bins = 0);

// The engine of a table that has no ranks, because a number is missing, or of part of a tree.
Engine without_ranks(const Data& data, const Sample& sample, const Plan& plan, bool balanced = false);

// The family that searches the nodes of a problem, by the ranks that it may have.
std::unique_ptr<Family> make_family(const FamilyPlugin& plugin, const Problem& problem, const Params& params);

// Does a small node of many classes go on by itself, with those that it has?
bool numbers_classes_anew(const Plan& plan, const Problem& problem);

// Where a tree grows that is part of another one: what a node knows of the way to it, and the weight of all rows.
struct Start {
    u32 depth = 0;
    u64 path = kRootPath;
    double weight = 0;                 // 0: that of the data
    const Moments* moments = nullptr;  // of the table that the rows came from; null: of the data
};

// Makes a tree of the data with weights and numbers brought into the range in which sums of them can be taken, and
// brings what it holds back into the user's.
TreeParts in_range(const Data& given, const Plan& plan, const std::function<TreeParts(const Data&, const Plan&)>& make);

// The full tree, in the weights of the data whatever their size; `full` is the table that the data were drawn from.
// From ranks or bins: of the rows that are given, which may repeat.
TreeParts grow_nodes(const Data& data, const Table& full, const Plan& plan, const Engine& engine, Budget& budget,
                     std::span<const u32> rows = {}, const Start& start = {});

}  // namespace bough
