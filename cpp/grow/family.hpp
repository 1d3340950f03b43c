// Families propose splits. A family is made once for a fit; what it wants to remember about an open
// node it keeps in a NodeState of its own.
#pragma once

#include "base/budget.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "data/division.hpp"
#include "data/moments.hpp"
#include "data/sample.hpp"
#include "data/whole.hpp"
#include "grow/column_draw.hpp"
#include "grow/functions.hpp"
#include "grow/registry.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "score/scorer.hpp"
#include "tree/writer.hpp"

namespace bough {

class Ranks;

// Everything that stays the same during one fit; of a branch that got shares of rows, while it grows.
struct Problem {
    const Table* table = nullptr;
    std::span<const u32> rows;     // that the tree is grown from, ascending; empty: every row once
    const Ranks* ranks = nullptr;  // of the table, where nodes look at few of its columns
    const Target* target = nullptr;
    const Data* all = nullptr;          // the rows that the whole tree grows from
    const WholeTable* whole = nullptr;  // the table that those were drawn from
    Missing missing = Missing::either;
    const Scorer* scorer = nullptr;
    LeafLimits limits;
    u64 seed = 0;
    bool every_column = true;  // may be split at every node: none is drawn, none selected
    bool standardize = false;  // distances and directions are over columns divided by their spread
    Moments moments;           // of the columns, where the plan needs them
    Functions functions;       // of the user's own
    Team* team = nullptr;
    Budget* budget = nullptr;
};

// What one worker has to itself.
struct Worker {
    Team* team;  // helpers for large nodes; a team of one inside a subtree
    DivisionMemory division;
    RawBuffer<u64> spare;  // for partitions
    ColumnDraw columns;

    Worker(Team* t, u32 n_rows) : team(t), division(n_rows) {}
};

struct NodeState {
    virtual ~NodeState() = default;
};

class Family {
   public:
    virtual ~Family() = default;

    // Does it read Node::rows?
    virtual bool needs_rows() const { return true; }
    // Its memory of the root, if it keeps any.
    virtual std::unique_ptr<NodeState> root() { return nullptr; }
    // Offers its splits of the node.
    virtual void propose(const Node& node, NodeState* state, Worker& worker, Best& best) = 0;
    // The split behind a candidate of its own.
    virtual Split resolve(const Node&, const NodeState*, const Candidate& c) const { return *c.payload.split; }
    // Bits for each unit of weight that a split of its own tells, if it knows them; selectors ask.
    virtual double bits(const Candidate&) const { return kNaN; }
    // Appends the rows of one side of a split of its own and tells which child they are; false if it
    // has no faster way than asking every row.
    virtual bool side(const Node&, const NodeState*, const Candidate&, std::vector<u32>& /*rows*/, u32& /*child*/) {
        return false;
    }
    // Hands its memory on to the children that stay open; `made` is the split, of whatever family.
    virtual void divide(const Node&, NodeState*, const Candidate& /*made*/, const Division&, Worker&,
                        std::span<std::unique_ptr<NodeState>> /*children*/) {}
    // Can it grow what is below a node by itself, if it is the only family and columns and splits are not looked at by
    // anybody else? The tree is that of the loop over nodes, only sooner.
    virtual bool grows_alone(const Node&, const NodeState*) const { return false; }
    virtual void grow_below(const Node&, NodeState*, const StopRules&, Worker&, TreeWriter&) {}

    u32 index = 0;  // among the families of this fit
};

}  // namespace bough
