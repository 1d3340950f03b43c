#include "nominal/contingency.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/per_thread.hpp"
#include "tree/split.hpp"

namespace bough {

namespace {

bool all_integral(std::span<const double> w) {
    for (double x : w)
        if (x != std::floor(x) || x > 0x1p40) return false;
    return true;
}

}  // namespace

Contingency Contingency::of_table(const double* table, u32 n, u32 k) {
    Contingency t;
    std::vector<u8> weighs(n, 0);
    for (u32 c = 0; c < k; ++c) {
        bool any = false;
        for (u32 v = 0; v < n; ++v)
            if (table[std::size_t{v} * k + c] > 0) any = weighs[v] = true;
        if (any) t.classes.push_back(c);
    }
    for (u32 v = 0; v < n; ++v) {
        if (!weighs[v]) continue;
        t.codes.push_back(v);
        for (u32 c : t.classes) t.w.push_back(table[std::size_t{v} * k + c]);
    }
    t.n_values = static_cast<u32>(t.codes.size());
    t.n_classes = static_cast<u32>(t.classes.size());
    t.rows.assign(t.n_values, 1);
    t.finish(true);
    return t;
}

void Contingency::finish(bool weighted) {
    add_up();
    integral = !regression() && (!weighted || all_integral(w));
}

const Contingency& tabulated(const Node& node, const Column& column, const Target& target) {
    if (column.counted) return *column.counted;
    struct Room {
        std::vector<u32> slot_of;    // per value of the column: 1 + its place, 0 outside a call
        std::vector<u32> place_of;   // per class
        std::vector<ExactSum> sums;  // per value, of a numeric target
        Contingency table;
    };
    auto& [slot_of, place_of, sums, t] = per_thread<Room, struct TabulatedHere>();
    const bool regression = target.regression(), exact = regression && node.image.keeps_rows();
    const u32 k = static_cast<u32>(node.present.size());
    place_of.resize(std::max<std::size_t>(place_of.size(), node.weights.size()));
    for (u32 d = 0; d < k; ++d) place_of[node.present[d]] = d;
    slot_of.resize(std::max<std::size_t>(slot_of.size(), column.n_values), 0);
    t.codes.clear();
    if (u64{column.n_values} * (k + 1) <= node.n_rows) {  // those that are not there are dropped later
        t.codes.resize(column.n_values);
        std::iota(t.codes.begin(), t.codes.end(), 0u);
    } else {
        for (u32 row : node.rows) {
            const i32 code = column.codes[row];
            if (code >= 0 && std::exchange(slot_of[static_cast<u32>(code)], 1) == 0)
                t.codes.push_back(static_cast<u32>(code));
        }
        std::sort(t.codes.begin(), t.codes.end());
    }
    const std::size_t slots = t.codes.size();
    for (u32 v = 0; v < slots; ++v) slot_of[t.codes[v]] = v + 1;
    t.w.assign(slots * k, 0.0);
    t.z.assign(regression ? slots : 0, 0.0);
    t.rows.assign(slots, 0);
    sums.assign(exact ? slots : 0, {});
    for (u32 row : node.rows) {
        const i32 code = column.codes[row];
        if (code < 0) continue;  // it is missing
        const u32 v = slot_of[static_cast<u32>(code)] - 1;
        const double w = target.weight(row);
        ++t.rows[v];
        if (exact) {
            target.weighted() ? node.image.add(target.numbers[row], sums[v], w)
                              : node.image.add(target.numbers[row], sums[v]);
            continue;
        }
        t.w[std::size_t{v} * k + (regression ? 0 : place_of[target.classes[row]])] += w;
        if (regression) t.z[v] += w * (target.numbers[row] - node.mean);
    }
    t.n_values = 0;
    for (u32 v = 0; v < slots; ++v) {
        slot_of[t.codes[v]] = 0;
        if (t.rows[v] == 0) continue;
        const u32 to = t.n_values++;
        t.codes[to] = t.codes[v];
        t.rows[to] = t.rows[v];
        for (u32 c = 0; c < k; ++c) t.w[std::size_t{to} * k + c] = t.w[std::size_t{v} * k + c];
        if (regression) t.z[to] = t.z[v];
        if (exact) t.w[to] = node.weight_of(sums[v]), t.z[to] = node.distances_of(sums[v]);
    }
    t.codes.resize(t.n_values);
    t.w.resize(std::size_t{t.n_values} * k);
    t.z.resize(regression ? t.n_values : 0);
    t.rows.resize(t.n_values);
    t.n_classes = k;
    t.classes = node.present;
    t.origin = node.mean;
    t.finish(target.weighted());
    return t;
}

void Contingency::add_up() {
    totals.assign(n_values, 0.0);
    all.assign(n_classes, 0.0);
    total = 0;
    n_rows = std::accumulate(rows.begin(), rows.end(), 0u);
    for (u32 v = 0; v < n_values; ++v) {
        const double* row = of(v).data();
        double sum[2] = {0, 0};  // two chains of additions wait half as long
        for (u32 c = 0; c < n_classes; ++c) {
            sum[c & 1] += row[c];
            all[c] += row[c];
        }
        totals[v] = sum[0] + sum[1];
        total += totals[v];
    }
}

Partition::Partition(const Contingency& t)
    : t_(t),
      left_(t.n_values, 0),
      lw_(t.n_classes, 0.0),
      rw_(t.all),
      lz_(t.regression() ? 1 : 0, 0.0),
      rz_(t.regression() ? 1 : 0, 0.0) {
    for (double z : t.z) rz_[0] += z;
}

void Partition::flip(u32 value) {
    const auto row = t_.of(value);
    auto& to = left_[value] ? rw_ : lw_;
    auto& from = left_[value] ? lw_ : rw_;
    for (u32 c = 0; c < t_.n_classes; ++c) {
        to[c] += row[c];
        from[c] = std::max(0.0, from[c] - row[c]);
    }
    if (t_.regression()) {
        (left_[value] ? rz_ : lz_)[0] += t_.z[value];
        (left_[value] ? lz_ : rz_)[0] -= t_.z[value];
    }
    if (left_[value])
        --n_left_, left_rows_ -= t_.rows[value];
    else
        ++n_left_, left_rows_ += t_.rows[value];
    left_[value] ^= 1;
}

void Partition::set(std::span<const u8> left) {
    for (auto* v : {&lw_, &rw_, &lz_, &rz_}) std::fill(v->begin(), v->end(), 0.0);
    n_left_ = left_rows_ = 0;
    for (u32 v = 0; v < t_.n_values; ++v) {
        left_[v] = left[v] ? 1 : 0;
        auto& w = left[v] ? lw_ : rw_;
        for (u32 c = 0; c < t_.n_classes; ++c) w[c] += t_.of(v)[c];
        if (t_.regression()) (left[v] ? lz_ : rz_)[0] += t_.z[v];
        if (left[v]) ++n_left_, left_rows_ += t_.rows[v];
    }
}

Side Partition::left_side() const {
    return t_.regression() ? Side(lw_, lz_).about(t_.origin) : Side(lw_).of(t_.classes);
}
Side Partition::right_side() const {
    return t_.regression() ? Side(rw_, rz_).about(t_.origin) : Side(rw_).of(t_.classes);
}

Gain PartitionSink::gain(const Partition& p) const {
    if (p.n_left() == 0 || p.n_left() == p.table().n_values) return -kInf;
    if (std::min(p.left_rows(), p.right_rows()) < problem_.limits.min_rows) return -kInf;
    const Side l = p.left_side(), r = p.right_side();
    if (std::min(l.total, r.total) < problem_.limits.min_weight) return -kInf;
    return scorer().traits().sums ? scorer().gain(l, r) : cut_weight(p);
}

// The weight of a cut, edge by edge.
Gain PartitionSink::cut_weight(const Partition& p) const {
    const Contingency& t = p.table();
    const ValueGraph& graph = *scorer().graph();
    const ValueRows rows = t.value_rows();
    std::vector<double> row(t.n_values);
    double sum = 0;
    for (u32 v = 1; v < t.n_values; ++v) {
        graph.edges(rows, v, v, row.data());
        for (u32 u = 0; u < v; ++u)
            if (p.left(u) != p.left(v)) sum += row[u];
        if (v % 64 == 0) poll();
    }
    return sum * graph.scale(rows);
}

void PartitionSink::offer(const Partition& p) const {
    if (gain(p) < best_.floor() - kRunning * best_.scale()) return;
    offer(p.table(), {p.mask().begin(), p.mask().end()});
}

void PartitionSink::offer(const Contingency& t, std::vector<u8> mask) const {
    if (t.n_values > 0 && !mask[0])  // the first value is always on the left
        for (auto& m : mask) m ^= 1;
    Partition fresh(t);  // sums made by flips have drifted
    fresh.set(mask);
    const Gain value = gain(fresh);
    if (!(value > -kInf) || value < best_.floor()) return;
    auto split = std::make_shared<Split>();
    split->kind = NodeKind::subset;
    split->column = column_;
    split->values = t.codes;
    split->goes_left = mask;
    const Side left = fresh.left_side(), right = fresh.right_side();
    split->other = stop_unseen_ ? kStopHere : (left_is_heavier(left.total, right.total) ? 0u : 1u);
    u64 order = 0;
    for (u32 v = 0; v < std::min(t.n_values, 63u); ++v) order |= u64{mask[v] ? 0u : 1u} << (62 - v);
    const double balance = std::min(left.total, right.total);
    best_.offer({value, balance, {column_, 0, order}, family_, {.split = split}});
}

void PartitionSink::offer_multiway(const Contingency& t) const {
    if (t.n_values < 2) return;
    std::vector<Side> children;
    double least = kInf, most = -kInf, evenness = 0;  // in bits
    u32 largest = 0;
    for (u32 v = 0; v < t.n_values; ++v) {
        if (t.rows[v] < problem_.limits.min_rows || t.totals[v] < problem_.limits.min_weight) return;
        children.push_back(t.regression() ? Side(t.of(v), std::span<const double>(&t.z[v], 1)).about(t.origin)
                                          : Side(t.of(v)).of(t.classes));
        least = std::min(least, t.totals[v]);
        if (t.totals[v] > most) most = t.totals[v], largest = v;
        evenness -= t.totals[v] / t.total * std::log2(t.totals[v] / t.total);
    }
    const Gain value = scorer().gain_of_many(children);
    if (!(value > -kInf) || value < best_.floor()) return;
    auto split = std::make_shared<Split>();
    split->kind = NodeKind::multiway;
    split->column = column_;
    split->values = t.codes;
    split->other = stop_unseen_ ? kStopHere : largest;
    best_.offer({value, least, {column_}, family_, {.x = evenness, .split = split}});
}

std::vector<u8> partition_of(u64 i, u32 n) {
    std::vector<u8> left(n, 1);
    for (u32 v = 1; v < n; ++v) left[v] = (i ^ i >> 1) >> (v - 1) & 1;
    return left;
}

void scan_order(const Contingency& t, std::span<const u32> order, const PartitionSink& sink) {
    Partition p(t);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        p.flip(order[i]);
        sink.offer(p);
    }
}

}  // namespace bough
