// The two impurities of class shares that most criteria are built on.
#pragma once

#include "score/criterion.hpp"
#include "score/scorer.hpp"

namespace bough {

// 1 − Σ p², as the chance that two rows differ: no digits are lost when one class is nearly all.
template <class R>
R gini_impurity(const SideOf<R>& s) {
    if (!(s.total > 0)) return 0;
    R sum = 0;
    for (R w : s.w) sum += (w / s.total) * ((s.total - w) / s.total);
    return sum;
}

// −Σ p·log2 p.
template <class R>
R entropy_impurity(const SideOf<R>& s) {
    if (!(s.total > 0)) return 0;
    R sum = 0;
    for (R w : s.w)
        if (const R p = w / s.total; p > 0) sum -= p * std::log2(p);
    return sum;
}

// Entropy(node) − Σ share·Entropy(child), as the mutual information of child and class.
template <class R>
R information_gain(const SideOf<R>& l, const SideOf<R>& r) {
    const R n = l.total + r.total;
    // w·ln(1 + x), where 1 + x is the ratio of two shares; near 0 by x, elsewhere by the ratio
    const auto term = [n](R w, R x, R side, R nj) {
        return w * (x > R(-0.5) ? std::log1p(x) : std::log(w / side * (n / nj)));
    };
    R sum = 0;
    for (std::size_t j = 0; j < l.size(); ++j) {
        const R d = deviation(l, r, j), nj = l.w[j] + r.w[j];
        if (l.w[j] > 0) sum += term(l.w[j], d / (l.total * nj), l.total, nj);
        if (r.w[j] > 0) sum += term(r.w[j], -d / (r.total * nj), r.total, nj);
    }
    return sum / (n * static_cast<R>(0.693147180559945309417232121458176568L));
}

// The class weights of a node as one side, wide enough for any weights.
class BothSides {
   public:
    explicit BothSides(const Node& node) : weights_(node.present_weights.begin(), node.present_weights.end()) {}
    SideOf<Gain> side() const { return SideOf<Gain>(weights_); }

   private:
    std::vector<Gain> weights_;
};

// A criterion whose leaves are as impure as one of these says; gains are measured by that of the node, unless it says
// otherwise.
struct FromGini {
    template <class R>
    static R impurity(const SideOf<R>& s) {
        return gini_impurity(s);
    }
    static Gain unit(const Node& node) { return gini_impurity(BothSides(node).side()); }
};
struct FromEntropy {
    template <class R>
    static R impurity(const SideOf<R>& s) {
        return entropy_impurity(s);
    }
    static Gain unit(const Node& node) { return entropy_impurity(BothSides(node).side()); }
};
// ... that weighs a cut in the graph of all pairs of categories by the mean of its edges for each category. The two
// sides of a numeric cut are two categories.
template <class Impurity>
struct ValueCut : Impurity {
    static constexpr Traits traits{.multiway = false, .box_corners = true, .graph = true, .sums = false, .degree = 1};
    static Gain unit(const Node& node) { return node.total; }
    static double edge_scale(const ValueRows& t) { return 1.0 / (t.n_values - 1); }
};

// Children joined into one side.
template <class R>
std::vector<R> joined(std::span<const SideOf<R>> children) {
    std::vector<R> sum(children[0].size(), 0);
    for (const auto& child : children)
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += child.w[j];
    return sum;
}

// impurity(node) − Σ share·impurity(child) over any number of children.
template <class R, class Impurity>
R impurity_decrease(std::span<const SideOf<R>> children, Impurity impurity) {
    const std::vector<R> all = joined(children);
    const SideOf<R> node{std::span<const R>(all)};
    R value = impurity(node);
    for (const auto& child : children) value -= child.total / node.total * impurity(child);
    return value;
}

}  // namespace bough
