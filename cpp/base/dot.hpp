// Σ w·x in an order that never changes, so that training and prediction agree to the bit: the t-th term is
// added in lane t mod 8, two lanes in a register, and the lanes in pairs. Eight lanes fill vectors of any width.
#pragma once

#include "base/integers.hpp"

namespace bough {

inline constexpr u32 kDotLanes = 8;

inline double sum_lanes(const double* l) { return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7])); }

// `value(t)` gives the number that w[t] is multiplied by.
template <class Value>
inline double dot(u32 n, const double* w, Value value) {
    typedef double Pair __attribute__((vector_size(16), aligned(8)));
    auto product = [&](u32 t) { return *reinterpret_cast<const Pair*>(w + t) * Pair{value(t), value(t + 1)}; };
    Pair lanes[kDotLanes / 2] = {};
    u32 t = 0;
    for (; t + kDotLanes <= n; t += kDotLanes)
        for (u32 l = 0; l < kDotLanes / 2; ++l) lanes[l] += product(t + 2 * l);
    for (u32 l = 0; t < n; ++l, t += 2) lanes[l] += t + 1 < n ? product(t) : Pair{w[t] * value(t), 0.0};
    const Pair sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    return sum[0] + sum[1];
}
inline double dot(u32 n, const double* w, const double* x) {
    return dot(n, w, [x](u32 t) { return x[t]; });
}

}  // namespace bough
