// Σ w·x in an order that never changes, so that training and prediction agree to the bit: the t-th term is
// added in lane t mod 8, and the lanes in pairs. Eight lanes fill vectors of any width.
#pragma once

#include "base/integers.hpp"

namespace bough {

inline constexpr u32 kDotLanes = 8;

inline double sum_lanes(const double* l) { return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7])); }

// `value(t)` gives the number that w[t] is multiplied by.
template <class Value>
inline double dot(u32 n, const double* w, Value value) {
    typedef double Pair __attribute__((vector_size(16), aligned(8)));  // two lanes in a register
    auto product = [&](u32 t) { return *reinterpret_cast<const Pair*>(w + t) * Pair{value(t), value(t + 1)}; };
    Pair a = {}, b = {}, c = {}, d = {};
    u32 t = 0;
    for (; t + kDotLanes <= n; t += kDotLanes) {
        a += product(t);
        b += product(t + 2);
        c += product(t + 4);
        d += product(t + 6);
    }
    Pair last = {};
    if (n & 1) last[0] = w[n - 1] * value(n - 1);
    switch ((n - t) / 2) {
        case 0:
            a += last;
            break;
        case 1:
            a += product(t);
            b += last;
            break;
        case 2:
            a += product(t);
            b += product(t + 2);
            c += last;
            break;
        default:
            a += product(t);
            b += product(t + 2);
            c += product(t + 4);
            d += last;
    }
    const Pair sum = (a + c) + (b + d);
    return sum[0] + sum[1];
}
inline double dot(u32 n, const double* w, const double* x) {
    return dot(n, w, [x](u32 t) { return x[t]; });
}

}  // namespace bough
