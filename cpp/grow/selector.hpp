// Selectors say which columns of a node may be split, or that none may.
#pragma once

#include "grow/family.hpp"

namespace bough {

// What a selector says about a node. It starts with the columns that are up for selection.
struct Selection {
    std::vector<u8> allowed;  // per column: may it be split?
    // Where none of them can be split, these groups of columns are tried in turn until one can.
    std::vector<std::vector<u32>> next;
    std::vector<double> log_p;  // per column: log of its p-value, NaN where it was not tested; empty: no tests
};

// The best split of a column, and how many bits it tells if its family knows that.
struct ColumnBest {
    Candidate best;
    double bits = kNaN;
};

class Selector {
   public:
    virtual ~Selector() = default;
    // Does it let every column pass at every node? Then it is never asked.
    virtual bool passive() const { return false; }
    // Takes columns out of `allowed`; false leaves the node alone.
    virtual bool select(const Node& node, Worker& worker, Selection& selection) = 0;
    // Of splits whose gains are equal: the first column and lowest cut, whether or not it is the most balanced one?
    virtual bool first_of_equals() const { return false; }
    // Does it choose among the best splits of the columns? Then it is asked which; null leaves the node alone.
    virtual bool compares() const { return false; }
    virtual const Candidate* choose(const Node&, std::span<const ColumnBest> /*by column*/) const { return nullptr; }
};

// ask(allowed, only, best) proposes the splits of the allowed columns, or of the only one; bits(candidate) asks its
// family. All are offered, or that which the selector chooses among the best of each column.
template <class Ask, class Bits>
void offer_choice(const Selector& selector, const Node& node, std::span<const u8> allowed, const Ask& ask,
                  const Bits& bits, Best& best) {
    if (!selector.compares()) return ask(allowed, kNone, best);
    std::vector<ColumnBest> found;
    std::vector<u8> one(allowed.size(), 0);
    for (std::size_t c = 0; c < allowed.size(); ++c) {
        if (!allowed[c]) continue;
        one[c] = 1;
        Best own = best.afresh();
        ask(std::span<const u8>(one), static_cast<u32>(c), own);
        one[c] = 0;
        if (!own.empty()) found.push_back({own.winner(), bits(own.winner())});
    }
    if (const Candidate* chosen = selector.choose(node, found)) best.enter(*chosen);
}

// Offers the splits of some columns of a node (none: of all) that the selector lets pass; where it holds columns back
// for the case that none of these can be split, they follow, if this is the `last` word on that. False: nothing of this
// node is to be split.
template <class Ask, class Bits>
bool offer_selected(Selector& selector, const Node& node, Worker& worker, std::span<const u32> columns, u32 n_columns,
                    Selection& selection, const Ask& ask, const Bits& bits, Best& best, bool last = true) {
    const bool all = columns.empty() && selector.passive();
    selection.allowed.assign(all ? 0 : n_columns, columns.empty() ? 1 : 0);
    for (u32 c : columns) selection.allowed[c] = 1;
    selection.next.clear();
    if (!selector.passive() && !selector.select(node, worker, selection)) return false;
    offer_choice(selector, node, selection.allowed, ask, bits, best);
    for (std::size_t i = 0; last && i < selection.next.size() && best.empty(); ++i) {
        std::fill(selection.allowed.begin(), selection.allowed.end(), 0);
        for (u32 c : selection.next[i]) selection.allowed[c] = 1;
        ask(selection.allowed, kNone, best);
    }
    return true;
}

// Does something for every column of a node, shared out where there is enough to do.
template <class Each>
void each_column(Team& team, const Node& node, u32 n_columns, const Each& each) {
    if (team.size() > 1 && u64{node.n_rows} * n_columns > 200000)
        team.each(n_columns, [&](std::size_t c, int) { each(static_cast<u32>(c)); });
    else
        for (u32 c = 0; c < n_columns; ++c) each(c);
}

}  // namespace bough
