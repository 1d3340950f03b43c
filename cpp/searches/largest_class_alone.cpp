// largest_class_alone: the order of the shares of the most frequent class. Children's impurity is at most twice the
// least for gini, three times for entropy. list_scheduling: that of one of two superclasses of nearly equal weight.
#include "nominal/superclasses.hpp"
#include "searches/searches.hpp"

namespace bough {

void search_largest_class_alone(const Contingency& t, const PartitionSink& sink, Rng&) {
    SuperclassOrder super(t);
    Scan(t, sink).offer_cuts(super.of(largest_class(t)));
    prove_ratio(t, sink, 2, 3);
}

void search_list_scheduling(const Contingency& t, const PartitionSink& sink, Rng&) {
    SuperclassOrder super(t);
    Scan(t, sink).offer_cuts(super.of(balanced_classes(t)));
}

void register_largest_class_alone(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"largest_class_alone", "cuts in the order of the share of the most frequent class", "Laber et al. 2018"},
        search_largest_class_alone, false, Needs::classes));
}

void register_list_scheduling(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"list_scheduling", "cuts in the order of the share of one of two superclasses of about equal weight",
         "Laber et al. 2018"},
        search_list_scheduling, false, Needs::classes));
}

}  // namespace bough
