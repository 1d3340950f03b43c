// Families propose splits. A family is made once for a fit; what it wants to remember about an open
// node it keeps in a NodeState of its own.
#pragma once

#include "base/rng.hpp"
#include "data/division.hpp"
#include "grow/column_draw.hpp"
#include "grow/registry.hpp"
#include "score/problem.hpp"
#include "stores/lists.hpp"

namespace bough {

// What one worker has to itself.
struct Worker {
    Team* team;  // helpers for large nodes; a team of one inside a subtree
    DivisionMemory division;
    RawBuffer<u32> spare;  // for partitions
    ColumnDraw columns;
    std::unique_ptr<Lists> lists;  // of the small nodes that it goes on from

    Worker(Team* t, u32 n_rows) : team(t), division(n_rows) {}
};

// Calls piece(i, best) for every i < n; with `many`, the helpers share them out, and what each finds is merged.
template <class Piece>
void share_out(Worker& worker, std::size_t n, bool many, Best& best, const Piece& piece) {
    if (!many || worker.team->size() == 1) {
        for (std::size_t i = 0; i < n; ++i) piece(i, best);
        return;
    }
    std::vector<Best> found(static_cast<std::size_t>(worker.team->size()), best);
    worker.team->each(n, [&](std::size_t i, int helper) { piece(i, found[static_cast<std::size_t>(helper)]); });
    for (const Best& f : found) best.merge(f);
}

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
    // Of leaves that are more than a mean: what the root adds to the prediction, and the children of a split that was
    // resolved.
    virtual void model(Node& /*root*/) {}
    virtual void model_children(const Node&, const Candidate&, const Split&, const Division&, std::span<Node>) {}
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
    // Copies its sorted lists of a small node, to go on from; false: it has none, or they are better as they are.
    virtual bool compact(const Node&, const NodeState*, Lists& /*to*/) const { return false; }

    u32 index = 0;  // among the families of this fit
};

}  // namespace bough
