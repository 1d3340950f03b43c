// auto: exact where that is cheap; else the best of what is quick for the criterion.
#include "searches/searches.hpp"

namespace bough {

namespace {

// Of 10,000 random tables of 12 values the best of these is the optimum for 99.6 % (3 classes) to 100 %
// (9 classes), hypercube_cover alone for 97.0 to 100 %, pc_ext for 93.5 to 85.2 % (benchmarks/nominal.py
// --hits). Where hypercube_cover would cost more than 2^14 cuts, pc_ext is the better one from 50 values on.
constexpr double kCuts = 0x1p14;

void search_auto(const Contingency& t, const PartitionSink& sink, Rng& rng) {
    constexpr u32 kCheap = 10;  // 2^9 partitions
    const Traits& traits = sink.scorer().traits();
    if (t.n_values <= kCheap || ordering_is_exact(t, sink)) return search_exact(t, sink, rng);
    if (traits.graph) return search_greedy(t, sink, rng);
    if (t.regression()) return search_one_vs_rest(t, sink, rng);
    const double cuts = t.n_values * std::ldexp(1.0, static_cast<int>(std::min(t.n_classes, 60u)) - 1);
    const bool twoing = traits.convex && !traits.multiway;
    if (twoing && cuts <= 8 * kCuts) return search_superclass(t, sink, rng);  // exact
    search_largest_class_alone(t, sink, rng);                                 // a safety net with a guarantee
    search_list_scheduling(t, sink, rng);  // the better one for many classes and entropy or twoing
    search_pc_ext(t, sink, rng);
    if (cuts <= kCuts) search_hypercube_cover(t, sink, rng);
}

}  // namespace

void register_auto(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"auto",
         "exact for two classes or up to 10 values at the node; greedy for cuts; else the best of pc_ext, "
         "largest_class_alone, list_scheduling and, if few cuts, hypercube_cover",
         "bough; Mello Pereira 2018, Table 4.5"},
        search_auto));
}

}  // namespace bough
