// Families propose splits. A family is made once for a fit; what it wants to remember about an open
// node it keeps in a NodeState of its own.
#pragma once

#include "base/budget.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "grow/functions.hpp"
#include "grow/registry.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "score/scorer.hpp"

namespace bough {

// Everything that stays the same during one fit.
struct Problem {
    const Table* table = nullptr;
    const Target* target = nullptr;
    const Scorer* scorer = nullptr;
    LeafLimits limits;
    u64 seed = 0;
    bool standardize = false;  // distances and directions are over columns divided by their spread
    Moments moments;           // of the columns, where the plan needs them
    Functions functions;       // of the user's own
    Team* team = nullptr;
    Budget* budget = nullptr;
};

// One bit for every row of the table.
class RowBits {
   public:
    explicit RowBits(u32 n_rows) : words_(n_rows / 32 + 2, 0) {}
    void set(u32 row) { words_[row >> 5] |= 1u << (row & 31); }
    void clear_word(u32 row) { words_[row >> 5] = 0; }
    bool get(u32 row) const { return words_[row >> 5] >> (row & 31) & 1; }
    const u32* data() const { return words_.data(); }

   private:
    std::vector<u32> words_;
};

// What one worker has to itself.
struct Workplace {
    Team* team;     // helpers for large nodes; a team of one inside a subtree
    RowBits marks;  // rows of the split node that go to its marked child
    std::vector<u32> marked_rows;
    u32 marked_child = 0;
    std::vector<u32> child_of;  // multiway: child of every row, for the rows of the split node
    RawBuffer<u64> spare;       // for partitions

    Workplace(Team* t, u32 n_rows) : team(t), marks(n_rows) {}
};

// How the rows of a node go to its children.
struct Division {
    const Split* split;
    const Candidate* from;
    u32 n_children = 2;
    u32 marked_child = 0;     // two children: where the marked rows go
    std::vector<u32> n_rows;  // per child
    std::vector<u8> open;     // per child: will it be split further?
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
    virtual void propose(const Node& node, NodeState* state, Workplace& place, Best& best) = 0;
    // The split behind a candidate of its own.
    virtual Split resolve(const Node&, const NodeState*, const Candidate& c) const { return *c.split; }
    // Appends the rows of one side of a split of its own and tells which child they are; false if it
    // has no faster way than asking every row.
    virtual bool side(const Node&, const NodeState*, const Candidate&, std::vector<u32>& /*rows*/, u32& /*child*/) {
        return false;
    }
    // Hands its memory on to the children that stay open.
    virtual void divide(const Node&, NodeState*, const Division&, Workplace&,
                        std::span<std::unique_ptr<NodeState>> /*children*/) {}

    u32 index = 0;  // among the families of this fit
};

}  // namespace bough
