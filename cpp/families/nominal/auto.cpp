// auto: exact where that is cheap, else each value against the rest.
#include "searches.hpp"

namespace bough {

namespace {

void search_auto(const Contingency& t, const PartitionSink& sink, Rng& rng) {
    constexpr u32 kCheap = 10;  // 2^9 partitions
    if (t.n_values <= kCheap || ordering_is_exact(t, sink))
        search_exact(t, sink, rng);
    else
        search_one_vs_rest(t, sink, rng);
}

}  // namespace

void register_auto(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"auto", "exact for two classes or up to 10 values at the node, else one_vs_rest", "bough"}, search_auto));
}

}  // namespace bough
