// pc, pc_ext: supervalues in the order of the first principal component of their class shares; every cut,
// and with `ext` every cut with the two supervalues at it exchanged.
#include "nominal/scan.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

void search_component(const Contingency& t, const PartitionSink& sink, bool exchange, bool counts) {
    const Supervalues super(t);
    if (super.table.n_values < 2) return offer_something(t, sink);
    const std::vector<double> ones(t.n_classes, 1.0);
    const std::vector<u32> order = component_order(super.table, sink, ones, counts);
    Scan scan(t, super, sink);
    scan.offer_cuts(order);
    if (exchange) scan.offer_cuts(order, true);
}

NominalSearch made(const Params& params, bool exchange) {
    const bool counts = params.get("projection") == 1;
    return [=](const Contingency& t, const PartitionSink& sink, Rng&) { search_component(t, sink, exchange, counts); };
}

Param projection_param() {
    return choice_param("projection",
                        "what is projected on the component: class shares, or class weights as in the published runs",
                        {"probabilities", "counts"});
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
