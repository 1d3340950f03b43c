// The searches that other searches fall back on, and what they share.
#pragma once

#include "nominal/family.hpp"

namespace bough {

// Values that `exact` is willing to enumerate the partitions of.
inline constexpr u32 kMostEnumerated = 20;

// Is an ordered scan exact here, whatever the number of values?
bool ordering_is_exact(const Contingency& t, const PartitionSink& sink);
// Offers one partition of a table whose values are all alike.
void offer_something(const Contingency& t, const PartitionSink& sink);
// A search whose best children are at most `gini` or `entropy` times as impure as the best possible ones
// knows how much better the best can be. Other criteria have no such ratio.
void prove_ratio(const Contingency& t, const PartitionSink& sink, double gini, double entropy);
// Offers every partition that keeps each of these groups of values together.
void search_groups(const Contingency& t, std::span<const std::vector<u32>> groups, const PartitionSink& sink);
// The values in the order of the first principal component of their class shares, each class in units of its own;
// `counts`: of class weights along that component.
std::vector<u32> component_order(const Contingency& t, const PartitionSink& sink, std::span<const double> unit,
                                 bool counts);
// Refuses columns of more values than a search can take.
void check_values(const Problem& p, u32 most, const std::string& what, const std::string& instead);
// A plug-in that checks the problem before anything is grown.
FamilyPlugin checked(FamilyPlugin plugin, std::function<void(const Problem&)> check);

void search_exact(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_one_vs_rest(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_superclass(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_hypercube_cover(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_largest_class_alone(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_list_scheduling(const Contingency& t, const PartitionSink& sink, Rng& rng);
// Cuts along the first discriminant coordinate of the indicator columns of the values.
void search_discriminant(const Contingency& t, const PartitionSink& sink);
void search_sliq_ext(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_flip_flop(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_k_means(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_pc_ext(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_greedy(const Contingency& t, const PartitionSink& sink, Rng& rng);
void search_gw(const Contingency& t, const PartitionSink& sink, Rng& rng);

}  // namespace bough
