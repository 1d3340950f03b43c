// guide: the nominal rule of GUIDE (Loh 2009). Two classes or few values: exact. Few classes and many values: values
// of the same majority class as one, and those groups exactly. Else the order of the values along the first
// discriminant coordinate of their indicator columns, which is the first axis of correspondence analysis.
#include <bit>

#include "base/linalg.hpp"
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

void enumerate_groups(const Contingency& t, const std::vector<std::vector<u32>>& groups, const PartitionSink& sink) {
    Partition p(t);
    auto flip = [&](const std::vector<u32>& group) {
        for (u32 v : group) p.flip(v);
    };
    flip(groups[0]);
    const u64 count = u64{1} << (groups.size() - 1);
    for (u64 i = 1; i < count; ++i) {
        sink.offer(p);
        flip(groups[1 + static_cast<std::size_t>(std::countr_zero(i))]);
        sink.poll();
    }
    sink.offer(p);
}

}  // namespace

void search_discriminant(const Contingency& t, const PartitionSink& sink) {
    const u32 k = t.n_classes;
    // covariance of the class shares of the values, in units of their deviation if values told nothing
    std::vector<double> between(std::size_t{k} * k, 0.0), d(k);
    const u64 few = std::max<u64>(1, 4096 / (u64{k} * k));  // between two polls
    for (u32 v = 0; v < t.n_values; ++v) {
        for (u32 c = 0; c < k; ++c) d[c] = (t.of(v)[c] / t.totals[v] - t.all[c] / t.total) / std::sqrt(t.all[c]);
        for (u32 a = 0; a < k; ++a)
            for (u32 b = 0; b <= a; ++b) between[a * k + b] += t.totals[v] * d[a] * d[b];
        if (v % few == 0) sink.poll();
    }
    const std::vector<double> axis = linalg::first_component(std::move(between), k, sink.budget());
    std::vector<double> position(t.n_values, 0.0);
    double largest = 0;  // of the terms that a position is summed from
    for (u32 v = 0; v < t.n_values; ++v)
        for (u32 c = 0; c < k; ++c) {
            const double term = axis[c] * t.of(v)[c] / (t.totals[v] * std::sqrt(t.all[c]));
            position[v] += term;
            largest = std::max(largest, std::fabs(term));
        }
    KeyOrder order;
    scan_order(t, order.sort(position, largest), sink);
}

namespace {

void search_guide(const Contingency& t, const PartitionSink& sink, Rng& rng) {
    if (t.n_values <= kFew || ordering_is_exact(t, sink)) return search_exact(t, sink, rng);
    if (t.n_classes <= kFew && t.n_values > kMany) {
        const auto groups = by_majority(t);
        if (groups.size() > 1) return enumerate_groups(t, groups, sink);
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
