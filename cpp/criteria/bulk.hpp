// Gains of many partitions of one node at once (Scorer::gains): plain loops over the classes in four
// lanes, which every vector unit can run.
#pragma once

#include "base/per_thread.hpp"
#include "base/xlogx.hpp"
#include "score/scorer.hpp"

namespace bough {

// Four running sums.
struct Lanes {
    double at[4] = {0, 0, 0, 0};
    double sum() const { return (at[0] + at[1]) + (at[2] + at[3]); }
};

// Calls each(left, W_L, i) for every partition.
template <class Each>
void each_left(const LeftSides& s, Each each) {
    for (u32 i = 0; i < s.count; ++i) {
        const double* l = s.left + std::size_t{i} * s.stride;
        Lanes w;
        for (u32 c = 0; c < s.stride; c += 4)
            for (u32 j = 0; j < 4; ++j) w.at[j] += l[c + j];
        each(l, w.sum(), i);
    }
}

// Σ l_c² and Σ l_c·n_c are enough for the Gini gain.
inline void gini_gains(const LeftSides& s, double* out) {
    Lanes squares;
    for (u32 c = 0; c < s.stride; c += 4)
        for (u32 j = 0; j < 4; ++j) squares.at[j] += s.all[c + j] * s.all[c + j];
    const double all = squares.sum(), rest = all / s.total;
    for (u32 i = 0; i < s.count; ++i) {
        const double* l = s.left + std::size_t{i} * s.stride;
        Lanes w, q, x;
        for (u32 c = 0; c < s.stride; c += 4)
            for (u32 j = 0; j < 4; ++j) {
                w.at[j] += l[c + j];
                q.at[j] += l[c + j] * l[c + j];
                x.at[j] += l[c + j] * s.all[c + j];
            }
        const double wl = w.sum(), wr = s.total - wl, outer = q.sum(), inner = all - 2 * x.sum() + outer;
        out[i] = ((outer * wr + inner * wl) / (wl * wr) - rest) / s.total;
    }
}

// Σ l_c·r_c is enough for the pairs of different class that are taken apart.
inline void pair_gains(const LeftSides& s, double scale, double* out) {
    for (u32 i = 0; i < s.count; ++i) {
        const double* l = s.left + std::size_t{i} * s.stride;
        Lanes w, alike;
        for (u32 c = 0; c < s.stride; c += 4)
            for (u32 j = 0; j < 4; ++j) {
                w.at[j] += l[c + j];
                alike.at[j] += l[c + j] * (s.all[c + j] - l[c + j]);
            }
        out[i] = scale * (w.sum() * (s.total - w.sum()) - alike.sum());
    }
}

inline void twoing_gains(const LeftSides& s, double* out) {
    each_left(s, [&](const double* l, double wl, u32 i) {
        Lanes apart;
        for (u32 c = 0; c < s.stride; c += 4)
            for (u32 j = 0; j < 4; ++j) apart.at[j] += std::fabs(l[c + j] * s.total - s.all[c + j] * wl);
        const double sum = apart.sum() / s.total;
        out[i] = sum * sum / (4 * wl * (s.total - wl));
    });
}

// Σ l_c²/n_c is enough for Pearson's χ² of the two sides.
inline void chi2_gains(const LeftSides& s, double* out) {
    auto& inverse = per_thread<std::vector<double>, struct InverseHere>();
    inverse.assign(s.stride, 0.0);
    for (u32 c = 0; c < s.n_classes; ++c) inverse[c] = s.all[c] > 0 ? 1 / s.all[c] : 0.0;
    each_left(s, [&](const double* l, double wl, u32 i) {
        Lanes q;
        for (u32 c = 0; c < s.stride; c += 4)
            for (u32 j = 0; j < 4; ++j) q.at[j] += l[c + j] * l[c + j] * inverse[c + j];
        const double wr = s.total - wl, outer = q.sum(), inner = s.total - 2 * wl + outer;
        out[i] = s.total * (outer / wl + inner / wr - 1);
    });
}

// W·(information gain) = Σ_c (f(l_c) + f(r_c) − f(n_c)) − f(W_L) − f(W_R) + f(W), f(x) = x·log2 x.
// `make` turns it and the weights of the two sides into the gain.
template <class Make>
void information_gains(const LeftSides& s, double* out, Make make) {
    const IntegerXLogX table(s.integral ? s.total : 0);
    auto run = [&](auto f) {
        double rest = f(s.total);
        for (u32 c = 0; c < s.n_classes; ++c) rest -= f(s.all[c]);
        each_left(s, [&](const double* l, double wl, u32 i) {
            double a = 0, b = 0;
            for (u32 c = 0; c < s.n_classes; ++c) {
                a += f(l[c]);
                b += f(s.all[c] - l[c]);
            }
            const double wr = s.total - wl, sides = f(wl) + f(wr);
            out[i] = make(a + b - sides + rest, f(s.total) - sides);
        });
    };
    if (s.integral && table.covers(s.total))
        run([&](double x) { return table.at(static_cast<u32>(x)); });
    else
        run([](double x) { return xlogx(x); });
}

}  // namespace bough
