#include "elc/search.hpp"

#include "base/slack.hpp"

#include <algorithm>
#include <numeric>

namespace bough::elc {

namespace {

constexpr u32 kFewest[kMostTerms + 1] = {0, 16, 20, 12, 9, 9, 9, 10, 11};  // open entries that are tried out

}  // namespace

KeptRows Search::Level::writable(u32 n, u32 r, bool weighted) {
    const std::size_t each = n + kPad;
    numbers.grow_to(each * (r + (weighted ? 1 : 0)));
    entries.grow_to(each);
    KeptRows out;
    for (u32 t = 0; t < r; ++t) rows.z[t] = out.z[t] = numbers.data() + t * each;
    rows.w = out.w = weighted ? numbers.data() + r * each : nullptr;
    rows.entry = out.entry = entries.data();
    size = n;
    return out;
}

Search::Level& Search::level_at(u32 i) {
    while (levels_.size() <= i) {
        levels_.push_back(std::make_unique<Level>());
        for (u32 s : {0u, 1u}) {
            levels_.back()->low[s].resize(k_);
            levels_.back()->high[s].resize(k_);
        }
    }
    return *levels_[i];
}

bool Search::out_of_time(u64 work, double open) {
    constexpr u64 kOften = 50000;  // rows looked at between two looks at the clock: well below a millisecond
    work_ += work + 20;
    if (!stopped_ && work_ >= kOften) {
        work_ = 0;
        quest_.problem->budget->poll();
        stopped_ = quest_.deadline != Clock::time_point::max() && Clock::now() >= quest_.deadline;
    }
    if (stopped_) open_bound_ = std::max(open_bound_, open);
    return stopped_;
}

double Search::bound_of(const double* low, const double* high) {
    double in = 0, out = 0;
    for (u32 c = 0; c < k_; ++c) in += high[c], out += points_.all[c] - low[c];
    if (points_.n_missing == 0) {
        if (in < least_ || out < least_) return -kInf;
        return bounds_->most(low, high, points_.all.data(), k_);
    }
    // rows without a number are with what is above, or not
    for (u32 c = 0; c < k_; ++c) {
        shifted_low_[c] = low[c] + points_.missing[c];
        shifted_high_[c] = high[c] + points_.missing[c];
    }
    return std::max(bounds_->most(low, high, points_.all.data(), k_),
                    bounds_->most(shifted_low_.data(), shifted_high_.data(), points_.all.data(), k_));
}

// A numeric target, both halves of a cell: the sums above, the open entries, and the largest gain of a side with
// some of them. The gain is convex in weight and sum, so it is largest where the open entries up to some number, or
// all from it on, are taken; entries are in the order of their numbers.
void Search::tally_numbers(Level& here, const Pair& p, u32* n_open, double* bounds) {
    for (u32 s : {0u, 1u}) {
        double sums[2] = {here.above[0], here.above[1]}, open[2] = {}, taken[2] = {};
        open_.clear();
        for (u32 i = 0; i < here.size; ++i) {
            double f = here.rows.z[0][i], reach = p.half[0] * std::fabs(f);
            for (u32 t = 1; t < r_; ++t) {
                const double v = here.rows.z[t][i];
                f -= p.center[t] * v;
                reach += p.half[t] * std::fabs(v);
            }
            f -= (s ? p.move : 0.0) * here.rows.z[p.moved][i];
            const bool above = f - reach > p.high[s];
            if (above || f + reach < p.low[s]) {
                if (above) points_.add(sums, here.rows.entry[i]);
                continue;
            }
            open_.push_back(here.rows.entry[i]);
            points_.add(open, here.rows.entry[i]);
        }
        n_open[s] = static_cast<u32>(open_.size());
        here.low[s].assign(sums, sums + 2);
        bounds[s] = -kInf;
        // rows without a number are with what is above, or not
        if (sums[0] + open[0] + points_.missing[0] < least_ || n_all_ - sums[0] < least_) continue;
        for (std::size_t i = 0;; ++i) {
            for (const bool missing : {false, true}) {
                if (missing && points_.n_missing == 0) break;
                const double w = sums[0] + (missing ? points_.missing[0] : 0.0);
                const double x = sums[1] + (missing ? points_.missing[1] : 0.0);
                const double first[2] = {w + taken[0], x + taken[1]};
                const double last[2] = {w + (open[0] - taken[0]), x + (open[1] - taken[1])};
                bounds[s] = std::max({bounds[s], gain_of(first), gain_of(last)});
            }
            if (i == open_.size()) break;
            points_.add(taken, open_[i]);
        }
    }
}

// How many dimensions the entries span beyond the rounding of their numbers, at most `most`: complete elimination.
u32 Search::dimensions(u32 most) const {
    std::vector<double> x(std::size_t{points_.size} * r_), doubt(r_, 0.0);
    for (u32 t = 0; t < r_; ++t)
        for (u32 e = 0; e < points_.size; ++e) {
            x[std::size_t{e} * r_ + t] = points_.at.x[t][e] - points_.at.x[t][0];
            doubt[t] = std::max(doubt[t], 16 * 0x1p-53 * std::fabs(points_.at.x[t][e]));
        }
    for (u32 found = 0; found < most; ++found) {
        double largest = 1;
        u32 pivot = kNone, term = 0;
        for (u32 e = 0; e < points_.size; ++e)
            for (u32 t = 0; t < r_; ++t)
                if (const double v = std::fabs(x[std::size_t{e} * r_ + t]); v > largest * doubt[t])
                    largest = v / doubt[t], pivot = e, term = t;
        if (pivot == kNone) return found;
        const std::vector<double> row(x.begin() + std::size_t{pivot} * r_, x.begin() + std::size_t{pivot + 1} * r_);
        for (u32 e = 0; e < points_.size; ++e) {
            const double f = x[std::size_t{e} * r_ + term] / row[term];
            for (u32 t = 0; t < r_; ++t) x[std::size_t{e} * r_ + t] -= f * row[t];
            x[std::size_t{e} * r_ + term] = 0;
        }
    }
    return most;
}

Found Search::run(const u32* subset, u32 r, u32 n_random, Rng rng) {
    points_.load(*quest_.columns, subset, r);
    r_ = r;
    k_ = points_.k;
    slack_ = (r + 4) * 0x1p-51;
    local_ = -kInf;
    found_ = {};
    stopped_ = false;
    rejected_ = 0;
    open_bound_ = -kInf;
    limit_ = static_cast<double>(scorer_.limit(*quest_.node));
    side_.resize(k_);
    above_.resize(k_);
    shifted_low_.resize(k_);
    shifted_high_.resize(k_);
    const LeafLimits& limits = quest_.problem->limits;
    least_ = limits.min_weight;
    if (!quest_.problem->target->weighted()) least_ = std::max<double>(least_, std::max(1u, limits.min_rows));
    n_all_ = weight_of(points_.all.data());
    if (points_.size < r) return found_;
    // Entries on a line, up to rounding, span no plane: what their last digits would make of it means nothing, and to
    // try it all takes for ever. Fewer columns do as well.
    if (r > 2 && !points_.at.narrow && dimensions(r - 1) + 1 < r) return found_;
    if (r == 1) {
        line();
    } else if (n_random > 0) {
        try_random_planes(n_random, rng);
    } else {
        for (chart_ = 0; chart_ < r; ++chart_) {
            order_[0] = chart_;
            for (u32 t = 0, i = 1; t < r; ++t)
                if (t != chart_) order_[i++] = t;
            Cell cell;
            for (u32 t = 0; t < r; ++t) {
                cell.half[t] = 1;
                cell.origin[t] = points_.columns[order_[t]]->origin;
                cell.typical[t] = points_.columns[order_[t]]->typical;
            }
            Level& root = level_at(0);
            for (u32 t = 0; t < r; ++t) root.rows.z[t] = points_.z[order_[t]];
            root.rows.w = points_.w;
            root.entries.grow_to(points_.size + kPad);
            std::iota(root.entries.data(), root.entries.data() + points_.size, 0u);
            root.rows.entry = root.entries.data();
            root.segment = points_.segment;
            root.size = points_.size;
            root.above.assign(k_, 0.0);
            cell.low = kInf;
            cell.high = -kInf;
            for (u32 i = 0; i < points_.size; ++i) {
                double reach = 0;
                for (u32 t = 1; t < r; ++t) reach += std::fabs(root.rows.z[t][i]);
                reach = reach * (1 + 4 * slack_) + 4 * slack_ * std::fabs(root.rows.z[0][i]);
                cell.low = std::min(cell.low, root.rows.z[0][i] - reach);
                cell.high = std::max(cell.high, root.rows.z[0][i] + reach);
            }
            explore(cell, 0, limit_, 0, 0);
        }
    }
    found_.open_bound = open_bound_;
    if (found_.any && local_ >= quest_.best.load() - kClosedForm * quest_.unit) {
        const auto split = place(parting_, quest_.options->placing, false);
        found_.any = split.has_value();
        if (split) found_.split = *split;
    } else {
        found_.any = false;
    }
    return found_;
}

void Search::explore(const Cell& cell, u32 at, double bound, u32 stuck, u32 idle) {
    Level& here = level_at(at);
    if (out_of_time(here.size, bound)) return;
    if (here.size < r_ || !(cell.low <= cell.high)) return;
    if (rejected_ > kMostRejected && at_floor(cell, here)) {
        one_plane(cell, here, true);
        return;
    }
    if (here.size <= kFewest[r_]) {
        leaf(cell, here);
        return;
    }
    if (may_be_one_plane(here) && one_plane(cell, here, false)) return;
    if (stuck >= 6 && stuck % 2 == 0) {
        // Entries that cannot be told apart: nearly on one line, say. The longer that lasts, the more are tried.
        double sets = 1;
        for (u32 t = 0; t < r_; ++t) sets = sets * (here.size - t) / (t + 1);
        if (here.size <= kMostTried && sets <= 250.0 * static_cast<double>(1u << std::min(stuck / 2, 24u))) {
            leaf(cell, here);
            return;
        }
    }
    Level& next = level_at(at + 1);
    const bool floor = at > 100 * r_ || at_floor(cell, here);
    Cell moved;
    if (floor) {
        if (at <= 100 * r_ && recentered(cell, here, moved, next, true) && !at_floor(moved, next)) {
            explore(moved, at + 1, bound, 1, 0);
        } else if (here.size <= kMostTried) {
            leaf(cell, here);
        } else {
            one_plane(cell, here, true);
        }
        return;
    }
    if (at % 2 == 1 && here.size > 2 * kFewest[r_] && recentered(cell, here, moved, next, false)) {
        explore(moved, at + 1, bound, stuck, idle);
        return;
    }

    moved = cell;
    if (at % 2 == 1 && here.size > 2 * kFewest[r_]) measure_typical(moved, here);
    // Where that does not help for a while, each in turn.
    const u32 d = idle >= 2 * r_ - 1 ? idle % r_ : widest_term(moved);
    Cell child[2] = {moved, moved};
    Pair pair;
    pair.r = r_;
    pair.half[0] = slack_;
    if (d == 0) {
        child[0].high = child[1].low = cell.low + (cell.high - cell.low) / 2;
    } else {
        child[0].half[d] = child[1].half[d] = cell.half[d] / 2;
        child[0].center[d] = cell.center[d] - cell.half[d] / 2;
        child[1].center[d] = cell.center[d] + cell.half[d] / 2;
        pair.moved = d;
        pair.move = cell.half[d];
    }
    for (u32 t = 1; t < r_; ++t) {
        pair.center[t] = child[0].center[t];
        pair.half[t] = child[0].half[t] + slack_;
    }
    for (u32 s : {0u, 1u}) {
        pair.low[s] = child[s].low;
        pair.high[s] = child[s].high;
    }
    const CellKernels& run = kernels_;
    u32 n_open[2] = {};
    double bounds[2];
    if (!bounds_) tally_numbers(here, pair, n_open, bounds);
    for (u32 c = 0; c < k_ && bounds_; ++c) {
        Tally tally{};
        if (here.segment[c] < here.segment[c + 1])
            run.tally(here.rows, here.segment[c], here.segment[c + 1], pair, tally);
        for (u32 s : {0u, 1u}) {
            here.low[s][c] = here.above[c] + tally.above[s];
            here.high[s][c] = here.low[s][c] + tally.open[s];
            n_open[s] += tally.n_open[s];
        }
    }
    for (u32 s : {0u, 1u}) {
        if (bounds_) bounds[s] = bound_of(here.low[s].data(), here.high[s].data());
        bounds[s] = n_open[s] < r_ ? -kInf : std::min(bound, bounds[s]);
    }
    const u32 useless = std::min(n_open[0], n_open[1]) * 10 > here.size * 9 ? 1 : 0;  // both keep nearly all
    const u32 first = bounds[0] >= bounds[1] ? 0 : 1;
    for (u32 s : {first, 1 - first}) {
        if (!may_win(bounds[s])) continue;
        if (stopped_) {
            open_bound_ = std::max(open_bound_, bounds[s]);
            continue;
        }
        // room for all: what is kept is counted by other code than what was open
        const KeptRows out = next.writable(here.size, r_, points_.w != nullptr);
        next.segment.resize(here.segment.size());
        next.segment[0] = 0;
        u32 end = 0;
        for (u32 c = 0; c + 1 < here.segment.size(); ++c) {
            if (here.segment[c] < here.segment[c + 1])
                end = run.keep(here.rows, here.segment[c], here.segment[c + 1], pair, s, out, end);
            next.segment[c + 1] = end;
        }
        next.size = end;
        next.above = here.low[s];
        const bool same = end * 10 > here.size * 9;
        explore(child[s], at + 1, bounds[s], same ? stuck + 1 : 0, same ? idle + useless : 0);
    }
}

}  // namespace bough::elc
