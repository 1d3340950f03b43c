// one_vs_rest: each value alone against all others.
#include "nominal/graph.hpp"
#include "searches/searches.hpp"

namespace bough {

void search_one_vs_rest(const Contingency& t, const PartitionSink& sink, Rng&) {
    if (!sink.scorer().traits().sums) {  // a value's own edges are what such a partition cuts
        Graph graph(t, sink);
        std::vector<double> cuts(t.n_values, 0.0);
        double top = 0;
        for (u32 v = 0; v < t.n_values; ++v) {
            const double* e = graph.row(v);
            for (u32 u = 0; u < t.n_values; ++u) cuts[v] += e[u];
            top = std::max(top, cuts[v]);
            if (v % 64 == 63) sink.poll();
        }
        std::vector<u8> left(t.n_values, 0);
        for (u32 v = 0; v < t.n_values; ++v) {
            if (cuts[v] < top * (1 - kRunning) && !sink.limited()) continue;
            left[v] = 1;
            sink.offer(t, left);
            left[v] = 0;
        }
        return;
    }
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
