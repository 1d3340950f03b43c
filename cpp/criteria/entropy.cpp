// entropy: the information, in bits, that the side of a cut tells about the class.
#include "criteria/entropy.hpp"
#include "grow/registry.hpp"

#include "criteria/bulk.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct Entropy : FromEntropy {
    static constexpr Traits traits{
        .convex = true, .box_corners = true, .logs = true, .perfect = 1, .divergence = Divergence::kullback};
    static Info info() { return {"entropy", "information gain, in bits", "Quinlan 1986 (ID3)"}; }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return information_gain(l, r);
    }
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        return impurity_decrease(children, entropy_impurity<R>);
    }
    static double relaxed(const double* low, const double* high, const double* all, u32 k, bool counts) {
        return entropy_relaxed(low, high, all, k, counts);
    }
    static void gains(const LeftSides& s, double* out) {
        information_gains(s, out, [&](double scaled, double) { return scaled / s.total; });
    }

    template <bool kCounts>
    using Two = EntropyTwo<kCounts>;
    template <class Num>
    using Many = EntropyMany<Num>;
};

void register_entropy(Registry& r) { r.criteria.push_back(criterion_plugin<Entropy>()); }

}  // namespace bough
