// hhcart_d: HHCART with the dominant eigenvector of each class.
#include "directions/householder.hpp"

namespace bough {

void register_hhcart_d(Registry& r) {
    r.splits.push_back(direction_plugin({"hhcart_d",
                                         "axes of the Householder reflections that bring the dominant eigenvector of "
                                         "each class's covariance onto an axis",
                                         "Wickramarachchi et al. 2016", reflection_params()},
                                        [](const Problem&, const Params&) -> DirectionFinder {
                                            return [](DirectionNode& node) { find_reflections(node, false); };
                                        }));
    tell_by_moments("hhcart_d",
                    {[](const NodeMoments& m, const Params&, Budget& b) { return reflections_by_moments(m, false, b); },
                     [](u64 k, u64 d) { return (k + 1) * d; }, Scatter::each});
}

}  // namespace bough
