// exact: the best of all partitions. Two classes, or a number to predict: values in order of their
// class share (or mean), every cut. More classes: all 2^(n−1) − 1 partitions by Gray code.
#include <bit>
#include <numeric>

#include "nominal/graph.hpp"
#include "nominal/scan.hpp"
#include "searches/searches.hpp"

namespace bough {

bool ordering_is_exact(const Contingency& t, const PartitionSink& sink) {
    const Traits& traits = sink.scorer().traits();
    return (traits.convex || traits.convex_for_two) && (t.regression() || t.n_classes <= 2);
}

namespace {

void scan_shares(const Contingency& t, const PartitionSink& sink) {
    std::vector<double> share(t.n_values);
    for (u32 v = 0; v < t.n_values; ++v) {
        const double top = t.regression() ? t.z[v] : t.of(v)[t.n_classes - 1];
        share[v] = top / t.totals[v];
    }
    KeyOrder order;
    const auto sorted = order.sort(share);
    if (t.regression())
        scan_order(t, sorted, sink);
    else
        Scan(t, sink).offer_cuts(sorted);
}

// Partition number i as Gray code; the first value stays on the left, so that each is met once.
std::vector<u8> mask_of(u64 i, u32 n) {
    const u64 code = i ^ i >> 1;
    std::vector<u8> left(n, 1);
    for (u32 v = 1; v < n; ++v) left[v] = code >> (v - 1) & 1;
    return left;
}

void enumerate_sums(const Contingency& t, const PartitionSink& sink) {
    constexpr u32 kBlock = 256;
    const u32 n = t.n_values, k = t.n_classes, stride = (k + 3) / 4 * 4;
    std::vector<double> all(stride, 0.0), block(std::size_t{kBlock} * stride, 0.0), gains(kBlock);
    std::copy(t.all.begin(), t.all.end(), all.begin());
    const u64 count = u64{1} << (n - 1);
    double top = -kInf;
    for (u64 base = 0; base < count; base += kBlock) {
        const u32 size = static_cast<u32>(std::min<u64>(kBlock, count - base));
        std::fill(block.begin(), block.begin() + stride, 0.0);
        const auto first = mask_of(base, n);  // summed afresh: fractions drift
        for (u32 v = 0; v < n; ++v)
            for (u32 c = 0; c < k && first[v]; ++c) block[c] += t.of(v)[c];
        for (u32 i = 1; i < size; ++i) {
            const u32 v = 1 + static_cast<u32>(std::countr_zero(base + i));
            const double sign = ((base + i) ^ (base + i) >> 1) >> (v - 1) & 1 ? 1 : -1;
            const double* row = t.of(v).data();
            const double* from = block.data() + std::size_t{i - 1} * stride;
            double* to = block.data() + std::size_t{i} * stride;
            for (u32 c = 0; c < k; ++c) to[c] = from[c] + sign * row[c];
        }
        const LeftSides s{size, k, stride, block.data(), all.data(), t.total, t.integral, t.classes};
        const double relative = sink.scorer().gains(s, gains.data());
        auto proper = [&](u32 i) {  // neither all values nor, by rounding, a side without weight
            const u64 code = (base + i) ^ (base + i) >> 1;
            return code != count - 1;
        };
        for (u32 i = 0; i < size; ++i)
            if (gains[i] > top && proper(i)) {
                if (sink.limited()) {
                    Partition p(t);
                    p.set(mask_of(base + i, n));
                    if (!(sink.gain(p) > -kInf)) continue;
                }
                top = gains[i];
            }
        const double slack = relative == kInf ? kInf : 2 * relative * std::max(sink.best().scale(), std::fabs(top));
        const double near = std::max<double>(top, sink.best().floor()) - slack;
        for (u32 i = 0; i < size; ++i)
            if (gains[i] >= near && proper(i)) sink.offer(t, mask_of(base + i, n));
        sink.poll();
    }
}

void enumerate_plainly(const Contingency& t, const PartitionSink& sink) {
    Partition p(t);
    p.flip(0);
    const u64 count = u64{1} << (t.n_values - 1);
    for (u64 i = 1; i < count; ++i) {
        sink.offer(p);
        p.flip(1 + static_cast<u32>(std::countr_zero(i)));
    }
    sink.offer(p);
}

// A cut in a graph: each flip changes it by the edges of one value.
void enumerate_graph(const Contingency& t, const PartitionSink& sink) {
    Graph graph(t, sink);
    const u64 count = u64{1} << (t.n_values - 1);
    std::vector<u8> left(t.n_values, 0);
    left[0] = 1;
    double cut = graph.cut(left), top = -kInf;
    std::vector<u64> near;
    for (u64 i = 0; i < count; ++i) {
        if (i > 0) {
            const u32 v = 1 + static_cast<u32>(std::countr_zero(i));
            cut += graph.gain_of_move(left, v);
            left[v] ^= 1;
            if (i % 1024 == 0) {
                cut = graph.cut(left);
                sink.poll();
            }
        }
        if (cut < top * (1 - kRunning)) continue;
        if (cut > top) {
            if (cut > top * (1 + kRunning)) near.clear();
            top = cut;
        }
        near.push_back(i);
    }
    for (u64 i : near) sink.offer(t, mask_of(i, t.n_values));
}

}  // namespace

void search_exact(const Contingency& t, const PartitionSink& sink, Rng&) {
    if (ordering_is_exact(t, sink))
        scan_shares(t, sink);
    else if (t.regression())
        enumerate_plainly(t, sink);
    else if (sink.scorer().traits().sums)
        enumerate_sums(t, sink);
    else if (sink.limited())
        enumerate_plainly(t, sink);
    else
        enumerate_graph(t, sink);
    if (!sink.best().empty()) sink.prove(static_cast<double>(sink.best().winner().gain));
}

void register_exact(Registry& r) {
    FamilyPlugin plugin = nominal_plugin(
        {"exact", "the best of all partitions: any number of categories with two classes, otherwise up to 20",
         "Breiman et al. 1984 (CART)"},
        search_exact);
    r.nominal.push_back(checked(std::move(plugin), [](const Problem& p) {
        const Traits& traits = p.scorer->traits();
        const bool ordered = traits.convex || traits.convex_for_two;
        if (ordered && p.target->n_classes <= 2) return;
        const std::string why =
            ordered ? "values unless there are two classes, and there are " + std::to_string(p.target->n_classes)
                    : "values: for this criterion no order of the values holds the best one";
        const char* instead = traits.graph ? "'auto', 'greedy' or 'gw'" : "'auto', 'pc_ext' or 'hypercube_cover'";
        for (u32 c = 0; c < p.table->n_columns(); ++c)
            if (p.table->columns[c].kind == ColumnKind::nominal && p.table->columns[c].n_values > kMostEnumerated)
                throw std::invalid_argument(
                    "nominal='exact' tries all partitions, of at most " + std::to_string(kMostEnumerated) + " " + why +
                    "; column <#" + std::to_string(c) + "> has " + std::to_string(p.table->columns[c].n_values) +
                    " values. Use nominal=" + instead + ", or another polynomial search (see `bough list nominal`)");
    }));
}

}  // namespace bough
