// gain_ratio: information gain for each bit that the split itself takes to tell.
#include "criteria/bulk.hpp"
#include "criteria/entropy.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct GainRatio : FromEntropy {
    // A convex gain over a concave positive split information is quasi-convex: corners still bound it.
    static constexpr Traits traits{.convex = true, .box_corners = true, .perfect = 1, .ratio = true};
    static Info info() { return {"gain_ratio", "information gain / split information", "Quinlan 1993 (C4.5)"}; }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        const R sizes[2] = {l.total, r.total};
        const R own = entropy_impurity(SideOf<R>(std::span<const R>(sizes)));
        return own > 0 ? information_gain(l, r) / own : static_cast<R>(-kInf);
    }
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        std::vector<R> sizes;
        for (const auto& c : children) sizes.push_back(c.total);
        const R own = entropy_impurity(SideOf<R>(std::span<const R>(sizes)));
        return own > 0 ? impurity_decrease(children, entropy_impurity<R>) / own : static_cast<R>(-kInf);
    }
    static Gain unit(const Node&) { return 1; }  // a ratio
    static void gains(const LeftSides& s, double* out) {
        information_gains(s, out, [](double scaled, double own) { return own > 0 ? scaled / own : -kInf; });
    }

    template <bool kCounts>
    struct Two : EntropyTwo<kCounts> {
        using Base = EntropyTwo<kCounts>;
        static double slack(double) { return kRatioClosed; }
        using Base::Base;
        double operator()(double l1, double nl) const {
            const double own = this->whole(this->n) - this->whole(nl) - this->whole(this->n - nl);
            return own > 0 ? this->scaled(l1, nl) / own : kInf;  // an empty side bounds nothing
        }
    };
    template <class Num>
    struct Many : EntropyMany<Num> {
        static double slack(double) { return kRatioRunning; }
        using EntropyMany<Num>::EntropyMany;
        double value(double a, double b, double wl) const {
            const double own = this->split_information(wl);
            return own > 0 ? EntropyMany<Num>::value(a, b, wl) / own : kInf;
        }
    };
};

void register_gain_ratio(Registry& r) { r.criteria.push_back(criterion_plugin<GainRatio>()); }

}  // namespace bough
