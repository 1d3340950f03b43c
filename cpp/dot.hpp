// Σ w·x in an order that never changes, so that training and prediction agree to the bit: the t-th term is
// added in lane t mod 8, and the lanes in pairs. Eight lanes fill vectors of any width.
#pragma once

#include "base.hpp"

namespace bough {

inline constexpr u32 kDotLanes = 8;

inline double sum_lanes(const double* l) { return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7])); }

// `value(t)` gives the number that w[t] is multiplied by.
template <class Value>
inline double dot(u32 n, const double* w, Value value) {
    double lanes[kDotLanes] = {};
    u32 t = 0;
    for (; t + kDotLanes <= n; t += kDotLanes)
        for (u32 l = 0; l < kDotLanes; ++l) lanes[l] += w[t + l] * value(t + l);
    for (u32 l = 0; t < n; ++t, ++l) lanes[l] += w[t] * value(t);
    return sum_lanes(lanes);
}

inline double dot(u32 n, const double* w, const double* x) {
    return dot(n, w, [x](u32 t) { return x[t]; });
}

}  // namespace bough
