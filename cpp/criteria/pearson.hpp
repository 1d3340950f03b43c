// Pearson's χ² of children and classes, shared by `chi2` and `chi2_cut`.
#pragma once

#include "criteria/impurity.hpp"
#include "score/feed.hpp"

namespace bough {

// Σ_j (l_j·W_R − r_j·W_L)² / (n_j·W_L·W_R): a sum of squares, so nothing cancels.
template <class R>
R chi2_of(const SideOf<R>& l, const SideOf<R>& r) {
    R sum = 0;
    for (std::size_t j = 0; j < l.size(); ++j) {
        const R n = l.w[j] + r.w[j], d = deviation(l, r, j);
        if (n > 0) sum += d * (d / n);
    }
    return sum / (l.total * r.total);
}

// The same of two rows of a table, in four lanes that every vector unit can divide together.
inline double chi2_edge(const Side& a, const Side& b) {
    double lanes[4] = {0, 0, 0, 0};
    const double *x = a.w.data(), *y = b.w.data();
    const double wa = a.total, wb = b.total;
    const std::size_t k = a.size();
    auto term = [=](std::size_t j) {
        const double d = x[j] * wb - y[j] * wa;
        return d * d / std::max(x[j] + y[j], std::numeric_limits<double>::min());
    };
    std::size_t j = 0;
    for (; j + 4 <= k; j += 4)
        for (std::size_t l = 0; l < 4; ++l) lanes[l] += term(j + l);
    for (; j < k; ++j) lanes[0] += term(j);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) / (a.total * b.total);
}

// Keeps Σ l_c²/n_c of the outer side.
template <class Num>
struct Chi2Many {
    static double slack(double unit) { return kRunning * unit; }
    static constexpr bool costly = false;
    using Word = double;
    Chi2Many(const Node& node, const Sums& sums, bool) : slots(slots_for<Slot>(node)), total(node.total) {
        for (u32 c : node.present) {
            slots[c] = {sums.start_w[c], 1 / node.weights[c]};
            squares += sums.start_w[c] * sums.start_w[c] / node.weights[c];
        }
    }
    void move(u32 c, Num weight) {
        const double w = static_cast<double>(weight);
        Slot& s = slots[c];
        squares += w * (2 * s.outer + w) * s.inverse;
        s.outer += w;
    }
    double outer(u32 c) const { return slots[c].outer; }
    void put(double& a, double& b) const {
        a = squares;
        b = 0;
    }
    double value(double a, double, double wl) const {
        const double wr = total - wl;
        return total * (a / wl + (total - 2 * wl + a) / wr - 1);
    }

   private:
    struct Slot {
        double outer, inverse;
    };
    Slot* slots;
    double total;
    double squares = 0;
};

// Two classes: d²·n / (n_0·n_1·n_l·n_r) with d = l_1·n − n_1·n_l.
struct Chi2Two {
    static double slack(double unit) { return kClosedForm * unit; }
    double n, n1, scale;
    Chi2Two(double zeros, double ones) : n(zeros + ones), n1(ones), scale(n / (zeros * ones)) {}
    double operator()(double l1, double nl) const {
        const double d = l1 * n - n1 * nl;
        return scale * (d * d) / (nl * (n - nl));
    }
};

}  // namespace bough
