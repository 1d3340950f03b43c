// hypercube_cover: the cuts of the orders of all splits of the classes into two superclasses, each judged
// with all its classes. Children's impurity is at most twice the least for gini and entropy.
#include "nominal/superclasses.hpp"
#include "searches/searches.hpp"

namespace bough {

void search_hypercube_cover(const Contingency& t, const PartitionSink& sink, Rng&) {
    Scan scan(t, sink);
    each_superclass(t, sink, [&](std::span<const u32> order, std::span<const double>) { scan.offer_cuts(order); });
    prove_ratio(t, sink, 2, 2);
}

void register_hypercube_cover(Registry& r) {
    FamilyPlugin plugin = nominal_plugin(
        {"hypercube_cover",
         "as superclass, but each cut is judged with all classes; for gini and entropy within twice the least impurity",
         "Laber et al. 2018"},
        search_hypercube_cover, false, Needs::classes);
    r.nominal.push_back(checked(std::move(plugin), [](const Problem& p) { check_superclasses(p, "hypercube_cover"); }));
}

}  // namespace bough
