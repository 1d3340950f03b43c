// A tree from its splits: rows go down it once, and it is written as if it had grown.
#pragma once

#include "data/moments.hpp"
#include "grow/refiner.hpp"

namespace bough {

// `splits` are the nodes of a binary tree in preorder, a leaf's kind being leaf. Of a nominal column a split tells the
// side of the values that it lists; `other` is that of all others of the node. Splits that leave a side empty are left
// out. `moments` are those of the columns, about whose centers linear splits are.
TreeParts rebuild(const Refining& how, std::span<const Split> splits, const Moments& moments);

}  // namespace bough
