#include "searches/searches.hpp"

#include <bit>

#include "base/linalg.hpp"
#include "nominal/scan.hpp"

namespace bough {

void offer_something(const Contingency& t, const PartitionSink& sink) {
    Partition p(t);
    for (u32 v = 0; v + 1 < t.n_values; ++v) {
        p.flip(v);
        if (sink.gain(p) > -kInf) return sink.offer(p);
    }
}

void search_groups(const Contingency& t, std::span<const std::vector<u32>> groups, const PartitionSink& sink) {
    Partition p(t);
    auto flip = [&](std::size_t group) {
        for (u32 v : groups[group]) p.flip(v);
    };
    flip(0);
    const u64 count = u64{1} << (groups.size() - 1);
    for (u64 i = 1; i < count; ++i) {
        sink.offer(p);
        flip(1 + static_cast<std::size_t>(std::countr_zero(i)));
        sink.poll();
    }
    sink.offer(p);
}

std::vector<u32> component_order(const Contingency& t, const PartitionSink& sink, std::span<const double> unit,
                                 bool counts) {
    const u32 k = t.n_classes;
    std::vector<double> covariance(std::size_t{k} * k, 0.0), d(k);
    const u64 few = std::max<u64>(1, 4096 / (u64{k} * k));  // between two polls
    for (u32 v = 0; v < t.n_values; ++v) {
        for (u32 c = 0; c < k; ++c) d[c] = (t.of(v)[c] / t.totals[v] - t.all[c] / t.total) / unit[c];
        for (u32 a = 0; a < k; ++a) {
            const double x = d[a] * t.totals[v];
            for (u32 b = 0; b <= a; ++b) covariance[a * k + b] += x * d[b];
        }
        if (v % few == 0) sink.poll();
    }
    const std::vector<double> axis = linalg::first_component(std::move(covariance), k, sink.budget());
    std::vector<double> position(t.n_values, 0.0);
    double largest = 0;  // of the terms that a position is summed from
    for (u32 v = 0; v < t.n_values; ++v) {
        const double weight = counts ? 1 : t.totals[v];
        for (u32 c = 0; c < k; ++c) {
            const double term = axis[c] / unit[c] * t.of(v)[c];
            position[v] += term;
            largest = std::max(largest, std::fabs(term) / weight);
        }
        position[v] /= weight;
    }
    KeyOrder order;
    const auto sorted = order.sort(position, largest);
    return {sorted.begin(), sorted.end()};
}

void check_values(const Problem& p, u32 most, const std::string& what, const std::string& instead) {
    for (u32 c = 0; c < p.table->n_columns(); ++c)
        if (const Column& column = p.table->columns[c]; column.kind == ColumnKind::nominal && column.n_values > most)
            throw std::invalid_argument(what + "; column <#" + std::to_string(c) + "> has " +
                                        std::to_string(column.n_values) + " values. Use nominal=" + instead);
}

void prove_ratio(const Contingency& t, const PartitionSink& sink, double gini, double entropy) {
    const Divergence d = sink.scorer().traits().divergence;
    if (d == Divergence::none || sink.best().empty()) return;
    const double before = sink.scorer().impurity(Side(t.all).of(t.classes));
    const double gain = static_cast<double>(sink.best().winner().gain);
    sink.prove(before - (before - gain) / (d == Divergence::squared ? gini : entropy));
}

FamilyPlugin checked(FamilyPlugin plugin, std::function<void(const Problem&)> check) {
    plugin.make = [make = plugin.make, check](const Problem& p, const Params& params) {
        check(p);
        return make(p, params);
    };
    return plugin;
}

}  // namespace bough
