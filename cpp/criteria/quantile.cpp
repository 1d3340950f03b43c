// quantile: decrease of the mean pinball loss about a quantile.
#include "criteria/ordered.hpp"

namespace bough {

struct Quantile : OrderedLoss {
    static Info info() {
        return {"quantile",
                "decrease of the mean pinball loss; leaves predict the quantile alpha",
                "Koenker & Bassett 1978; Chaudhuri & Loh 2002",
                {{"alpha", "the quantile: share of the weight at or below a leaf's prediction", Param::Type::real, 0.5,
                  1e-6, 1 - 1e-6}}};
    }
    static LeafRule leaf(const Params& p) { return {.below = 1 - p.get("alpha"), .above = p.get("alpha")}; }
};

void register_quantile(Registry& r) { r.criteria.push_back(criterion_plugin<Quantile>()); }

}  // namespace bough
