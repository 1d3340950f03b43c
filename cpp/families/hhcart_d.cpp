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
}

}  // namespace bough
