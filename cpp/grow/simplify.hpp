// Linear splits with fewer terms: a coefficient goes if some cut along what is left keeps every training row
// of the node on its side. One place for all families that make linear splits.
#pragma once

#include <algorithm>
#include <functional>

#include "base/budget.hpp"
#include "base/threshold.hpp"
#include "data/moments.hpp"
#include "tree/split.hpp"

namespace bough {

// Drops terms of a linear split, those of least weight times spread first, until none can go; what is left of
// one term is an axis split. `left(row)` tells the side of a row and stays true, unless the return value is
// true: then the two sides have changed places, because the first coefficient that is left was negative.
bool simplify(Split& split, const Table& table, const Moments& moments, std::span<const u32> rows,
              const std::function<bool(u32)>& left, Budget& budget);

// A linear split of one term becomes an axis split between the numbers of its two sides; `left(i)` tells the side of
// rows[i]. Rows without a number follow missing_left, or go where the column's center does. A split of those that have
// a number from those that have none has nothing to lie between: it stays.
template <class Left>
void to_axis(Split& split, const Table& table, const Moments& moments, std::span<const u32> rows, Left left) {
    const Column& column = table.columns[split.term_columns[0]];
    const double gap = split.gaps_at_center ? moments.centers[split.term_columns[0]] : kNaN;
    double low = -kInf, high = kInf;
    bool missing = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double x = column.value(rows[i]);
        if (is_missing(x)) x = gap, missing = true;
        if (is_missing(x)) continue;
        if (left(i))
            low = std::max(low, x);
        else
            high = std::min(high, x);
    }
    if (low == -kInf || high == kInf) return;
    split.saw_missing = missing;
    split.kind = NodeKind::axis;
    split.column = split.term_columns[0];
    split.cut = between(low, high);
    if (split.gaps_at_center) split.missing_left = gap <= split.cut;
    split.gaps_at_center = false;
    split.term_columns.clear();
    split.term_weights.clear();
}

}  // namespace bough
