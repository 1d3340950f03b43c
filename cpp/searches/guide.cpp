// guide: the nominal rule of GUIDE (Loh 2009). Two classes or few values: exact. Few classes and many values: values
// of the same majority class as one, and those groups exactly. Else the order of the values along the first
// discriminant coordinate of their indicator columns, which is the first axis of correspondence analysis.
#include "nominal/scan.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

constexpr u32 kFew = 11;   // values, or classes, that are gone through exactly
constexpr u32 kMany = 20;  // values above which they are grouped

// Values by their most frequent class, the first of equals.
std::vector<std::vector<u32>> by_majority(const Contingency& t) {
    std::vector<std::vector<u32>> of_class(t.n_classes), groups;
    for (u32 v = 0; v < t.n_values; ++v) {
        const auto w = t.of(v);
        of_class[static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin())].push_back(v);
    }
    for (auto& g : of_class)
        if (!g.empty()) groups.push_back(std::move(g));
    return groups;
}

}  // namespace

void search_discriminant(const Contingency& t, const PartitionSink& sink) {
    std::vector<double> deviation(t.n_classes);  // of the class shares if values told nothing
    for (u32 c = 0; c < t.n_classes; ++c) deviation[c] = std::sqrt(t.all[c]);
    scan_order(t, component_order(t, sink, deviation, false), sink);
}

namespace {

void search_guide(const Contingency& t, const PartitionSink& sink, Rng& rng) {
    if (t.n_values <= kFew || ordering_is_exact(t, sink)) return search_exact(t, sink, rng);
    if (t.n_classes <= kFew && t.n_values > kMany) {
        const auto groups = by_majority(t);
        if (groups.size() > 1) return search_groups(t, groups, sink);
    }
    search_discriminant(t, sink);
}

}  // namespace

void register_guide(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"guide",
         "exact for two classes or up to 11 categories; exact over groups with the same majority class for up to 11 "
         "classes and more than 20 categories; otherwise cuts along the first discriminant coordinate",
         "Loh 2009 (GUIDE)"},
        search_guide, false, Needs::labels));
}

}  // namespace bough
