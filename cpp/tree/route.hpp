// Where a row goes at a split: the one rule, for growing, pruning and prediction. Prediction by axis and linear splits
// alone has steps of its own, made from the same view of a split (tree/predict.cpp).
#pragma once

#include <algorithm>

#include "base/dot.hpp"
#include "data/table.hpp"
#include "tree/split.hpp"

namespace bough {

// Where a row is along an axis or a linear split: NaN if a value is missing.
inline double position(const SplitView& s, std::span<const Column> columns, u64 row) {
    if (s.kind == NodeKind::axis) return columns[s.column].value(row);
    return dot(static_cast<u32>(s.term_columns.size()), s.term_weights.data(), [&](u32 t) {
        const u32 c = s.term_columns[t];
        if (!s.term_values.empty() && s.term_values[t] != kNone)
            return columns[c].codes[row] == static_cast<i32>(s.term_values[t]) ? 1.0 : 0.0;
        const double v = columns[c].value(row) - (s.centers.empty() ? 0.0 : s.centers[c]);
        return s.gaps_at_center && is_missing(v) ? 0.0 : v;
    });
}

// The child that answers to the row's value; kNone if it has none, or one that was not at the node.
inline u32 answer(const SplitView& s, std::span<const Column> columns, u64 row) {
    if (s.kind == NodeKind::axis || s.kind == NodeKind::linear) {
        const double x = position(s, columns, row);
        return is_missing(x) ? kNone : (x <= s.cut ? 0u : 1u);
    }
    const u32 code = static_cast<u32>(columns[s.column].codes[row]);
    u32 place = code;  // where all values are there
    if (!(code < s.values.size() && s.values[code] == code)) {
        const auto found = std::lower_bound(s.values.begin(), s.values.end(), code);
        if (found == s.values.end() || *found != code) return kNone;
        place = static_cast<u32>(found - s.values.begin());
    }
    return s.kind == NodeKind::multiway ? place : (s.goes_left[place] ? 0u : 1u);
}

// The side that a surrogate sends a row to; kNone if its value is missing, too.
inline u32 answer(const Surrogate& s, std::span<const Column> columns, u64 row) {
    if (s.values.empty()) {
        const double x = columns[s.column].value(row);
        return is_missing(x) ? kNone : ((x <= s.cut) == s.low_left ? 0u : 1u);
    }
    const u32 code = static_cast<u32>(columns[s.column].codes[row]);
    const auto found = std::lower_bound(s.values.begin(), s.values.end(), code);
    if (found == s.values.end() || *found != code) return kNone;
    return s.goes_left[static_cast<std::size_t>(found - s.values.begin())] ? 0 : 1;
}

// The child that the row goes to; kStopHere if it ends at the node. Where rows are shared, only those that answer go to
// one child.
inline u32 route(const SplitView& s, std::span<const Column> columns, u64 row) {
    u32 child = answer(s, columns, row);
    for (std::size_t i = 0; i < s.surrogates.size() && child == kNone; ++i)
        child = answer(s.surrogates[i], columns, row);
    return child != kNone ? child : s.without;
}

}  // namespace bough
