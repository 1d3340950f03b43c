#include "nominal/contingency.hpp"

#include <iterator>

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
    std::vector<u32> classes;
    for (u32 c = 0; c < k; ++c)
        for (u32 v = 0; v < n; ++v)
            if (table[std::size_t{v} * k + c] > 0) {
                classes.push_back(c);
                break;
            }
    t.w.reserve(std::size_t{n} * k);
    t.codes.reserve(n);
    t.rows.reserve(n);
    for (u32 v = 0; v < n; ++v) {
        const double* row = table + std::size_t{v} * k;
        if (std::none_of(row, row + k, [](double x) { return x > 0; })) continue;
        t.codes.push_back(v);
        t.rows.push_back(1);
        for (u32 c : classes) t.w.push_back(row[c]);
    }
    t.n_values = static_cast<u32>(t.codes.size());
    t.n_classes = static_cast<u32>(classes.size());
    t.classes = classes;
    t.integral = all_integral(t.w);
    t.add_up();
    return t;
}

void Contingency::finish(bool weighted) {
    add_up();
    integral = !weighted || all_integral(w);
}

void Tabulator::tabulate(const Node& node, const Column& column, const Target& target, Contingency& t) {
    if (column.counted) {
        t = *column.counted;
        return;
    }
    place_of_.resize(std::max<std::size_t>(place_of_.size(), node.weights.size()));
    for (u32 d = 0; d < node.present.size(); ++d) place_of_[node.present[d]] = d;
    t.codes.clear();
    if (!target.regression() && u64{column.n_values} * (node.present.size() + 1) <= node.n_rows)
        return tabulate_all(node, column, target, t);
    slot_of_.resize(std::max<std::size_t>(slot_of_.size(), column.n_values), 0);
    for (u32 row : node.rows) {
        const u32 code = static_cast<u32>(column.codes[row]);
        if (column.codes[row] < 0) continue;  // it lacks the value
        if (slot_of_[code] == 0) {
            slot_of_[code] = 1;
            t.codes.push_back(code);
        }
    }
    std::sort(t.codes.begin(), t.codes.end());
    for (u32 v = 0; v < t.codes.size(); ++v) slot_of_[t.codes[v]] = v + 1;
    t.n_values = static_cast<u32>(t.codes.size());
    t.n_classes = static_cast<u32>(node.present.size());
    t.classes = node.present;
    t.w.assign(std::size_t{t.n_values} * t.n_classes, 0.0);
    t.z.assign(target.regression() ? t.n_values : 0, 0.0);
    t.origin = node.mean;
    t.rows.assign(t.n_values, 0);
    const bool exact = target.regression() && node.image.keeps_rows();
    sums_.assign(exact ? t.n_values : 0, {});
    for (u32 row : node.rows) {
        if (column.codes[row] < 0) continue;
        const u32 v = slot_of_[static_cast<u32>(column.codes[row])] - 1;
        const double w = target.weight(row);
        if (exact) {
            target.weighted() ? node.image.add(target.numbers[row], sums_[v], w)
                              : node.image.add(target.numbers[row], sums_[v]);
            ++t.rows[v];
            continue;
        }
        t.w[std::size_t{v} * t.n_classes + (target.regression() ? 0 : place_of_[target.classes[row]])] += w;
        if (target.regression()) t.z[v] += w * (target.numbers[row] - node.mean);
        ++t.rows[v];
    }
    for (std::size_t v = 0; v < sums_.size(); ++v) {
        t.w[v] = node.weight_of(sums_[v]);
        t.z[v] = node.distances_of(sums_[v]);
    }
    t.n_rows = 0;
    for (u32 n : t.rows) t.n_rows += n;
    t.add_up();
    t.integral = !target.regression() && (!target.weighted() || all_integral(t.w));
    for (u32 code : t.codes) slot_of_[code] = 0;
}

