#include "refine/cuts.hpp"
#include "base/per_thread.hpp"

#include <algorithm>
#include <numeric>

#include "data/column_order.hpp"

namespace bough {

Cuts::Cuts(const Table& table, u32 min_value_rows, Team& team, Budget& budget)
    : table_(table), min_value_rows_(min_value_rows), budget_(budget), sorted_(table.n_columns()) {
    team.each(table.n_columns(), [&](std::size_t c, int) {
        const Column& column = table.columns[c];
        if (column.kind != ColumnKind::numeric) return;
        Sorted& s = sorted_[c];
        ColumnOrder order;
        order.sort(column, table.n_rows, budget);
        for (u32 i = 0; i < order.size(); ++i) {
            s.rows.push_back(order.row(i));
            s.values.push_back(order.number(i));
        }
        for (u32 row = 0; row < table.n_rows && order.size() < table.n_rows; ++row)
            if (is_missing(column.value(row))) s.missing.push_back(row);
    });
}

std::vector<Offer> Cuts::best(const RowGains& gains, Team& team) const {
    const u32 n = static_cast<u32>(gains.nodes.size()), d = table_.n_columns();
    std::vector<Found> found(std::size_t{n} * d);
    team.each(d, [&](std::size_t c, int) {
        const std::span<Found> of_column(found.data() + c * n, n);
        if (table_.columns[c].kind == ColumnKind::numeric) return numeric(static_cast<u32>(c), gains, of_column);
        for (u32 s = 0; s < n; ++s) of_column[s].gain = subset(static_cast<u32>(c), gains, s, nullptr);
    });
    std::vector<Offer> best(n);
    for (u32 s = 0; s < n; ++s) {
        u32 column = kNone;
        for (u32 c = 0; c < d; ++c)
            if (const double gain = found[std::size_t{c} * n + s].gain;
                gain > best[s].gain + gains.slack(s) && gains.pull[s].allows(c, 1)) {
                best[s].gain = gain;
                column = c;
            }
        if (column == kNone) continue;
        const Found& f = found[std::size_t{column} * n + s];
        best[s].terms = 1;
        best[s].exchange = f.missing_alone && f.missing_first;
        if (table_.columns[column].kind == ColumnKind::numeric)
            best[s].split = split_of(column, f);
        else
            subset(column, gains, s, &best[s].split);
    }
    return best;
}

Split Cuts::split_of(u32 column, const Found& f) const {
    Split split;
    split.kind = NodeKind::axis;
    split.column = column;
    split.cut = f.missing_alone ? kInf : f.cut;
    split.missing_left = !f.missing_alone && f.missing_left;
    return split;
}

void Cuts::numeric(u32 column, const RowGains& gains, std::span<Found> found) const {
    const u32 n = static_cast<u32>(gains.nodes.size());
    std::vector<Sweep> sweeps;
    std::vector<double> missing(n, 0.0);
    std::vector<u8> any(n, 0);
    for (u32 s = 0; s < n; ++s) sweeps.emplace_back(gains.slack(s));
    sweeps.emplace_back();  // of rows that do not count: no branch that depends on the row
    const Sorted& sorted = sorted_[column];
    const double counting = static_cast<double>(gains.rows.size());
    if (counting * std::log2(counting + 2) < static_cast<double>(sorted.rows.size())) {  // sooner sorted than passed by
        auto& sorter = per_thread<Sorter, struct SorterOfCuts>();
        sorter.x.clear();
        for (u32 row : gains.rows) sorter.x.push_back(table_.columns[column].value(row));
        sorter.each(budget_, [&](u32 i, double x) {
            const u32 row = gains.rows[i];
            sweeps[gains.slot[row]].add(x, gains.gain[row]);
        });
    } else if (n == 1) {
        Sweep one = sweeps[0];  // at hand, not in memory
        for (std::size_t i = 0; i < sorted.rows.size(); ++i)
            if (const u32 row = sorted.rows[i]; gains.slot[row] == 0) one.add(sorted.values[i], gains.gain[row]);
        sweeps[0] = one;
    } else {
        for (std::size_t i = 0; i < sorted.rows.size(); ++i)
            sweeps[gains.slot[sorted.rows[i]]].add(sorted.values[i], gains.gain[sorted.rows[i]]);
    }
    for (u32 row : sorted.missing)
        if (const u32 s = gains.slot[row]; s < n) missing[s] += gains.gain[row], any[s] = 1;
    for (u32 s = 0; s < n; ++s) {
        Found& f = found[s];
        if (sweeps[s].found()) {
            f.gain = sweeps[s].gain() + std::max(missing[s], 0.0);
            f.cut = sweeps[s].cut();
            f.missing_left = missing[s] > 0;
        }
        if (!any[s]) continue;
        const double alone = std::max(missing[s], gains.total[s] - missing[s]);
        if (alone <= f.gain + gains.slack(s)) continue;
        f.gain = alone;
        f.missing_alone = true;
        f.missing_first = missing[s] > gains.total[s] - missing[s];
    }
}

double Cuts::subset(u32 column, const RowGains& gains, u32 slot, Split* split) const {
    const Column& x = table_.columns[column];
    auto& sum = per_thread<std::vector<double>, struct SumHere>();
    auto& count = per_thread<std::vector<u32>, struct CountHere>();
    auto& seen = per_thread<std::vector<u32>, struct SeenHere>();
    if (sum.size() < x.n_values) sum.resize(x.n_values, 0.0), count.resize(x.n_values, 0);
    seen.clear();
    for (u32 row : gains.of(slot)) {
        const u32 v = static_cast<u32>(x.codes[row]);
        if (count[v]++ == 0) seen.push_back(v);
        sum[v] += gains.gain[row];
    }
    std::sort(seen.begin(), seen.end());
    double gain = 0, rare = 0;
    u32 left = 0, right = 0;  // values
    u64 heavy[2] = {0, 0};    // rows
    for (u32 v : seen) {
        if (count[v] < min_value_rows_) {
            rare += sum[v];
            continue;
        }
        const bool goes_left = sum[v] > 0;
        (goes_left ? left : right) += 1;
        heavy[goes_left ? 0 : 1] += count[v];
        if (goes_left) gain += sum[v];
    }
    const bool others_left = heavy[0] >= heavy[1], parts = left > 0 && right > 0;
    if (others_left) gain += rare;
    if (split && parts) {
        split->kind = NodeKind::subset;
        split->column = column;
        split->values.resize(x.n_values);
        std::iota(split->values.begin(), split->values.end(), 0u);
        split->goes_left.assign(x.n_values, others_left);
        for (u32 v : seen)
            if (count[v] >= min_value_rows_) split->goes_left[v] = sum[v] > 0;
        split->other = others_left ? 0 : 1;
    }
    for (u32 v : seen) sum[v] = 0, count[v] = 0;
    return parts ? gain : -kInf;
}

}  // namespace bough
