// hhcart_a: HHCART with all eigenvectors of each class.
#include "directions/householder.hpp"

namespace bough {

void register_hhcart_a(Registry& r) {
    r.splits.push_back(direction_plugin(
        {"hhcart_a",
         "axes of the Householder reflections that bring all eigenvectors of each class's covariance onto an axis",
         "Wickramarachchi et al. 2016", reflection_params()},
        [](const Problem&, const Params&) -> DirectionFinder {
            return [](DirectionNode& node) { find_reflections(node, true); };
        }));
}

}  // namespace bough
