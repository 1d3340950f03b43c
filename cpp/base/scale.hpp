// Powers of two that bring numbers near 1, exactly, where their squares would be no numbers any more.
#pragma once

#include "base/integers.hpp"

namespace bough {

inline double largest_of(std::span<const double> x) {
    double most = 0;
    for (const double v : x) most = std::fabs(v) > most ? std::fabs(v) : most;
    return most;
}

// The e with 2^e <= the largest number < 2^(e+1), where even squares of squares would over- or underflow; else 0.
inline int wild_exponent(std::span<const double> x) {
    const double most = largest_of(x);
    const bool tame = !(most > 0) || !std::isfinite(most) || (most > 0x1p-200 && most < 0x1p200);
    return tame ? 0 : std::ilogb(most);
}

// Brings such numbers near 1; others stay as they are.
inline void tame(std::span<double> x) {
    if (const int exponent = wild_exponent(x))
        for (double& v : x) v = std::ldexp(v, -exponent);
}

// √(Σ w·x² / Σ w) for numbers of any size.
inline double root_mean_square(std::span<const double> x, std::span<const double> w) {
    const int exponent = wild_exponent(x);
    double weight = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = exponent ? std::ldexp(x[i], -exponent) : x[i];
        weight += w[i];
        squares += w[i] * v * v;
    }
    const double root = std::sqrt(squares / weight);
    return exponent ? std::ldexp(root, exponent) : root;
}

}  // namespace bough
