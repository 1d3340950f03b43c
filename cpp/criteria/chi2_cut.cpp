// chi2_cut: the weight of a cut in the graph of values whose edges are the χ² of two values each. The
// two sides of a numeric cut are two values (a binary attribute).
#include "criteria/pearson.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct Chi2Cut : ValueCut<FromGini> {
    static Info info() {
        return {"chi2_cut", "Σ over categories i left, j right of χ²(i, j) / (n − 1), n categories at the node",
                "Mello Pereira 2018, §3.2.2"};
    }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return chi2_of(l, r);
    }
    static double edge(const Side& a, const Side& b) { return chi2_edge(a, b); }

    template <bool>
    using Two = Chi2Two;
    template <class Num>
    using Many = Chi2Many<Num>;
};

void register_chi2_cut(Registry& r) { r.criteria.push_back(criterion_plugin<Chi2Cut>()); }

}  // namespace bough
