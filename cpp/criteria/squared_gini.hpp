// Pairs of rows of different class in different children: what `squared_gini` and, for nominal
// columns, `max_cut` count.
#pragma once

#include "criteria/impurity.hpp"

namespace bough {

// Σ over i in L, j in R with different classes of w_i·w_j.
template <class R>
R pairs_apart(const SideOf<R>& l, const SideOf<R>& r) {
    R sum = 0;
    for (std::size_t j = 0; j < l.size(); ++j) sum += l.w[j] * (r.total - r.w[j]);
    return sum;
}

template <class R>
R pairs_apart(std::span<const SideOf<R>> children) {
    std::vector<R> before(children[0].size(), 0);
    R sum = 0;
    for (const auto& child : children) {
        sum += pairs_apart(SideOf<R>(std::span<const R>(before)), child);
        for (std::size_t j = 0; j < before.size(); ++j) before[j] += child.w[j];
    }
    return sum;
}

}  // namespace bough
