// list_scheduling: the order of the shares of one of two superclasses of nearly equal weight.
#include <numeric>

#include "superclasses.hpp"

namespace bough {

void search_list_scheduling(const Contingency& t, const PartitionSink& sink, Rng&) {
    std::vector<u32> largest_first(t.n_classes);
    std::iota(largest_first.begin(), largest_first.end(), 0u);
    std::stable_sort(largest_first.begin(), largest_first.end(), [&](u32 a, u32 b) { return t.all[a] > t.all[b]; });
    std::vector<u8> classes(t.n_classes, 0);
    double first = 0, second = 0;
    for (u32 c : largest_first) {
        classes[c] = first <= second;
        (classes[c] ? first : second) += t.all[c];
    }
    SuperclassOrder super(t);
    Scan(t, sink).offer_cuts(super.of(classes));
}

void register_list_scheduling(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"list_scheduling", "cuts in the order of the share of one of two superclasses of about equal weight",
         "Laber et al. 2018"},
        search_list_scheduling, false, Needs::classes));
}

}  // namespace bough
