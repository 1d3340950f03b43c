// gini: how much less likely two rows of one side are to differ than two rows of the node.
#include "criteria/gini.hpp"
#include "criteria/bulk.hpp"
#include "criteria/costs.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct Gini : FromGini {
    static constexpr Traits traits{
        .convex = true, .box_corners = true, .perfect = 1, .divergence = Divergence::squared};
    static Info info() { return {"gini", "decrease of the Gini impurity, 1 − Σ p²", "Breiman et al. 1984 (CART)"}; }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return gini_gain(l, r);
    }
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        return impurity_decrease(children, gini_impurity<R>);
    }
    static double relaxed(const double* low, const double* high, const double* all, u32 k, bool counts) {
        return gini_relaxed(low, high, all, k, counts);
    }

    static void gains(const LeftSides& s, double* out) { gini_gains(s, out); }

    template <bool>
    using Two = GiniTwo;
    template <class Num>
    using Many = GiniMany<Num>;
};

void register_gini(Registry& r) { r.criteria.push_back(criterion_plugin<Gini, CostGini>()); }

}  // namespace bough
