// flip_flop: the best partition of the values for two superclasses, then the best superclasses for the
// two groups of values, in turn until nothing changes. It starts from the most frequent class alone and from
// balanced superclasses; of all partitions on the way the best counts.
#include <set>

#include "nominal/superclasses.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

// The best cut, for two classes, of things with weights `all` of which `part` is of the first class.
// Things are ordered by share; gives those before the cut, or nothing if all shares are equal.
std::vector<u8> best_cut(std::span<const double> part, std::span<const double> all) {
    std::vector<double> shares(part.size());
    double total_part = 0, total = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
        shares[i] = part[i] / all[i];
        total_part += part[i];
        total += all[i];
    }
    KeyOrder keys;
    const auto order = keys.sort(shares);
    double d = 0, w = 0, top = 0;
    std::size_t at = part.size();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        d += part[order[i]] - total_part / total * all[order[i]];
        w += all[order[i]];
        const double g = d * d / (w * (total - w));
        if (g > top * (1 + kTie)) {
            top = g;
            at = i;
        }
    }
    std::vector<u8> first(part.size(), 0);
    if (at == part.size()) return {};
    for (std::size_t i = 0; i <= at; ++i) first[order[i]] = 1;
    return first;
}

// From one start until a partition of the values comes back: the last one, where it is stable. Both steps raise
// d²/(W_L·W_R·W_A·W_B), so that this ends. False if every value has the same share of the first superclass.
bool flip(const Contingency& t, const PartitionSink& sink, std::vector<u8> classes) {
    std::set<std::vector<u8>> met;
    while (true) {
        sink.poll();
        std::vector<double> part(t.n_values, 0.0);
        for (u32 v = 0; v < t.n_values; ++v)
            for (u32 c = 0; c < t.n_classes; ++c)
                if (classes[c]) part[v] += t.of(v)[c];
        auto left = best_cut(part, t.totals);
        if (left.empty()) return !met.empty();
        if (!left[0])  // the first value is always in the first group
            for (u8& l : left) l ^= 1;
        if (!met.insert(left).second) return true;
        sink.offer(t, left);
        std::vector<double> in(t.n_classes, 0.0);
        for (u32 v = 0; v < t.n_values; ++v)
            for (u32 c = 0; c < t.n_classes; ++c)
                if (left[v]) in[c] += t.of(v)[c];
        auto next = best_cut(in, t.all);
        if (next.empty()) return true;
        classes = std::move(next);
    }
}

}  // namespace

void search_flip_flop(const Contingency& t, const PartitionSink& sink, Rng&) {
    const bool largest = flip(t, sink, largest_class(t)), balanced = flip(t, sink, balanced_classes(t));
    if (largest || balanced) return;
    SuperclassOrder super(t);
    Scan(t, sink).offer_cuts(super.of(largest_class(t)));
}

void register_flip_flop(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"flip_flop", "the best partition for two superclasses and the best superclasses for it, in turn",
         "Nádas et al. 1991"},
        search_flip_flop, false, Needs::classes));
}

}  // namespace bough
