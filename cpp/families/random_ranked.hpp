// random where nodes look at few columns of many, in forests: see random_ranked.cpp.
#pragma once

#include "stores/ranks.hpp"

namespace bough {

// `tries` columns of those that are drawn count, 0: all.
std::unique_ptr<RankSearch> make_random_rank_search(const Problem& problem, u32 tries);

}  // namespace bough
