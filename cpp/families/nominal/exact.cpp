// exact: the best of all partitions. Two classes, or a number to predict: values in order of their
// class share (or mean), every cut. More classes: all 2^(n−1) − 1 partitions by Gray code.
#include <bit>
#include <numeric>

#include "searches.hpp"

namespace bough {

bool ordering_is_exact(const Contingency& t, const PartitionSink& sink) {
    return sink.scorer().traits().convex && (t.regression() || t.n_classes <= 2);
}

namespace {

void scan_shares(const Contingency& t, const PartitionSink& sink) {
    std::vector<double> share(t.n_values);
    for (u32 v = 0; v < t.n_values; ++v) {
        const double top = t.regression() ? t.z[v] : t.of(v)[t.n_classes - 1];
        share[v] = top / t.totals[v];
    }
    // Shares that differ by rounding only are equal: then values keep their order.
    const auto [low, high] = std::minmax_element(share.begin(), share.end());
    const double step = (*high - *low) * 0x1p-40, base = *low;
    std::vector<i64> place(t.n_values, 0);
    for (u32 v = 0; v < t.n_values && step > 0; ++v) place[v] = std::llround((share[v] - base) / step);
    std::vector<u32> order(t.n_values);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return place[a] < place[b]; });
    scan_order(t, order, sink);
}

}  // namespace

void search_exact(const Contingency& t, const PartitionSink& sink, Rng&) {
    if (ordering_is_exact(t, sink)) {
        scan_shares(t, sink);
        return;
    }
    Partition p(t);
    p.flip(0);  // the first value stays on the left: each partition once
    const u64 count = u64{1} << (t.n_values - 1);
    for (u64 i = 1; i < count; ++i) {
        sink.offer(p);
        p.flip(1 + static_cast<u32>(std::countr_zero(i)));
    }
    sink.offer(p);
}

void register_exact(Registry& r) {
    Info info{"exact",
              "the best of all partitions: any number of values with two classes, else up to 16",
              "Breiman et al. 1984 (CART)",
              {unseen_param()}};
    r.nominal.push_back(
        {info, [](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
             const bool ordered = p.scorer->traits().convex && p.target->n_classes <= 2;
             for (u32 c = 0; c < p.table->n_columns() && !ordered; ++c)
                 if (p.table->columns[c].kind == ColumnKind::nominal && p.table->columns[c].n_values > kMostEnumerated)
                     throw std::invalid_argument(
                         "nominal='exact' tries all partitions, of at most 16 values unless there are two classes; "
                         "column <#" +
                         std::to_string(c) + "> has " + std::to_string(p.table->columns[c].n_values) +
                         " values and there are " + std::to_string(p.target->n_classes) +
                         " classes. Use nominal='auto' or another polynomial search (see `bough list nominal`)");
             return std::make_unique<NominalFamily>(p, params, search_exact);
         }});
}

}  // namespace bough
