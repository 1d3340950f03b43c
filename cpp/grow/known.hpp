// Splits that are judged by the rows that have a value: those that lack it are shared among the children, or follow a
// surrogate.
#pragma once

#include "grow/family.hpp"

namespace bough {

// The rows of a node that do not lack a value, as a node of their own; `rows` keeps them.
template <class Lacks>
Node known_part(const Node& node, const Target& target, std::vector<u32>& rows, Lacks lacks) {
    rows.clear();
    for (u32 row : node.rows)
        if (!lacks(row)) rows.push_back(row);
    Node known;
    known.depth = node.depth;
    known.path = node.path;
    known.allowed = node.allowed;
    known.rows = rows;
    if (rows.empty()) return known;
    measure(known, target, rows);
    list_present(known, target);
    return known;
}

// What a split tells of all rows of a node of this weight, by what it tells of those that have the value: their share
// of it. The bits that a shared split itself takes to tell count those that lack the value as one more branch.
inline Gain of_all(const Problem& problem, Gain gain, std::span<const double> children, double total) {
    double known = 0;
    for (double w : children) known += w;
    if (problem.missing != Missing::shared || !problem.scorer->traits().ratio) return gain * (known / total);
    auto bits = [](double part, double full) { return part > 0 ? -part / full * std::log2(part / full) : 0.0; };
    double own = 0, with_lost = bits(total - known, total);
    for (double w : children) {
        own += bits(w, known);
        with_lost += bits(w, total);
    }
    return with_lost > 0 ? gain * (own * (known / total) / with_lost) : Gain(0);
}

// Offers the winner among the splits of one column's known rows as a split of the whole node.
inline void offer_known(const Problem& problem, const Best& own, double known, double total, Best& best,
                        std::span<const double> children = {}) {
    if (own.empty()) return;
    Candidate c = own.winner();
    const double two[2] = {c.balance, known - c.balance};
    c.gain = of_all(problem, c.gain + c.price, children.empty() ? std::span<const double>(two) : children, total);
    best.offer(c);
}

}  // namespace bough
