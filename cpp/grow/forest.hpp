// Many trees from one table, side by side.
#pragma once

#include "data/draw.hpp"
#include "grow/grow.hpp"

namespace bough {

// One tree for each seed, grown from what that seed draws of the sample. What is the same for all trees is made once;
// neither the number of threads nor the other trees change one of them. `reason`: why it grew from which store.
std::vector<Tree> grow_forest(const Data& data, const Sample& sample, const Plan& plan, const Draw& draw,
                              std::span<const u64> seeds, Budget& budget, std::string* reason = nullptr);

}  // namespace bough
