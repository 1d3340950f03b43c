// Pairs of rows of different class in different children: what `squared_gini` and, for nominal
// columns, `max_cut` count.
#pragma once

#include "criteria/impurity.hpp"

namespace bough {

// Σ over i in L, j in R with different classes of w_i·w_j.
template <class R>
R pairs_apart(const SideOf<R>& l, const SideOf<R>& r) {
    R sum = 0;
    for (std::size_t j = 0; j < l.size(); ++j) sum += l.w[j] * (r.total - r.w[j]);
    return sum;
}

template <class R>
R pairs_apart(std::span<const SideOf<R>> children) {
    std::vector<R> before(children[0].size(), 0);
    R sum = 0;
    for (const auto& child : children) {
        sum += pairs_apart(SideOf<R>(std::span<const R>(before)), child);
        for (std::size_t j = 0; j < before.size(); ++j) before[j] += child.w[j];
    }
    return sum;
}

// The cut along positions, row by row: a row adds w·(others_z − z·others_w), with the weight of the classes that
// it is to be taken apart from and the sum of their positions in its class's slot.
struct CutMany {
    static double slack(double unit) { return tolerance::gain * unit; }
    static constexpr bool costly = false;
    using Word = double;
    CutMany(const Node& n, const Sums&, bool high) : node(&n), slots(slots_for<Slot>(n)), sign(high ? -1.0 : 1.0) {}
    void start(const std::vector<double>& w, const std::vector<double>& z) {
        cut = 0;
        for (u32 c : node->present) cut += sign * (w[c] * slots[c].z - z[c] * slots[c].w);
    }
    double step(u32 c, double w, double z) const { return sign * w * (slots[c].z - z * slots[c].w); }
    void move(u32 c, double w, double z) { cut += step(c, w, z); }
    void put(double& a, double& b) const {
        a = cut;
        b = 0;
    }
    double value(double a, double, double) const { return a; }

   protected:
    struct Slot {
        double w, z;
    };
    const Node* node;
    Slot* slots;
    double sign, cut = 0;
};

}  // namespace bough
