// entropy_cut: the weight of a cut in the graph of categories whose edges are the information gain that two categories
// bring, times their rows. The two sides of a numeric cut are two categories.
#include "criteria/impurity.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct EntropyCut : ValueCut<FromEntropy> {
    static Info info() {
        return {
            "entropy_cut",
            "Σ over categories i left, j right of rows · information gain(i, j) / (n − 1), n categories at the node",
            "Mello Pereira 2018, §3.2.2"};
    }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return (information_gain(l, r) + information_gain(r, l)) *
               ((l.total + r.total) / 2);  // the same bits either way
    }
    static double edge(const Side& a, const Side& b) { return std::max(0.0, gain(a, b)); }
};

void register_entropy_cut(Registry& r) { r.criteria.push_back(criterion_plugin<EntropyCut>()); }

}  // namespace bough
