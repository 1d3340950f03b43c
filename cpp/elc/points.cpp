#include "elc/points.hpp"

#include "data/column_order.hpp"

#include <algorithm>

namespace bough::elc {

namespace {

// The spread by which a column is scaled: between quartiles, or the first wider range that is not 0.
double spread_of(const std::vector<double>& sorted) {
    const std::size_t n = sorted.size();
    for (const double tail : {0.25, 0.1, 0.02, 0.0}) {
        const std::size_t skip = static_cast<std::size_t>(tail * static_cast<double>(n - 1));
        const double low = sorted[skip], high = sorted[n - 1 - skip];
        if (low < high) return std::min(high / 2 - low / 2, 0x1p1000);
    }
    return 0;
}

}  // namespace

// Puts the rows in their places.
void NodeColumns::group(const Node& node, const Target& target, Budget& budget) {
    n = node.n_rows;
    row.resize(n);
    if (target.regression()) {
        k = 2;
        segment = {0, n};
        std::vector<double> x(n);
        for (u32 i = 0; i < n; ++i) x[i] = target.numbers[node.rows[i]] - node.mean;
        ColumnOrder order;
        order.sort(x, budget);
        number.resize(n);
        for (u32 i = 0; i < n; ++i) {
            row[i] = node.rows[order.row(i)];
            number[i] = order.number(i);
        }
        all = {node.total, 0.0};
        return;
    }
    k = static_cast<u32>(node.present.size());
    all = node.present_weights;
    std::vector<u32> place_of(node.weights.size(), 0);
    segment.assign(k + 1, 0);
    for (u32 d = 0; d < k; ++d) {
        place_of[node.present[d]] = d;
        segment[d + 1] = segment[d] + static_cast<u32>(node.counts[node.present[d]]);
    }
    std::vector<u32> next(segment.begin(), segment.end() - 1);
    for (u32 r : node.rows) row[next[place_of[target.classes[r]]]++] = r;
}

NodeColumns::NodeColumns(const Node& node, const Problem& problem, const std::vector<Grain>& grains) {
    const Target& target = *problem.target;
    const Table& table = *problem.table;
    group(node, target, *problem.budget);
    if (target.weighted()) {
        w.resize(n + kPad);
        for (u32 i = 0; i < n; ++i) w[i] = target.weights[row[i]];
    }
    std::vector<double> sorted;
    ColumnOrder order;
    for (u32 c = 0; c < table.n_columns(); ++c) {
        if (table.columns[c].kind != ColumnKind::numeric || !node.allows(c)) continue;
        problem.budget->poll();
        Scaled s;
        s.column = c;
        s.y.resize(n + kPad);
        for (u32 i = 0; i < n; ++i) s.y[i] = table.columns[c].value(row[i]);
        order.sort({s.y.data(), n}, *problem.budget);
        sorted.clear();
        for (u32 i = 0; i < order.size(); ++i) sorted.push_back(order.number(i));
        if (sorted.empty() || sorted.front() == sorted.back()) continue;
        s.n_missing = n - order.size();
        s.distinct = 1;
        for (std::size_t i = 1; i < sorted.size(); ++i) s.distinct += sorted[i] != sorted[i - 1];
        int largest;
        std::frexp(std::max(std::fabs(sorted.front()), std::fabs(sorted.back())), &largest);
        s.exponent = std::min(-std::ilogb(spread_of(sorted)), 500 - largest);
        s.grain = grains[c];
        s.grain.unit += s.exponent;
        s.origin = scaled(sorted[sorted.size() / 2], s.exponent);
        s.z.resize(n + kPad);
        for (u32 i = 0; i < n; ++i) {
            s.y[i] = scaled(s.y[i], s.exponent);
            s.z[i] = s.y[i] - s.origin;
        }
        if (s.distinct < n / 2) {  // values repeat: codes, to find equal rows by
            sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
            s.code.resize(n);
            for (u32 i = 0; i < n; ++i) {
                const double x = table.columns[c].value(row[i]);
                s.code[i] = static_cast<u32>(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin());
            }
        }
        std::vector<double> sizes;
        for (u32 i = 0; i < n; i += 1 + n / 512)
            if (!is_missing(s.z[i])) sizes.push_back(std::fabs(s.z[i]));
        std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
        s.typical = sizes.empty() ? 1.0 : std::max(sizes[sizes.size() / 2], 1e-3);
        columns.push_back(std::move(s));
    }
}

// The rows of one class, or all of a numeric target, that have every number; with `join`, one entry for each point.
void Points::gather(const NodeColumns& node, u32 cls, bool join) {
    keys_.clear();
    groups_.clear();
    for (u32 i = node.segment[cls]; i < node.segment[cls + 1]; ++i) {
        bool complete = true;
        u64 key = 0;
        for (u32 t = 0; t < r; ++t) {
            complete &= !is_missing(columns[t]->y[i]);
            if (join) key = key * columns[t]->distinct + columns[t]->code[i];
        }
        if (complete) {
            keys_.push_back({key, i});
            continue;
        }
        node.add(missing.data(), i, cls);
        ++n_missing;
    }
    if (join) std::sort(keys_.begin(), keys_.end());
    for (std::size_t e = 0; e < keys_.size(); ++e) {
        const u32 i = keys_[e].second;
        const double weight = node.w.empty() ? 1.0 : node.w[i], x = node.number.empty() ? 0.0 : node.number[i];
        if (join && e > 0 && keys_[e].first == keys_[e - 1].first) {
            Group& g = groups_.back();
            g.w += weight;
            g.number += weight / g.w * (x - g.number);
            ++g.rows;
        } else {
            groups_.push_back({i, 1, weight, x});
        }
    }
    if (join && !node.number.empty())
        std::stable_sort(groups_.begin(), groups_.end(),
                         [](const Group& a, const Group& b) { return a.number < b.number; });
    for (const Group& g : groups_) {
        for (u32 t = 0; t < r; ++t) {
            own_y_[t].push_back(columns[t]->y[g.place]);
            own_z_[t].push_back(columns[t]->z[g.place]);
        }
        own_w_.push_back(g.w);
        own_number_.push_back(g.number);
        own_rows_.push_back(g.rows);
    }
    segment.push_back(static_cast<u32>(own_w_.size()));
}

void Points::load(const NodeColumns& node, const u32* subset, u32 terms) {
    r = terms;
    k = node.k;
    at.r = r;
    all = node.all;
    n_rows = node.n;
    missing.assign(k, 0.0);
    double product = 1;
    bool some_missing = false, codes = true;
    for (u32 t = 0; t < r; ++t) {
        const auto& s = node.columns[subset[t]];
        columns[t] = &s;
        at.grain[t] = s.grain;
        some_missing |= s.n_missing > 0;
        codes &= !s.code.empty();
        product *= s.distinct;
    }
    at.classify();
    const bool join = codes && product < 4.0 * node.n;
    n_missing = 0;
    if (!some_missing && !join) {
        size = node.n;
        segment = node.segment;
        w = node.w.empty() ? nullptr : node.w.data();
        rows = nullptr;
        number = node.number.empty() ? nullptr : node.number.data();
        for (u32 t = 0; t < r; ++t) {
            at.x[t] = columns[t]->y.data();
            z[t] = columns[t]->z.data();
        }
    } else {
        for (u32 t = 0; t < r; ++t) {
            own_y_[t].clear();
            own_z_[t].clear();
        }
        own_w_.clear();
        own_number_.clear();
        own_rows_.clear();
        segment.assign(1, 0);
        for (u32 c = 0; c + 1 < node.segment.size(); ++c) gather(node, c, join);
        size = static_cast<u32>(own_w_.size());
        for (u32 t = 0; t < r; ++t) {
            own_y_[t].resize(size + kPad);
            own_z_[t].resize(size + kPad);
            at.x[t] = own_y_[t].data();
            z[t] = own_z_[t].data();
        }
        own_w_.resize(size + kPad);
        own_rows_.resize(size + kPad);
        const bool ones = node.w.empty() && !join;
        w = ones ? nullptr : own_w_.data();
        rows = join ? own_rows_.data() : nullptr;
        number = node.number.empty() ? nullptr : own_number_.data();
    }
    cls.resize(size);
    for (u32 c = 0; c + 1 < segment.size(); ++c) std::fill(cls.begin() + segment[c], cls.begin() + segment[c + 1], c);
}

}  // namespace bough::elc
