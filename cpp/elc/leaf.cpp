// The end of a search: every hyperplane of a small cell, its sides exactly, and the split behind it.
#include <algorithm>
#include <bit>
#include <numeric>

#include "base/slack.hpp"
#include "data/column_order.hpp"
#include "elc/search.hpp"

namespace bough::elc {

// One column: every number in turn, from above.
void Search::line() {
    ColumnOrder order;
    order.sort({points_.at.x[0], points_.size}, *quest_.problem->budget);
    std::vector<double> above(k_, 0.0);
    chart_ = 0;
    for (u32 end = order.size(), begin; end > 0; end = begin) {
        for (begin = end; begin > 0 && order.number(begin - 1) == order.number(end - 1);) --begin;
        on_.clear();
        for (u32 i = begin; i < end; ++i) on_.push_back(order.row(i));
        plane_.through(points_.at, on_.data());
        try_shares(above.data(), on_, 1, nullptr);
        for (u32 e : on_) points_.add(above.data(), e);
        if (out_of_time(on_.size(), limit_)) return;
    }
}

// Hyperplanes through r random entries; entries are few where rows are equal, so one may be tried twice.
void Search::try_random_planes(u32 n, Rng& rng) {
    u32 entries[kMostTerms];
    std::vector<double> above(k_);
    for (u32 plane = 0; plane < n; ++plane) {
        for (u32 i = 0; i < r_;) {
            entries[i] = rng.below(points_.size);
            if (std::find(entries, entries + i, entries[i]) == entries + i) ++i;
        }
        if (out_of_time(u64{points_.size} * r_, limit_)) return;
        if (!plane_.through(points_.at, entries)) continue;
        for (chart_ = 0; plane_.sign_of(chart_) == 0;) ++chart_;
        const int turn = plane_.sign_of(chart_);
        on_.clear();
        std::fill(above.begin(), above.end(), 0.0);
        for (u32 e = 0; e < points_.size; ++e) {
            const int s = turn * plane_.side(e);
            if (s == 0) on_.push_back(e);
            if (s > 0) points_.add(above.data(), e);
        }
        try_shares(above.data(), on_, turn, nullptr);
    }
}

void Search::gather(const Level& level) {
    leaf_classes_.clear();
    for (u32 q = 0; q < level.size && !bounds_; ++q) number_[q] = points_.number[level.rows.entry[q]];
    for (u32 c = 0; c + 1 < level.segment.size(); ++c) {
        const u32 from = level.segment[c], to = level.segment[c + 1];
        if (from == to) continue;
        const u64 below_to = to >= 64 ? ~u64{0} : (u64{1} << to) - 1;
        class_mask_[leaf_classes_.size()] = below_to & ~((u64{1} << from) - 1);
        leaf_classes_.push_back(c);
    }
    for (u32 t = 0; t < r_; ++t)
        for (u32 q = 0; q < level.size; ++q) x_[t * 64 + q] = points_.at.x[t][level.rows.entry[q]];
}

void Search::leaf(const Cell& cell, const Level& level) {
    gather(level);
    if (r_ == 2)
        pairs(cell, level);
    else
        sets(cell, level);
}

void Search::pairs(const Cell& cell, const Level& level) {
    const u32 a = order_[0], b = order_[1], n = level.size;
    const double *y = x_ + a * 64, *x = x_ + b * 64, *z0 = level.rows.z[0], *z1 = level.rows.z[1];
    const double least = cell.center[1] - cell.half[1] - kSlope, most = cell.center[1] + cell.half[1] + kSlope;
    u32 places[2];
    std::fill(tried_, tried_ + n, u64{0});
    for (u32 i = 0; i + 1 < n; ++i) {
        for (u32 j = i + 1; j < n; ++j) {
            if (tried_[i] >> j & 1) continue;  // on a line with an earlier pair
            const double dx = x[j] - x[i], dy = y[j] - y[i], s = dy / dx;
            if (!(s >= least && s <= most)) continue;  // also where dx is 0: such a line is of the other chart
            const double at = z0[i] - s * z1[i], room = 4 * slack_ * (std::fabs(z0[i]) + std::fabs(z1[i]));
            if (at < cell.low - room || at > cell.high + room) continue;
            places[0] = i;
            places[1] = j;
            const u32 entries[2] = {level.rows.entry[i], level.rows.entry[j]};
            if (plane_.through(points_.at, entries)) try_plane(level, places);
        }
        if (out_of_time(n, limit_)) return;
    }
}

void Search::sets(const Cell& cell, const Level& level) {
    const u32 n = level.size;
    u32 places[kMostTerms], entries[kMostTerms];
    std::iota(places, places + r_, 0u);
    for (;;) {
        for (u32 i = 0; i < r_; ++i) entries[i] = level.rows.entry[places[i]];
        if (plane_.through(points_.at, entries) && inside(cell, level, places)) try_plane(level, places);
        if (!next_set(places, r_, n)) return;
        if (out_of_time(n, limit_)) return;
    }
}

// Is the hyperplane in the cell, as far as float64 can tell?
bool Search::inside(const Cell& cell, const Level& level, const u32* places) const {
    const double n0 = plane_.normal[order_[0]], doubt = plane_.doubt(order_[0]);
    if (!(std::fabs(n0) > 2 * doubt)) return true;
    double at = level.rows.z[0][places[0]], room = 4 * slack_ * std::fabs(at);
    for (u32 t = 1; t < r_; ++t) {
        const double s = -plane_.normal[order_[t]] / n0;
        const double unsure = 2 * (plane_.doubt(order_[t]) + std::fabs(s) * doubt) / std::fabs(n0) + kSlope;
        if (!(std::fabs(s - cell.center[t]) <= cell.half[t] + unsure)) return false;
        const double v = level.rows.z[t][places[0]];
        at -= s * v;
        room += (4 * slack_ * (1 + std::fabs(s)) + unsure) * std::fabs(v);
    }
    return at >= cell.low - room && at <= cell.high + room;
}

// The hyperplane plane_ through entries of a small cell.
void Search::try_plane(const Level& level, const u32* places) {
    const int turn = plane_.sign_of(chart_);
    if (turn == 0) return;
    double from[kMostTerms];
    for (u32 t = 0; t < r_; ++t) from[t] = x_[t * 64 + places[0]];
    u64 above, on;
    const bool narrow = points_.at.narrow;
    kernels_.sides(x_, level.size, r_, from, plane_.normal, plane_.size, plane_.error(), narrow ? 0.0 : kTinyProduct,
                   above, on);
    if (turn < 0) above = ~above & ~on & (level.size >= 64 ? ~u64{0} : (u64{1} << level.size) - 1);
    if (!narrow) {
        u64 basis = 0;
        for (u32 i = 0; i < r_; ++i) basis |= u64{1} << places[i];
        for (u64 doubt = on & ~basis; doubt; doubt &= doubt - 1) {
            const u32 q = static_cast<u32>(std::countr_zero(doubt));
            const int s = turn * plane_.side(level.rows.entry[q]);
            if (s != 0) on &= ~(u64{1} << q);
            if (s > 0) above |= u64{1} << q;
        }
        on |= basis;
        above &= ~basis;
    }
    if (r_ == 2 && std::popcount(on) > 2)
        for (u64 bits = on; bits; bits &= bits - 1) tried_[std::countr_zero(bits)] |= on;
    auto sum = [&](u64 bits) {
        if (!level.rows.w) return static_cast<double>(std::popcount(bits));
        double w = 0;
        for (; bits; bits &= bits - 1) w += level.rows.w[std::countr_zero(bits)];
        return w;
    };
    std::copy(level.above.begin(), level.above.end(), above_.begin());
    for (std::size_t i = 0; i < leaf_classes_.size(); ++i) above_[leaf_classes_[i]] += sum(above & class_mask_[i]);
    for (u64 bits = bounds_ ? 0 : above; bits; bits &= bits - 1) {
        const int q = std::countr_zero(bits);
        above_[1] += (level.rows.w ? level.rows.w[q] : 1.0) * number_[q];
    }
    on_.clear();
    for (u64 bits = on; bits; bits &= bits - 1) on_.push_back(level.rows.entry[std::countr_zero(bits)]);
    try_shares(above_.data(), on_, turn, nullptr);
}

// Any number of entries on plane_; `forced` are taken as on it whatever their exact side.
void Search::try_shares(const double* above, const std::vector<u32>& on, int turn, const std::vector<u32>* forced) {
    if (quest_.options->optimal) return try_orders(above, on, turn, forced);
    const int up = quest_.options->touching == Touching::above ? turn * canonical() : 0;
    if (up <= 0) {
        for (u32 c = 0; c < k_; ++c) side_[c] = above[c] + points_.missing[c];
        consider(side_.data(), {Share::Way::with_below, 0, true}, turn, forced);
    }
    if (up >= 0) {
        std::copy(above, above + k_, side_.begin());
        for (u32 e : on) points_.add(side_.data(), e);
        consider(side_.data(), {Share::Way::with_above, 0, false}, turn, forced);
    }
}

// Two columns, each touching entry on its own side: a turn of the line about a point of it sends the
// entries before that point one way and the others the other way.
void Search::try_orders(const double* above, std::vector<u32> on, int turn, const std::vector<u32>* forced) {
    std::sort(on.begin(), on.end(), [&](u32 a, u32 b) { return is_before(a, b); });
    std::vector<double> first(above, above + k_), last(above, above + k_), side(k_);
    for (u32 e : on) points_.add(last.data(), e);
    auto both = [&](const std::vector<double>& v, Share share) {
        consider(v.data(), share, turn, forced);
        if (points_.n_missing == 0) return;
        for (u32 c = 0; c < k_; ++c) side[c] = v[c] + points_.missing[c];
        share.missing_above = true;
        consider(side.data(), share, turn, forced);
    };
    both(first, {Share::Way::with_below, 0, false});
    both(last, {Share::Way::with_above, 0, false});
    for (std::size_t i = 0; i < on.size(); ++i) {
        points_.add(first.data(), on[i]);
        points_.add(last.data(), on[i], -1);
        if (i + 1 == on.size() || !is_before(on[i], on[i + 1])) continue;
        both(first, {Share::Way::first, on[i], false});
        both(last, {Share::Way::last, on[i], false});
    }
}

bool Search::is_before(u32 a, u32 b) const {
    for (u32 t = 0; t < r_; ++t)
        if (points_.at.x[t][a] != points_.at.x[t][b]) return points_.at.x[t][a] < points_.at.x[t][b];
    return false;
}

// The sign of the first coefficient that is not 0.
int Search::canonical() const {
    for (u32 t = 0; t < r_; ++t)
        if (const int s = plane_.sign_of(t)) return s;
    return 1;
}

void Search::consider(const double* side, const Share& share, int turn, const std::vector<u32>* forced) {
    const double in = weight_of(side);
    if (in < least_ || n_all_ - in < least_) return;
    const double gain = gain_of(side);
    if (r_ == 1 ? gain >= local_ - kTie * quest_.unit : may_win(gain)) accept(share, turn, forced);
}

// Checks a hyperplane that seems to be better from the ground up, and keeps it.
void Search::accept(const Share& share, int turn, const std::vector<u32>* forced) {
    Parting p;
    p.points = &points_;
    p.budget = quest_.problem->budget;
    if (!quest_.problem->moments.centers.empty()) p.centers = quest_.problem->moments.centers.data();
    p.right.resize(points_.size);
    std::vector<u8> is_on;
    if (forced) {
        is_on.assign(points_.size, 0);
        for (u32 e : *forced) is_on[e] = 1;
    }
    std::vector<double> right(points_.missing), left(points_.missing);
    std::fill(share.missing_above ? left.begin() : right.begin(), share.missing_above ? left.end() : right.end(), 0.0);
    u64 n_right = share.missing_above ? points_.n_missing : 0;
    for (u32 e = 0; e < points_.size; ++e) {
        if (e % kEntriesOfPoll == 0) p.budget->poll();
        const int s = forced && is_on[e] ? 0 : turn * plane_.side(e);
        const bool up = s > 0 || (s == 0 && (share.way == Share::Way::with_above ||
                                             (share.way == Share::Way::first && !is_before(share.mark, e)) ||
                                             (share.way == Share::Way::last && is_before(share.mark, e))));
        p.right[e] = up;
        points_.add((up ? right : left).data(), e);
        if (up) n_right += points_.rows_of(e);
    }
    const u64 least = std::max(1u, quest_.problem->limits.min_rows);
    if (n_right < least || points_.n_rows - n_right < least) return;
    auto side = [&](const std::vector<double>& v) {
        return bounds_ ? Side(v) : Side({v.data(), 1}, {v.data() + 1, 1}).about(quest_.node->mean);
    };
    const Side l = side(left), r = side(right);
    const double balance = std::min(l.total, r.total);
    if (balance < quest_.problem->limits.min_weight) return;
    const Gain gain = scorer_.gain(l, r);
    if (r_ == 1) {  // one column: the rule for ties; cuts come from above, so the later one is the lower one
        const double tie = kTie * quest_.unit;
        if (gain < local_ - tie || (gain <= local_ + tie && balance < found_.balance - kTie * n_all_)) return;
    } else if (!may_win(static_cast<double>(gain))) {
        return;
    }
    p.missing_right = share.missing_above;
    p.touching_right = share.way == Share::Way::with_above;
    p.along_normal = share.way == Share::Way::with_above || share.way == Share::Way::with_below;
    for (u32 t = 0; t < r_; ++t) p.normal[t] = turn * plane_.normal[t];
    if (!place(p, quest_.options->placing, true)) {
        ++rejected_;  // unless the normal was at fault
        if (r_ < 3) return;
        plane_.exact_normal(p.normal);
        for (u32 t = 0; t < r_; ++t) p.normal[t] *= turn;
        if (!place(p, quest_.options->placing, true)) return;
        --rejected_;
    }
    local_ = static_cast<double>(gain);
    found_.any = true;
    found_.gain = gain;
    found_.balance = balance;
    parting_ = std::move(p);
    if (quest_.alone) return;
    double best = quest_.best.load();
    while (local_ > best && !quest_.best.compare_exchange_weak(best, local_)) {
    }
}

// Do n + 1 entries, the last of which is `entry`, span n dimensions?
bool Search::independent(const u32* chosen, u32 n, u32 entry) const {
    u32 p[kMostTerms];
    std::copy(chosen + 1, chosen + n, p);
    p[n - 1] = entry;
    for (u32 mask = 1; mask < 1u << r_; ++mask)
        if (static_cast<u32>(std::popcount(mask)) == n && points_.at.sign(chosen[0], p, n, mask) != 0) return true;
    return false;
}

// Are r + 1 of the open entries of a cell on one hyperplane? If not, that is the end of the question.
bool Search::may_be_one_plane(const Level& level) {
    u32 chosen[kMostTerms + 1];
    for (u32 i = 0; i <= r_; ++i) chosen[i] = level.rows.entry[u64{i} * (level.size - 1) / r_];
    return !plane_.through(points_.at, chosen) || plane_.side(chosen[r_]) == 0;
}

// Are all open entries of a cell on one hyperplane, or on none? Then that is all there is to try. `force`:
// they are taken as touching it together, because float64 cannot tell them apart.
bool Search::one_plane(const Cell& cell, const Level& level, bool force) {
    u32 chosen[kMostTerms], n = 1;
    chosen[0] = level.rows.entry[0];
    for (u32 i = 1; i < level.size && n < r_; ++i)
        if (independent(chosen, n, level.rows.entry[i])) chosen[n++] = level.rows.entry[i];
    if (n < r_ || !plane_.through(points_.at, chosen)) return true;
    std::vector<u32> on(level.rows.entry, level.rows.entry + level.size);
    if (!force)
        for (u32 e : on)
            if (plane_.side(e) != 0) return false;
    const u32 first = 0;  // the place of chosen[0]
    if (!force && !inside(cell, level, &first)) return true;
    const int turn = plane_.sign_of(chart_);
    if (turn != 0) try_shares(level.above.data(), on, turn, force ? &on : nullptr);
    return true;
}

}  // namespace bough::elc
