// flip_flop: the best partition of the values for two superclasses, then the best superclasses for the
// two groups of values, in turn until nothing changes. The better of two starts: the most frequent class alone, and
// balanced ones.
#include "nominal/superclasses.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

// The best cut, for two classes, of things with weights `all` of which `part` is of the first class.
// Things are ordered by share; gives those before the cut, or nothing if all shares are equal.
std::vector<u8> best_cut(std::span<const double> part, std::span<const double> all, double& gain) {
    std::vector<double> shares(part.size());
    double whole = 0, total = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
        shares[i] = part[i] / all[i];
        whole += part[i];
        total += all[i];
    }
    KeyOrder keys;
    const auto order = keys.sort(shares);
    double d = 0, w = 0, top = 0;
    std::size_t at = part.size();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        d += part[order[i]] - whole / total * all[order[i]];
        w += all[order[i]];
        const double g = d * d / (w * (total - w));
        if (g > top * (1 + kTie)) {
            top = g;
            at = i;
        }
    }
    gain = top / total;
    std::vector<u8> first(part.size(), 0);
    if (at == part.size()) return {};
    for (std::size_t i = 0; i <= at; ++i) first[order[i]] = 1;
    return first;
}

// From one start to where neither step helps; gives the gain for two superclasses.
double flip(const Contingency& t, const PartitionSink& sink, std::vector<u8> classes, std::vector<u8>& values) {
    double top = 0;
    while (true) {
        sink.poll();
        std::vector<double> part(t.n_values, 0.0);
        for (u32 v = 0; v < t.n_values; ++v)
            for (u32 c = 0; c < t.n_classes; ++c)
                if (classes[c]) part[v] += t.of(v)[c];
        double gain = 0;
        auto left = best_cut(part, t.totals, gain);
        if (left.empty() || !(gain > top * (1 + kTie))) return top;
        values = std::move(left);
        top = gain;
        std::vector<double> in(t.n_classes, 0.0);
        for (u32 v = 0; v < t.n_values; ++v)
            for (u32 c = 0; c < t.n_classes; ++c)
                if (values[v]) in[c] += t.of(v)[c];
        auto next = best_cut(in, t.all, gain);
        if (next.empty()) return top;
        classes = std::move(next);
    }
}

}  // namespace

void search_flip_flop(const Contingency& t, const PartitionSink& sink, Rng&) {
    std::vector<u8> from_largest, from_balanced;
    const double largest = flip(t, sink, largest_class(t), from_largest);
    const double balanced = flip(t, sink, balanced_classes(t), from_balanced);
    const auto& values = balanced > largest * (1 + kTie) ? from_balanced : from_largest;
    if (values.empty()) {  // every value has the same shares of them
        SuperclassOrder super(t);
        Scan(t, sink).offer_cuts(super.of(largest_class(t)));
    } else {
        sink.offer(t, values);
    }
}

void register_flip_flop(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"flip_flop", "the best partition for two superclasses and the best superclasses for it, in turn",
         "Nádas et al. 1991"},
        search_flip_flop, false, Needs::classes));
}

}  // namespace bough
