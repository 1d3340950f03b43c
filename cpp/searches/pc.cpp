// pc, pc_ext: supervalues in the order of the first principal component of their class shares; every cut,
// and with `ext` every cut with the two supervalues at it exchanged.
#include "base/linalg.hpp"
#include "nominal/scan.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

void search_component(const Contingency& t, const PartitionSink& sink, bool exchange, bool counts) {
    const Supervalues super(t);
    const Contingency& s = super.table;
    const u32 k = s.n_classes;
    if (s.n_values < 2) return offer_something(t, sink);
    // covariance of the class shares, each supervalue by its weight
    std::vector<double> covariance(std::size_t{k} * k, 0.0), d(k);
    const u64 few = std::max<u64>(1, 4096 / (u64{k} * k));  // between two polls
    for (u32 v = 0; v < s.n_values; ++v) {
        for (u32 c = 0; c < k; ++c) d[c] = s.of(v)[c] / s.totals[v] - s.all[c] / s.total;
        for (u32 a = 0; a < k; ++a) {
            const double x = d[a] * s.totals[v];
            for (u32 b = 0; b <= a; ++b) covariance[a * k + b] += x * d[b];
        }
        if (v % few == 0) sink.poll();
    }
    const std::vector<double> axis = linalg::first_component(std::move(covariance), k, sink.budget());
    std::vector<double> position(s.n_values, 0.0);
    double largest = 0;  // of the terms that a position is summed from
    for (u32 v = 0; v < s.n_values; ++v) {
        const double unit = counts ? 1 : s.totals[v];
        for (u32 c = 0; c < k; ++c) {
            position[v] += axis[c] * s.of(v)[c];
            largest = std::max(largest, std::fabs(axis[c]) * s.of(v)[c] / unit);
        }
        position[v] /= unit;
    }
    KeyOrder order;
    const auto sorted = order.sort(position, largest);
    Scan scan(t, super, sink);
    scan.offer_cuts(sorted);
    if (exchange) scan.offer_exchanges(sorted);
}

NominalSearch made(const Params& params, bool exchange) {
    const bool counts = params.get("projection") == 1;
    return [=](const Contingency& t, const PartitionSink& sink, Rng&) { search_component(t, sink, exchange, counts); };
}

Param projection_param() {
    return {"projection",
            "what is projected on the component: class shares, or class weights as in the published runs",
            Param::Type::choice,
            0,
            0,
            1,
            {"probabilities", "counts"}};
}

}  // namespace

void search_pc_ext(const Contingency& t, const PartitionSink& sink, Rng&) { search_component(t, sink, true, false); }

void register_pc(Registry& r) {
    r.nominal.push_back(nominal_plugin({"pc",
                                        "cuts in the order of the first principal component of the class shares",
                                        "Coppersmith et al. 1999",
                                        {projection_param()}},
                                       Needs::classes, [](const Params& p) { return made(p, false); }));
}

void register_pc_ext(Registry& r) {
    r.nominal.push_back(nominal_plugin({"pc_ext",
                                        "as pc, and every cut with the two categories next to it swapped",
                                        "Coppersmith et al. 1999",
                                        {projection_param()}},
                                       Needs::classes, [](const Params& p) { return made(p, true); }));
}

}  // namespace bough
