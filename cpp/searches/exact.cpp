// exact: the best of all partitions. Two classes, or a number to predict: values in order of their
// class share (or mean), every cut. More classes: all 2^(n−1) − 1 partitions by Gray code.
#include <bit>

#include "nominal/graph.hpp"
#include "nominal/scan.hpp"
#include "searches/searches.hpp"

namespace bough {

bool ordering_is_exact(const Contingency& t, const PartitionSink& sink) {
    const Traits& traits = sink.scorer().traits();
    return (traits.convex || traits.convex_for_two) && (t.regression() || t.n_classes <= 2);
}

namespace {

void scan_shares(const Contingency& t, const PartitionSink& sink) {
    std::vector<double> share(t.n_values);
    for (u32 v = 0; v < t.n_values; ++v) {
        const double top = t.regression() ? t.z[v] : t.of(v)[t.n_classes - 1];
        share[v] = top / t.totals[v];
    }
    KeyOrder order;
    const auto sorted = order.sort(share);
    if (t.regression())
        scan_order(t, sorted, sink);
    else
        Scan(t, sink).offer_cuts(sorted);
}

void enumerate_plainly(const Contingency& t, const PartitionSink& sink) {
    std::vector<std::vector<u32>> alone;
    for (u32 v = 0; v < t.n_values; ++v) alone.push_back({v});
    search_groups(t, alone, sink);
}

// A cut in a graph: each flip changes it by the edges of one value.
void enumerate_graph(const Contingency& t, const PartitionSink& sink) {
    Graph graph(t, sink);
    const u64 count = u64{1} << (t.n_values - 1);
    std::vector<u8> left(t.n_values, 0);
    left[0] = 1;
    double cut = graph.cut(left), top = -kInf;
    std::vector<u64> near;
    for (u64 i = 0; i < count; ++i) {
        if (i > 0) {
            const u32 v = 1 + static_cast<u32>(std::countr_zero(i));
            cut += graph.gain_of_move(left, v);
            left[v] ^= 1;
            if (i % 1024 == 0) {
                cut = graph.cut(left);
                sink.poll();
            }
        }
        if (cut < top * (1 - kRunning)) continue;
        if (cut > top) {
            if (cut > top * (1 + kRunning)) near.clear();
            top = cut;
        }
        near.push_back(i);
    }
    for (u64 i : near) sink.offer(t, partition_of(i, t.n_values));
}

}  // namespace

void search_exact(const Contingency& t, const PartitionSink& sink, Rng&) {
    if (ordering_is_exact(t, sink))
        scan_shares(t, sink);
    else if (t.regression())
        enumerate_plainly(t, sink);
    else if (sink.scorer().traits().sums)
        Scan(t, sink).offer_all();
    else if (sink.limited())
        enumerate_plainly(t, sink);
    else
        enumerate_graph(t, sink);
    if (!sink.best().empty()) sink.prove(static_cast<double>(sink.best().winner().gain));
}

void register_exact(Registry& r) {
    FamilyPlugin plugin = nominal_plugin(
        {"exact", "the best of all partitions: any number of categories with two classes, otherwise up to 20",
         "Breiman et al. 1984 (CART)"},
        search_exact);
    r.nominal.push_back(checked(std::move(plugin), [](const Problem& p) {
        const Traits& traits = p.scorer->traits();
        const bool ordered = traits.convex || traits.convex_for_two;
        if (ordered && p.target->n_classes <= 2) return;
        const std::string why =
            ordered ? "values unless there are two classes, and there are " + std::to_string(p.target->n_classes)
                    : "values: for this criterion no order of the values holds the best one";
        const char* instead = traits.graph ? "'auto', 'greedy' or 'gw'" : "'auto', 'pc_ext' or 'hypercube_cover'";
        check_values(p, kMostEnumerated,
                     "nominal='exact' tries all partitions, of at most " + std::to_string(kMostEnumerated) + " " + why,
                     instead + std::string(", or another polynomial search (see `bough list nominal`)"));
    }));
}

}  // namespace bough
