// list_scheduling: the order of the shares of one of two superclasses of nearly equal weight.
#include "nominal/superclasses.hpp"
#include "searches/searches.hpp"

namespace bough {

void search_list_scheduling(const Contingency& t, const PartitionSink& sink, Rng&) {
    SuperclassOrder super(t);
    Scan(t, sink).offer_cuts(super.of(balanced_classes(t)));
}

void register_list_scheduling(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"list_scheduling", "cuts in the order of the share of one of two superclasses of about equal weight",
         "Laber et al. 2018"},
        search_list_scheduling, false, Needs::classes));
}

}  // namespace bough
