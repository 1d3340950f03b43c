// axis for nodes that look at few columns of many: see axis_ranked.cpp.
#pragma once

#include "grow/family.hpp"

namespace bough {

std::unique_ptr<RankSearch> make_axis_rank_search(const Problem& problem);
// Beside other families, which look at rows.
std::unique_ptr<Family> make_ranked_axis(const Problem& problem);

}  // namespace bough
