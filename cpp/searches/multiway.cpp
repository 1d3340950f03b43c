// multiway: one child for each value.
#include "nominal/family.hpp"

namespace bough {

void search_multiway(const Contingency& t, const PartitionSink& sink, Rng&) { sink.offer_multiway(t); }

void register_multiway(Registry& r) {
    r.nominal.push_back(
        nominal_plugin({"multiway", "one child for each value at the node", "Quinlan 1986 (ID3), C4.5, mlpack"},
                       search_multiway, true));
}

}  // namespace bough
