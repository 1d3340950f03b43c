// gini_cut: the weight of a cut in the graph of categories whose edges are the decrease of Gini that two categories
// bring, times their rows. The two sides of a numeric cut are two categories.
#include "criteria/gini.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct GiniCut : ValueCut<FromGini> {
    static Info info() {
        return {"gini_cut",
                "Σ over categories i left, j right of rows · Gini gain(i, j) / (n − 1), n categories at the node",
                "Mello Pereira 2018, §3.2.2"};
    }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return gini_gain(l, r) * (l.total + r.total);
    }
    static double edge(const Side& a, const Side& b) { return gain(a, b); }
};

void register_gini_cut(Registry& r) { r.criteria.push_back(criterion_plugin<GiniCut>()); }

}  // namespace bough
