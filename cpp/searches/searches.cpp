#include "searches/searches.hpp"

namespace bough {

void offer_something(const Contingency& t, const PartitionSink& sink) {
    Partition p(t);
    for (u32 v = 0; v + 1 < t.n_values; ++v) {
        p.flip(v);
        if (sink.gain(p) > -kInf) return sink.offer(p);
    }
}

void prove_ratio(const Contingency& t, const PartitionSink& sink, double gini, double entropy) {
    const Divergence d = sink.scorer().traits().divergence;
    if (d == Divergence::none || sink.best().empty()) return;
    const double whole = sink.scorer().impurity(Side(t.all).of(t.classes));
    const double gain = static_cast<double>(sink.best().winner().gain);
    sink.prove(whole - (whole - gain) / (d == Divergence::squared ? gini : entropy));
}

FamilyPlugin checked(FamilyPlugin plugin, std::function<void(const Problem&)> check) {
    plugin.make = [make = plugin.make, check](const Problem& p, const Params& params) {
        check(p);
        return make(p, params);
    };
    return plugin;
}

}  // namespace bough
