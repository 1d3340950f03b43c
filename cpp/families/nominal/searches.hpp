// The searches that other searches fall back on.
#pragma once

#include "../../nominal.hpp"

namespace bough {

// Values that `exact` is willing to enumerate the partitions of.
inline constexpr u32 kMostEnumerated = 16;

// Is an ordered scan exact here, whatever the number of values?
bool ordering_is_exact(const Contingency& t, const PartitionSink& sink);

void search_exact(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_one_vs_rest(const Contingency& t, const PartitionSink& sink, Rng& rng);

}  // namespace bough