// The same where there are more rows than values, of classes: one look at each row.
void Tabulator::tabulate_all(const Node& node, const Column& column, const Target& target, Contingency& t) {
    const std::size_t k = node.present.size();
    t.w.assign(column.n_values * k, 0.0);
    t.rows.assign(column.n_values, 0);
    for (u32 row : node.rows) {
        const i32 code = column.codes[row];
        if (code < 0) continue;  // it lacks the value
        t.w[static_cast<u32>(code) * k + place_of_[target.classes[row]]] += target.weight(row);
        ++t.rows[static_cast<u32>(code)];
    }
    t.n_rows = 0;
    for (u32 v = 0; v < column.n_values; ++v) {
        if (t.rows[v] == 0) continue;
        const std::size_t to = t.codes.size();
        std::copy_n(t.w.begin() + static_cast<std::ptrdiff_t>(v * k), k,
                    t.w.begin() + static_cast<std::ptrdiff_t>(to * k));
        t.n_rows += t.rows[to] = t.rows[v];
        t.codes.push_back(v);
    }
    t.n_values = static_cast<u32>(t.codes.size());
    t.n_classes = static_cast<u32>(k);
    t.classes = node.present;
    t.w.resize(t.n_values * k);
    t.z.clear();
    t.rows.resize(t.n_values);
    t.finish(target.weighted());
}

void Contingency::add(const Contingency& other) {
    auto both = [](const std::vector<u32>& a, const std::vector<u32>& b) {
        std::vector<u32> all;
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
        return all;
    };
    auto place = [](const std::vector<u32>& all, u32 x) {
        return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), x) - all.begin());
    };
    Contingency sum;
    sum.codes = both(codes, other.codes);
    sum.classes = both(classes, other.classes);
    sum.n_values = static_cast<u32>(sum.codes.size());
    sum.n_classes = static_cast<u32>(sum.classes.size());
    sum.w.assign(std::size_t{sum.n_values} * sum.n_classes, 0.0);
    sum.z.assign(regression() || other.regression() ? sum.n_values : 0, 0.0);
    sum.rows.assign(sum.n_values, 0);
    for (const Contingency* t : {static_cast<const Contingency*>(this), &other})
        for (u32 v = 0; v < t->n_values; ++v) {
            const std::size_t to = place(sum.codes, t->codes[v]);
            for (u32 c = 0; c < t->n_classes; ++c)
                sum.w[to * sum.n_classes + place(sum.classes, t->classes[c])] += t->of(v)[c];
            if (t->regression()) sum.z[to] += t->z[v];
            sum.rows[to] += t->rows[v];
        }
    sum.integral = integral && other.integral && all_integral(sum.w);
    sum.add_up();
    *this = std::move(sum);
}

void Contingency::add_up() {
    totals.assign(n_values, 0.0);
    all.assign(n_classes, 0.0);
    total = 0;
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
    for (u32 v = 0; v < t.n_values; ++v) {
        if (t.regression()) rz_[0] += t.z[v];
        all_rows_ += t.rows[v];
    }
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
    if (std::min(p.left_rows(), p.right_rows()) < limits_.min_rows) return -kInf;
    const Side l = p.left_side(), r = p.right_side();
    if (std::min(l.total, r.total) < limits_.min_weight) return -kInf;
    return scorer_.traits().sums ? scorer_.gain(l, r) : cut_weight(p);
}

// The weight of a cut, edge by edge.
Gain PartitionSink::cut_weight(const Partition& p) const {
    const Contingency& t = p.table();
    const ValueGraph& graph = *scorer_.graph();
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
        if (t.rows[v] < limits_.min_rows || t.totals[v] < limits_.min_weight) return;
        children.push_back(t.regression() ? Side(t.of(v), std::span<const double>(&t.z[v], 1)).about(t.origin)
                                          : Side(t.of(v)).of(t.classes));
        least = std::min(least, t.totals[v]);
        if (t.totals[v] > most) most = t.totals[v], largest = v;
        evenness -= t.totals[v] / t.total * std::log2(t.totals[v] / t.total);
    }
    const Gain value = scorer_.gain_of_many(children);
    if (!(value > -kInf) || value < best_.floor()) return;
    auto split = std::make_shared<Split>();
    split->kind = NodeKind::multiway;
    split->column = column_;
    split->values = t.codes;
    split->other = stop_unseen_ ? kStopHere : largest;
    best_.offer({value, least, {column_}, family_, {.x = evenness, .split = split}});
}

void scan_order(const Contingency& t, std::span<const u32> order, const PartitionSink& sink) {
    Partition p(t);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        p.flip(order[i]);
        sink.offer(p);
    }
}

}  // namespace bough
