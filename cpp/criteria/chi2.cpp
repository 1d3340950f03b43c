// chi2: Pearson's statistic of children against classes.
#include "criteria/pearson.hpp"
#include "grow/registry.hpp"

#include "criteria/bulk.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct Chi2 : FromGini {
    static constexpr Traits traits{.convex = true, .box_corners = true, .degree = 1};
    static Info info() { return {"chi2", "Pearson's χ² of children and classes", "Mingers 1987"}; }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return chi2_of(l, r);
    }
    // Each child against all the others: child i adds (1 − p_i) times that.
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        const std::vector<R> all = joined(children);
        const SideOf<R> node{std::span<const R>(all)};
        R sum = 0;
        std::vector<R> rest(all.size());
        for (const auto& child : children) {
            if (!(child.total > 0)) continue;
            for (std::size_t j = 0; j < all.size(); ++j) rest[j] = all[j] - child.w[j];
            const SideOf<R> others{std::span<const R>(rest)};
            if (others.total > 0) sum += chi2_of(child, others) * (others.total / node.total);
        }
        return sum;
    }
    static Gain unit(const Node& node) { return node.total; }
    static void gains(const LeftSides& s, double* out) { chi2_gains(s, out); }

    template <bool>
    using Two = Chi2Two;
    template <class Num>
    using Many = Chi2Many<Num>;
};

void register_chi2(Registry& r) { r.criteria.push_back(criterion_plugin<Chi2>()); }

}  // namespace bough
