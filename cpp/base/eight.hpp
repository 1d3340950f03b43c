// Eight numbers side by side, in registers of two where the compiler has them: a cache line of a row.
#pragma once

#include "base/integers.hpp"

namespace bough {

inline constexpr u32 kEight = 8;

#ifdef __GNUC__
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
#else
struct Eight {
    double p[8];

    static Eight all(double x) { return {{x, x, x, x, x, x, x, x}}; }
    static Eight at(const double* x) { return {{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]}}; }
    double operator[](u32 i) const { return p[i]; }
    void keep_least(const Eight& x) {
        for (u32 i = 0; i < 8; ++i) p[i] = x.p[i] < p[i] ? x.p[i] : p[i];
    }
    void keep_greatest(const Eight& x) {
        for (u32 i = 0; i < 8; ++i) p[i] = x.p[i] > p[i] ? x.p[i] : p[i];
    }
    void add_by(const Eight& x, const Eight& limit, double yes, double no) {
        for (u32 i = 0; i < 8; ++i) p[i] += x.p[i] <= limit.p[i] ? yes : no;
    }
};
#endif

}  // namespace bough
