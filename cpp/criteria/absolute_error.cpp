// absolute_error: decrease of the mean absolute error about the median.
#include "criteria/ordered.hpp"

namespace bough {

struct AbsoluteError : OrderedLoss {
    static Info info() {
        return {"absolute_error", "decrease of the mean absolute error; leaves predict the median",
                "Breiman et al. 1984 (CART)"};
    }
    static LeafRule leaf(const Params&) { return {.below = 1, .above = 1, .middle = true}; }
};

void register_absolute_error(Registry& r) { r.criteria.push_back(criterion_plugin<AbsoluteError>()); }

}  // namespace bough
