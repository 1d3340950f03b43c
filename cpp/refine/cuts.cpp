#include "refine/cuts.hpp"

#include <algorithm>
#include <numeric>

#include "base/per_thread.hpp"
#include "refine/eight.hpp"

namespace bough {

std::vector<Offer> Cuts::best(const RowGains& gains, Team& team) const {
    const u32 n = static_cast<u32>(gains.nodes.size()), d = table_.n_columns(), groups = gains.groups();
    std::vector<double> found(std::size_t{d} * groups * kDotLanes);
    team.each(d, [&](std::size_t c, int) {
        for (u32 g = 0; g < groups; ++g) {
            double* to = found.data() + (c * groups + g) * kDotLanes;
            columns_[c].x ? numeric(static_cast<u32>(c), gains, g, to) : nominal(static_cast<u32>(c), gains, g, to);
        }
    });
    std::vector<Offer> best(n);
    for (u32 s = 0; s < n; ++s)
        for (u32 c = 0; c < d; ++c)
            if (const double gain = found[std::size_t{c} * groups * kDotLanes + s];
                gain > best[s].gain + gains.slack(s) && gains.pull[s].allows(c, 1)) {
                best[s].gain = gain;
                best[s].terms = 1;
                best[s].column = c;
            }
    return best;
}

// The most of what goes to the left at any cut, or with all or no rows: that is no split, and offered without one.
void Cuts::numeric(u32 column, const RowGains& gains, u32 group, double* to) const {
    const OrderedColumn& x = columns_[column];
    GainLists list{x.entries.data(), 0, x.skip_begin, gains.gain.data(), gains.node_of(group)};
    double behind[kDotLanes] = {}, missing[kDotLanes + 1] = {};
    most_before(list, to);
    list.begin = x.skip_end;
    list.end = x.n();
    if (list.begin < list.end) least_behind(list, behind);
    for (u32 row : x.missing) missing[gains.node_of(group)[row]] += gains.gain[row];
    for (u32 l = 0; l < kDotLanes && group * kDotLanes + l < gains.nodes.size(); ++l) {
        const double total = gains.total[group * kDotLanes + l];
        if (list.begin < list.end) to[l] = std::max(to[l], total - missing[l] - behind[l]);
        to[l] = std::max({to[l] + std::max(missing[l], 0.0), missing[l], total - missing[l]});
    }
}

void Cuts::nominal(u32 column, const RowGains& gains, u32 group, double* to) const {
    const OrderedColumn& x = columns_[column];
    auto& sums = per_thread<std::vector<double>, struct SumsHere>();
    auto& counts = per_thread<std::vector<double>, struct CountsHere>();
    auto& sum = per_thread<std::vector<double>, struct SumHere>();
    auto& count = per_thread<std::vector<double>, struct CountHere>();
    const std::size_t m = x.values.size();
    sums.resize(m * kDotLanes);
    counts.resize(m * kDotLanes);
    sum.resize(m);
    count.resize(m);
    GainLists list{x.entries.data(), 0, x.skip_begin, gains.gain.data(), gains.node_of(group)};
    sums_of_values(list, sums.data(), counts.data());
    list.begin = x.skip_end;
    list.end = x.n();
    const std::size_t behind = (x.skipped + 1) * kDotLanes;
    if (list.begin < list.end) sums_of_values(list, sums.data() + behind, counts.data() + behind);
    for (u32 l = 0; l < kDotLanes && group * kDotLanes + l < gains.nodes.size(); ++l) {
        const u32 s = group * kDotLanes + l;
        double rest = gains.total[s], others = static_cast<double>(gains.of(s).size());
        for (std::size_t v = 0; v < m; ++v) {
            if (v == x.skipped) continue;
            rest -= sum[v] = sums[v * kDotLanes + l];
            others -= count[v] = counts[v * kDotLanes + l];
        }
        if (x.skipped < m) sum[x.skipped] = rest, count[x.skipped] = others;
        to[l] = subset(column, sum, count, nullptr);
    }
}

// The gain of the best subset, for what the rows of each value gain.
double Cuts::subset(u32 column, std::span<const double> sum, std::span<const double> count, Split* split) const {
    const std::vector<u32>& values = columns_[column].values;
    double gain = 0, rare = 0, heavy[2] = {0, 0};
    u32 parts[2] = {0, 0};
    for (std::size_t v = 0; v < values.size(); ++v) {
        if (count[v] < min_value_rows_) {
            rare += sum[v];
            continue;
        }
        const u32 side = sum[v] > 0 ? 0 : 1;
        ++parts[side];
        heavy[side] += count[v];
        if (side == 0) gain += sum[v];
    }
    if (parts[0] == 0 || parts[1] == 0) return -kInf;
    const bool others_left = heavy[0] >= heavy[1];
    if (split) {
        split->kind = NodeKind::subset;
        split->column = column;
        split->values.resize(table_.columns[column].n_values);
        std::iota(split->values.begin(), split->values.end(), 0u);
        split->goes_left.assign(split->values.size(), others_left);
        for (std::size_t v = 0; v < values.size(); ++v)
            if (count[v] >= min_value_rows_) split->goes_left[values[v]] = sum[v] > 0;
        split->other = others_left ? 0 : 1;
    }
    return others_left ? gain + rare : gain;
}

Offer Cuts::placed(const RowGains& gains, u32 slot, const Offer& offer) const {
    const OrderedColumn& x = columns_[offer.column];
    Offer to = offer;
    Split& split = to.split;
    if (!x.x) {
        std::vector<u32> place(table_.columns[offer.column].n_values, 0);
        for (u32 v = 0; v < x.values.size(); ++v) place[x.values[v]] = v;
        std::vector<double> sum(x.values.size(), 0.0), count(x.values.size(), 0.0);
        for (u32 row : gains.of(slot)) {
            const u32 v = place[static_cast<u32>(x.codes[row])];
            sum[v] += gains.gain[row];
            ++count[v];
        }
        to.gain = subset(offer.column, sum, count, &split);
        return to;
    }
    const u8 *node_of = gains.node_of(slot / kDotLanes), node = slot % kDotLanes;
    Sweep sweep(gains.slack(slot));
    for (u32 i = 0; i < x.n(); ++i)
        if (const u32 row = x.row(i); node_of[row] == node) sweep.add(x.x[row], gains.gain[row]);
    double missing = 0;
    bool any = false;
    for (u32 row : x.missing)
        if (node_of[row] == node) missing += gains.gain[row], any = true;
    split.kind = NodeKind::axis;
    split.column = offer.column;
    to.gain = sweep.found() ? sweep.gain() + std::max(missing, 0.0) : -kInf;
    split.cut = sweep.found() ? sweep.cut() : 0;
    split.missing_left = missing > 0;
    const double alone = std::max(missing, gains.total[slot] - missing);
    if (!any || alone <= to.gain + gains.slack(slot)) return to;
    to.gain = alone;  // rows without a value against all others
    to.exchange = missing > gains.total[slot] - missing;
    split.cut = kInf;
    split.missing_left = false;
    return to;
}

}  // namespace bough
