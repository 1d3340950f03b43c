// What one side of a cut knows: per class present at the node its weight and, where a criterion
// looks at positions, the weighted sum of the projection. A regression target has one "class",
// and its projection is the target itself.
#pragma once

#include "base/integers.hpp"

namespace bough {

template <class R>
struct SideOf {
    std::span<const R> w;
    std::span<const R> z;          // empty: positions play no part, two different values are 1 apart
    std::span<const u32> classes;  // which class of the table each weight is of; empty: all, in order
    R total = 0;
    R z_total = 0;
    R origin = 0;            // of a numeric target: what positions are counted from
    R loss = 0, before = 0;  // by order: what its rows lose by its prediction, and all rows by that of the node

    SideOf() = default;
    SideOf(std::span<const R> weights, std::span<const R> sums = {}) : w(weights), z(sums) {
        for (R x : w) total += x;
        for (R x : z) z_total += x;
    }
    static SideOf known(std::span<const R> weights, R total) {
        SideOf s;
        s.w = weights;
        s.total = total;
        return s;
    }
    // The same, knowing whose weights these are.
    SideOf of(std::span<const u32> ids) const {
        SideOf s = *this;
        s.classes = ids;
        return s;
    }
    // ... and, of a numeric target, that sums are of distances from a number.
    SideOf about(R number) const {
        SideOf s = *this;
        s.origin = number;
        return s;
    }
    // ... and, of one whose order counts, what it predicts and loses, and what its node loses before.
    SideOf losing(R prediction, R own, R of_node) const {
        SideOf s = about(prediction);
        s.loss = own;
        s.before = of_node;
        return s;
    }
    u32 id(std::size_t i) const { return classes.empty() ? static_cast<u32>(i) : classes[i]; }
    std::size_t size() const { return w.size(); }
};

using Side = SideOf<double>;

// A side in long double, for weights that double arithmetic would lose.
class WideSide {
   public:
    explicit WideSide(const Side& s)
        : w_(s.w.begin(), s.w.end()),
          z_(s.z.begin(), s.z.end()),
          classes_(s.classes),
          origin_(s.origin),
          loss_(s.loss),
          before_(s.before) {}
    SideOf<long double> side() const {
        return SideOf<long double>(w_, z_).of(classes_).losing(origin_, loss_, before_);
    }

   private:
    std::vector<long double> w_, z_;
    std::span<const u32> classes_;
    double origin_, loss_, before_;
};

// l_j·W_R − r_j·W_L: how far class j is from being split like the whole node. Long double means
// weights of wildly different size; there the common term l_j·r_j must not enter at all.
template <class R>
R deviation(const SideOf<R>& l, const SideOf<R>& r, std::size_t j) {
    if constexpr (std::is_same_v<R, long double>) {
        R sum = 0;
        for (std::size_t i = 0; i < l.size(); ++i)
            if (i != j) sum += l.w[j] * r.w[i] - r.w[j] * l.w[i];
        return sum;
    } else {
        return l.w[j] * r.total - r.w[j] * l.total;
    }
}

}  // namespace bough
