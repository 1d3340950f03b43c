// one_vs_rest: each value alone against all others.
#include "../../nominal.hpp"

namespace bough {

void search_one_vs_rest(const Contingency& t, const PartitionSink& sink, Rng&) {
    Partition p(t);
    for (u32 v = 0; v < t.n_values; ++v) {
        p.flip(v);
        sink.offer(p);
        p.flip(v);
    }
}

void register_one_vs_rest(Registry& r) {
    r.nominal.push_back(
        nominal_plugin({"one_vs_rest", "each value alone against all others", "common"}, search_one_vs_rest));
}

}  // namespace bough
