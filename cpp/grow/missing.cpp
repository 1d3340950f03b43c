// The ways of rows that lack the value a node asks for.
#include "grow/registry.hpp"

namespace bough {

void register_missing(Registry& r) {
    r.missing.push_back({{"either", "to the side where they help most; a missing nominal value is a value", "common"},
                         Missing::either});
    r.missing.push_back(
        {{"shared", "to every child with their share, in training and in prediction", "Quinlan 1993 (C4.5)"},
         Missing::shared});
    r.missing.push_back({{"surrogate", "where up to five splits of other columns send them, then to the heavier side",
                          "Breiman et al. 1984 (CART)"},
                         Missing::surrogate});
}

}  // namespace bough
