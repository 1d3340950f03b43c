// The ways of rows that lack the value a node asks for.
#include "grow/registry.hpp"

namespace bough {

void register_missing(Registry& r) {
    r.missing.push_back(
        {{"either", "to the side where they help most; in a nominal column, missing is a category", "common"},
         Missing::either});
    r.missing.push_back(
        {{"shared", "to every child, with that child's share of the weight, in training and in prediction",
          "Quinlan 1993 (C4.5)"},
         Missing::shared});
    r.missing.push_back({{"surrogate", "where up to five splits on other columns send them, then to the heavier side",
                          "Breiman et al. 1984 (CART)"},
                         Missing::surrogate});
}

}  // namespace bough
