// Eight numbers side by side, in registers of two: a cache line of a row.
#pragma once

#include "base/integers.hpp"

namespace bough {

inline constexpr u32 kEight = 8;

struct Eight {
    typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
    Pair p[4];

    static Eight all(double x) {
        const Pair q = {x, x};
        return {{q, q, q, q}};
    }
    static Eight at(const double* x) {
        const Pair* q = reinterpret_cast<const Pair*>(x);
        return {{q[0], q[1], q[2], q[3]}};
    }
    double operator[](u32 i) const { return p[i / 2][i % 2]; }
    void keep_least(const Eight& x) {
        for (u32 i = 0; i < 4; ++i) p[i] = x.p[i] < p[i] ? x.p[i] : p[i];
    }
    void keep_greatest(const Eight& x) {
        for (u32 i = 0; i < 4; ++i) p[i] = x.p[i] > p[i] ? x.p[i] : p[i];
    }
    // Adds `yes` where x <= limit, elsewhere `no`.
    void add_by(const Eight& x, const Eight& limit, double yes, double no) {
        const Pair y = {yes, yes}, n = {no, no};
        for (u32 i = 0; i < 4; ++i) p[i] += x.p[i] <= limit.p[i] ? y : n;
    }
};

}  // namespace bough
