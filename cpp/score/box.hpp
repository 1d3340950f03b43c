// Gains of many partitions of one node, quickly, and the largest gain while the class weights of one
// side stay in a box: what searches that bound and branch ask for. Quick values may be off by rounding;
// the plain gain decides in the end.
#pragma once

#include <algorithm>

#include "base/per_thread.hpp"
#include "score/criterion.hpp"
#include "score/scorer.hpp"

namespace bough {

// The gain of a side against the rest of the node; −inf if one of them is empty.
template <class C>
double gain_of_side(const double* side, const double* all, u32 k, bool counts) {
    double in = 0, out = 0;
    for (u32 c = 0; c < k; ++c) in += side[c], out += all[c] - side[c];
    if (!(in > 0) || !(out > 0)) return -kInf;
    if (k == 2) {
        if (counts) return TwoClasses<C, true>(all[0], all[1])(side[1], in);
        return TwoClasses<C, false>(all[0], all[1])(side[1], in);
    }
    if constexpr (C::traits.logs) {
        const u32 stride = (k + 3) / 4 * 4;
        auto& padded = per_thread<std::vector<double>, struct PaddedHere>();
        padded.assign(2 * stride, 0.0);
        std::copy_n(side, k, padded.data());
        std::copy_n(all, k, padded.data() + stride);
        double gain;
        C::gains({1, k, stride, padded.data(), padded.data() + stride, in + out, counts}, &gain);
        return gain;
    }
    auto& rest = per_thread<std::vector<double>, struct RestHere>();
    rest.resize(k);
    for (u32 c = 0; c < k; ++c) rest[c] = all[c] - side[c];
    return C::gain(Side(std::span<const double>(side, k)), Side(rest));
}

// An upper bound of the gain over low <= side <= high, for criteria whose maximum is at a corner.
template <class C>
double gain_over_box(const double* low, const double* high, const double* all, u32 k, bool counts) {
    constexpr u32 kMostCorners = 4, kMostPlain = 12;
    if (k == 2 && C::traits.convex) {  // away from the diagonal of equal shares is better: two corners are enough
        const double a[2] = {low[0], high[1]}, b[2] = {high[0], low[1]};
        return std::max(gain_of_side<C>(a, all, 2, counts), gain_of_side<C>(b, all, 2, counts));
    }
    constexpr bool kRelaxed = requires { C::relaxed(low, high, all, k, counts); };
    if (k > (kRelaxed ? kMostCorners : kMostPlain)) {
        if constexpr (kRelaxed) return C::relaxed(low, high, all, k, counts);
        return kInf;
    }
    double most = -kInf, corner[kMostPlain] = {};
    for (u32 s = 0; s < 1u << k; ++s) {
        for (u32 c = 0; c < k; ++c) corner[c] = s >> c & 1 ? high[c] : low[c];
        most = std::max(most, gain_of_side<C>(corner, all, k, counts));
    }
    return most;
}

// For bounds with many classes: cuts the possible weights of the side into intervals; inside one,
// every class takes its better end by itself.
template <class Term>
double over_intervals(const double* low, const double* high, const double* all, u32 k, double least, Term term) {
    constexpr int kIntervals = 8;
    double a = 0, b = 0, n = 0;
    for (u32 c = 0; c < k; ++c) a += low[c], b += high[c], n += all[c];
    a = std::max(a, least);
    b = std::min(b, n - least);
    if (b < a) return -kInf;
    double most = -kInf;
    for (int i = 0; i < kIntervals; ++i) {
        const double from = a + (b - a) * i / kIntervals, to = a + (b - a) * (i + 1) / kIntervals;
        most = std::max(most, term(from, to, n));
        if (!(b > a)) break;
    }
    return most;
}

}  // namespace bough
