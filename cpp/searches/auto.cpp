// auto: exact where that is cheap; else the best of what is quick for the criterion.
#include "searches/searches.hpp"

namespace bough {

namespace {

// Sums that a search may take: about a millisecond (16 values × 14 classes exactly, 100 values × 50 classes by
// sliq_ext).
constexpr double kSums = 0x1p19;
constexpr double kCuts = 0x1p15;  // of hypercube_cover, which sorts for each superclass

void search_auto(const Contingency& t, const PartitionSink& sink, Rng& rng) {
    constexpr u32 kCheap = 10;  // values: 2^9 partitions of whatever is to be judged
    const Traits& traits = sink.scorer().traits();
    const double n = t.n_values, k = t.n_classes;
    const bool few = traits.sums && !t.regression() && n <= kMostEnumerated && std::ldexp(k, t.n_values - 1) <= kSums;
    const bool few_cuts = !traits.sums && traits.graph && !sink.limited() && n <= kMostEnumerated &&
                          std::ldexp(n, t.n_values - 1) <= kSums;
    if (t.n_values <= kCheap || few || few_cuts || ordering_is_exact(t, sink)) return search_exact(t, sink, rng);
    if (t.regression()) return search_one_vs_rest(t, sink, rng);
    if (traits.graph) {
        search_greedy(t, sink, rng);
        Rng own = rng;  // whatever it draws, the others draw what they did
        if (n * n * n <= kSums) search_gw(t, sink, own);
    }
    if (!traits.sums) return;
    const double cuts = n * std::ldexp(1.0, static_cast<int>(std::min(t.n_classes, 60u)) - 1);
    if (traits.superclasses && cuts <= 8 * kCuts) return search_superclass(t, sink, rng);  // exact
    if (traits.divergence != Divergence::none) {
        search_k_means(t, sink, rng);  // starts from the next two and offers them
    } else {
        search_largest_class_alone(t, sink, rng);  // a safety net with a guarantee
        search_list_scheduling(t, sink, rng);      // the better one for many classes and twoing
    }
    search_pc_ext(t, sink, rng);
    search_discriminant(t, sink);
    if (cuts <= kCuts) search_hypercube_cover(t, sink, rng);
    if (n * n * k <= kSums) search_sliq_ext(t, sink, rng);
    search_flip_flop(t, sink, rng);
    search_one_vs_rest(t, sink, rng);  // gain ratios like one small side
}

}  // namespace

void register_auto(Registry& r) {
    r.nominal.push_back(
        nominal_plugin({"auto",
                        "exact if that takes less than about a millisecond; otherwise the best of greedy and gw (for "
                        "cuts), pc_ext, largest_class_alone, list_scheduling, flip_flop, k_means, one_vs_rest, the "
                        "discriminant order of guide and, if they are as cheap, sliq_ext and hypercube_cover",
                        "bough; Mello Pereira 2018, Table 4.5"},
                       search_auto));
}

}  // namespace bough
