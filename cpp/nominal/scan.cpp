#include "nominal/scan.hpp"

#include <bit>

namespace bough {

std::span<const u32> KeyOrder::sort(std::span<const double> keys, double size) {
    double low = kInf, high = -kInf;
    for (double k : keys) {
        low = k < low ? k : low;
        high = k > high ? k : high;
    }
    u32 n;
    const u64* rows = order_rows(keys.data(), static_cast<u32>(keys.size()), low, high, scratch_, never_, n);
    order_.resize(n);
    for (u32 i = 0; i < n; ++i) order_[i] = static_cast<u32>(rows[i]);
    const double reach = std::max({high - low, size, std::fabs(low), std::fabs(high)});
    const double steps = reach > 0 ? 1 / kShares / reach : 0.0;
    auto place = [&](u32 i) { return static_cast<i64>((keys[order_[i]] - low) * steps + 0.5); };
    // Steps divide some ties in two: keys one step apart are tied as well.
    for (u32 from = 0, to = 1; from < n; from = to++) {
        for (i64 last = place(from), next; to < n && (next = place(to)) - last <= 1; ++to) last = next;
        if (to - from > 1) std::sort(order_.begin() + from, order_.begin() + to);
    }
    return order_;
}

Scan::Scan(const Contingency& t, const PartitionSink& sink) : Scan(t, t, nullptr, sink) {}
Scan::Scan(const Contingency& t, const Supervalues& super, const PartitionSink& sink)
    : Scan(t, super.table, &super, sink) {}

Scan::Scan(const Contingency& original, const Contingency& t, const Supervalues* super, const PartitionSink& sink)
    : original_(original),
      t_(t),
      super_(super),
      sink_(sink),
      stride_((t.n_classes + 3) / 4 * 4),
      all_(stride_, 0.0),
      hash_(t.n_values) {
    std::copy(t.all.begin(), t.all.end(), all_.begin());
    for (u32 v = 0; v < t.n_values; ++v) hash_[v] = mix(v + 1);
    block_.assign(std::size_t{kBlock} * stride_, 0.0);
    side_.resize(stride_);
}

void Scan::start(std::size_t count) {
    gains_.resize(count);
    done_ = 0;
    filled_ = 0;
    relative_ = 0;
}

double* Scan::next() {
    if (filled_ == kBlock) flush();
    return block_.data() + std::size_t{filled_++} * stride_;
}

void Scan::flush() {
    const LeftSides s{filled_, t_.n_classes, stride_, block_.data(), all_.data(), t_.total, t_.integral, t_.classes};
    relative_ = std::max(relative_, sink_.scorer().gains(s, gains_.data() + done_));
    done_ += filled_;
    filled_ = 0;
}

double Scan::slack(double gain) const {
    return relative_ == kInf ? kInf : relative_ * std::max(sink_.best().scale(), std::fabs(gain));
}

std::span<const double> Scan::cuts(std::span<const u32> order, bool exchanged) {
    start(order.size() - 1);
    std::fill(side_.begin(), side_.end(), 0.0);
    double rows = 0, weight = 0;
    std::vector<u32> broken;
    for (u32 i = 0; i + 1 < order.size(); ++i) {
        const u32 v = order[i], last = exchanged ? order[i + 1] : v;  // the last one on the left
        const double *own = t_.of(v).data(), *in = t_.of(last).data();
        double* to = next();
        for (u32 c = 0; c < t_.n_classes; ++c) {
            to[c] = side_[c] + in[c];
            side_[c] += own[c];
        }
        if (!sink_.limited()) continue;
        if (!sink_.keeps_limits(t_, rows + t_.rows[last], weight + t_.totals[last])) broken.push_back(i);
        rows += t_.rows[v];
        weight += t_.totals[v];
    }
    flush();
    for (u32 i : broken) gains_[i] = -kInf;
    return gains_;
}

std::span<const double> Scan::moves(const Partition& p) {
    const u32 k = t_.n_classes;
    start(t_.n_values);
    const Side left = p.left_side();
    for (u32 v = 0; v < t_.n_values; ++v) {
        const double* row = t_.of(v).data();
        double* to = next();
        for (u32 c = 0; c < k; ++c) to[c] = p.left(v) ? std::max(0.0, left.w[c] - row[c]) : left.w[c] + row[c];
    }
    flush();
    for (u32 v = 0; v < t_.n_values; ++v) {
        const u32 n = p.left(v) ? p.n_left() - 1 : p.n_left() + 1;
        bool broken = n == 0 || n == t_.n_values;
        if (sink_.limited()) {
            const double sign = p.left(v) ? -1 : 1;
            broken |= !sink_.keeps_limits(t_, p.left_rows() + sign * t_.rows[v], left.total + sign * t_.totals[v]);
        }
        if (broken) gains_[v] = -kInf;
    }
    return gains_;
}

// Offers the partitions whose gain may be the best of the table, each once and `most` at most. `left_of(i)` are the
// left values of partition i.
template <class LeftOf>
void Scan::offer_near(u64 most, LeftOf left_of) {
    double top = -kInf;
    for (double g : gains_) top = g > top ? g : top;
    if (!(top > -kInf)) return;
    const double off = slack(top);
    top_ = std::max(top_, top);
    const double near = std::max<double>(top_, sink_.best().floor()) - 2 * off;
    for (u64 i = 0, n = 0; i < gains_.size() && n < most; ++i) {
        if (gains_[i] < near || !(gains_[i] > -kInf)) continue;
        std::vector<u8> left = left_of(i);
        u64 hash = 0, all = 0;
        for (u32 v = 0; v < t_.n_values; ++v) {
            if (left[v]) hash ^= hash_[v];
            all ^= hash_[v];
        }
        if (!offered_.insert(std::min(hash, hash ^ all)).second) continue;
        ++n;
        sink_.offer(original_, super_ ? super_->expand(left) : std::move(left));
    }
    if (offered_.size() > 1u << 16) offered_.clear();
}

void Scan::offer_cuts(std::span<const u32> order, bool exchanged) {
    constexpr u64 kMost = 512;  // a table of equal values ties everywhere
    if (order.size() < 2) return;
    cuts(order, exchanged);
    offer_near(kMost, [&](u64 i) {
        std::vector<u8> left(t_.n_values, 0);
        for (u64 j = 0; j < i; ++j) left[order[j]] = 1;
        left[order[exchanged ? i + 1 : i]] = 1;
        return left;
    });
}

void Scan::offer_all() {
    const u32 n = t_.n_values;
    const u64 count = u64{1} << (n - 1);
    start(count);
    double rows = 0, weight = 0;
    std::vector<u64> broken;
    for (u64 i = 0; i < count; ++i) {
        auto put = [&](u32 v, double sign) {
            for (u32 c = 0; c < t_.n_classes; ++c) side_[c] += sign * t_.of(v)[c];
            rows += sign * t_.rows[v];
            weight += sign * t_.totals[v];
        };
        if (i % kBlock == 0) {  // summed afresh: fractions drift
            sink_.poll();
            std::fill(side_.begin(), side_.end(), rows = weight = 0.0);
            const auto left = partition_of(i, n);
            for (u32 v = 0; v < n; ++v)
                if (left[v]) put(v, 1);
        } else {
            const u32 v = 1 + static_cast<u32>(std::countr_zero(i));
            put(v, (i ^ i >> 1) >> (v - 1) & 1 ? 1 : -1);
        }
        std::copy_n(side_.begin(), t_.n_classes, next());
        const bool proper = (i ^ i >> 1) != count - 1;  // a side without values may have weight, by rounding
        if (!proper || (sink_.limited() && !sink_.keeps_limits(t_, rows, weight))) broken.push_back(i);
    }
    flush();
    for (u64 i : broken) gains_[i] = -kInf;
    offer_near(count, [&](u64 i) { return partition_of(i, n); });
}

}  // namespace bough
