// The Gini gain and its fast values, shared by the criteria that are multiples of it.
#pragma once

#include <bit>

#include "criteria/impurity.hpp"
#include "score/box.hpp"
#include "score/feed.hpp"

namespace bough {

// Gini(node) − p_L·Gini(L) − p_R·Gini(R) = Σ_j (l_j·W_R − r_j·W_L)² / (W_L·W_R·W²): a sum of
// squares, so nothing cancels and a gain of zero is exactly zero for whole weights.
template <class R>
R gini_gain(const SideOf<R>& l, const SideOf<R>& r) {
    const R n = l.total + r.total;
    R sum = 0;
    for (std::size_t j = 0; j < l.size(); ++j) {
        const R d = deviation(l, r, j) / n;
        sum += d * d;
    }
    return sum / (l.total * r.total);
}

// How far l·W − n·W_L of a class can get while `moves` of its rows are among the next `size`: it is
// farthest when all or none of them come first.
inline double most_deviation(double outer, double n, double moves, double wl, double size, double total) {
    const double d = outer * total - n * wl;
    return std::max(std::fabs(d - n * (size - moves)), std::fabs(d + moves * (total - n)));
}

// The least W_L·W_R of the next `size` cuts.
inline double least_product(double wl, double size, double total) {
    const double end = wl + size;
    return std::min((wl + 1) * (total - wl - 1), end * (total - end));
}

// Σ l²/W_L + Σ r²/W_R with each sum of weights at its least; where that is 0, l²/W_L is at most l.
inline double gini_relaxed(const double* low, const double* high, const double* all, u32 k, bool counts) {
    return over_intervals(low, high, all, k, counts ? 1.0 : 0.0, [&](double from, double to, double n) {
        auto part = [](double x, double least) { return least > 0 ? x * x / least : x; };
        double sum = 0, squares = 0;
        for (u32 c = 0; c < k; ++c) {
            auto at = [&](double l) { return part(l, from) + part(all[c] - l, n - to); };
            sum += std::max(at(low[c]), at(high[c]));
            squares += all[c] * all[c];
        }
        return (sum - squares / n) / n;
    });
}

struct GiniTwo {
    static double slack(double unit) { return kClosedForm * unit; }
    double n, n1, scale;
    GiniTwo(double zeros, double ones) : n(zeros + ones), n1(ones), scale(2 / (n * n)) {}
    double operator()(double l1, double nl) const {
        const double d = l1 * n - n1 * nl;
        return scale * (d * d) / (nl * (n - nl));
    }
    // excess(l1, nl, level(floor)) >= 0 where the gain is at least `floor`, without a division.
    double level(double floor) const { return floor / scale; }
    double excess(double l1, double nl, double level) const {
        const double d = l1 * n - n1 * nl;
        return d * d - level * (nl * (n - nl));
    }
};

// Keeps Σ l_c² and Σ l_c·n_c of the outer side.
template <class Num>
struct GiniMany {
    static double slack(double unit) { return kRunning * unit + kRunningFloor; }
    static constexpr bool costly = false;
    using Word = double;
    GiniMany(const Node& node, const Sums& sums, bool) : slots(slots_for<Slot>(node)), total(node.total) {
        for (u32 c : node.present) {
            slots[c] = {sums.start_w[c], node.weights[c]};
            squares += sums.start_w[c] * sums.start_w[c];
            cross += sums.start_w[c] * node.weights[c];
            all_squares += node.weights[c] * node.weights[c];
        }
    }
    void move(u32 c, Num w) {
        Slot s = slots[c];
        squares += w * (2 * s.outer + w);
        cross += w * s.total;
        slots[c].outer = s.outer + w;
    }
    double outer(u32 c) const { return slots[c].outer; }
    void put(double& a, double& b) const {
        a = squares;
        b = cross;
    }
    double value(double a, double b, double wl) const {
        const double wr = total - wl, inner = all_squares - 2 * b + a;
        return ((a * wr + inner * wl) / (wl * wr) - all_squares / total) / total;
    }

   private:
    struct Slot {
        double outer, total;
    };
    Slot* slots;
    double total;
    double squares = 0, cross = 0, all_squares = 0;
};

// A whole number below 2^52 as a double, by operations that every vector unit has.
inline double whole(u64 x) { return std::bit_cast<double>(x | 0x4330000000000000ull) - 0x1.0p52; }

// Rows that weigh 1: whole numbers, the outer count and the class total side by side in one word.
template <>
struct GiniMany<i64> {
    static double slack(double unit) { return tolerance::gain * unit + kRunningFloor; }
    static constexpr bool costly = false;
    using Word = u64;
    GiniMany(const Node& node, const Sums& sums, bool)
        : slots(slots_for<Slot>(node)), total(node.total), fixed(-sums.start_total) {
        for (u32 c : node.present) {
            const u64 outer = static_cast<u64>(sums.start_w[c]), all = static_cast<u64>(node.counts[c]);
            slots[c] = all << 32 | outer;
            fixed += sums.start_w[c] * sums.start_w[c];
            cross += outer * all;
            all_squares += node.counts[c] * node.counts[c];
        }
    }
    void move(u32 c, i64 rows) {
        const u64 s = slots[c], h = static_cast<u64>(rows);
        before += h * static_cast<u32>(s) + h * (h - 1) / 2;
        cross += h * (s >> 32);
        slots[c] = s + h;
    }
    double outer(u32 c) const { return static_cast<u32>(slots[c]); }
    void put(u64& a, u64& b) const {
        a = before;
        b = cross;
    }
    double value(u64 a, u64 b, double wl) const {
        const double wr = total - wl, outer2 = fixed + 2 * whole(a) + wl, inner2 = all_squares - 2 * whole(b) + outer2;
        return ((outer2 * wr + inner2 * wl) / (wl * wr) - all_squares / total) / total;
    }
    // excess(a, b, wl, level(floor)) >= 0 where value(a, b, wl) >= floor, without a division.
    double level(double floor) const { return floor * total + all_squares / total; }
    double excess(u64 a, u64 b, double wl, double level) const {
        const double wr = total - wl, outer2 = fixed + 2 * whole(a) + wl, inner2 = all_squares - 2 * whole(b) + outer2;
        return outer2 * wr + inner2 * wl - level * (wl * wr);
    }

    // The largest gain of any cut while `moves[c]` more rows of each class come, in any order.
    double bound(const Node& node, const u32* moves, double wl, u32 size) const {
        double sum = 0;
        for (u32 c : node.present) {
            const double d = most_deviation(outer(c), node.counts[c], moves[c], wl, size, total);
            sum += d * d;
        }
        return sum / (least_product(wl, size, total) * total * total);
    }
    void skip(const Node& node, const u32* moves) {
        for (u32 c : node.present) {
            const u64 s = slots[c], h = moves[c], l = static_cast<u32>(s);
            before += h * l + h * (h - 1) / 2;
            cross += h * (s >> 32);
            slots[c] = s + h;
        }
    }

   private:
    using Slot = u64;
    Slot* slots;
    double total;
    double fixed;  // Σ l² at the start − weight at the start
    double all_squares = 0;
    u64 before = 0, cross = 0;  // Σ of outer counts before each move; Σ of class totals moved
};

}  // namespace bough
