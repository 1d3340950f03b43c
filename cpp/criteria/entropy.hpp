// Fast values of the information gain, shared by `entropy` and `gain_ratio`.
#pragma once

#include "base/xlogx.hpp"
#include "criteria/impurity.hpp"
#include "score/box.hpp"
#include "score/feed.hpp"

namespace bough {

inline double entropy_term(double x, bool counts, const IntegerXLogX& f) {
    return counts ? f(static_cast<u32>(x)) : xlogx(x);
}

// n·gain = Σ_c (f(l_c) + f(r_c) − f(n_c)) − f(n_l) − f(n_r) + f(n), with f(x) = x·log2 x.

template <bool kCounts>
struct EntropyTwo {
    static double slack(double unit) { return kRunning * unit + kEntropyFloor; }
    IntegerXLogX f;
    double n0, n1, n, rest;
    EntropyTwo(double zeros, double ones) : f(kCounts ? zeros + ones : 0), n0(zeros), n1(ones), n(zeros + ones) {
        rest = whole(n) - whole(n0) - whole(n1);
    }
    double whole(double x) const { return entropy_term(x, kCounts, f); }
    // n times the gain
    double scaled(double l1, double nl) const {
        const double l0 = nl - l1;
        return whole(l1) + whole(l0) + whole(n1 - l1) + whole(n0 - l0) - whole(nl) - whole(n - nl) + rest;
    }
    double operator()(double l1, double nl) const { return scaled(l1, nl) / n; }
};

template <class Num>
struct EntropyMany {
    static double slack(double unit) { return kRunning * unit + kEntropyFloor; }
    static constexpr bool costly = false;
    using Word = double;
    EntropyMany(const Node& node, const Sums& sums, bool)
        : f(std::is_same_v<Num, i64> ? node.total : 0), slots(slots_for<Slot>(node)), total(node.total) {
        for (u32 c : node.present) {
            const double l = sums.start_w[c], r = node.weights[c] - l;
            slots[c] = {l, r, f_of(l), f_of(r)};
            inside += slots[c].fl + slots[c].fr;
            rest -= f_of(node.weights[c]);
        }
        rest += f_of(total);
    }
    void move(u32 c, Num w) {
        Slot& s = slots[c];
        s.outer += static_cast<double>(w);
        s.inner -= static_cast<double>(w);
        const double fl = f_of(s.outer), fr = f_of(s.inner);
        inside += (fl - s.fl) + (fr - s.fr);
        s.fl = fl;
        s.fr = fr;
    }
    double outer(u32 c) const { return slots[c].outer; }
    void put(double& a, double& b) const {
        a = inside;
        b = 0;
    }
    double scaled(double a, double wl) const { return a + rest - f_of(wl) - f_of(total - wl); }
    double value(double a, double, double wl) const { return scaled(a, wl) / total; }
    double split_information(double wl) const { return (f_of(total) - f_of(wl) - f_of(total - wl)) / total; }

   private:
    double f_of(double x) const { return entropy_term(x, std::is_same_v<Num, i64>, f); }
    struct Slot {
        double outer, inner, fl, fr;
    };
    IntegerXLogX f;
    Slot* slots;
    double total;
    double inside = 0, rest = 0;
};

inline double entropy_relaxed(const double* low, const double* high, const double* all, u32 k, bool counts) {
    double inside = 0, n = 0;
    for (u32 c = 0; c < k; ++c) n += all[c];
    const IntegerXLogX f(counts ? n : 0);
    for (u32 c = 0; c < k; ++c) {
        auto at = [&](double l) { return entropy_term(l, counts, f) + entropy_term(all[c] - l, counts, f); };
        inside += std::max(at(low[c]), at(high[c])) - entropy_term(all[c], counts, f);
    }
    inside += entropy_term(n, counts, f);
    return over_intervals(low, high, all, k, counts ? 1.0 : 0.0, [&](double from, double to, double total) {
        const double even = std::clamp(total / 2, from, to);  // f(x) + f(n − x) is least in the middle
        return (inside - xlogx(even) - xlogx(total - even)) / total;
    });
}

}  // namespace bough
