// The cells of the search: how large one is, and the same one seen from the middle of its entries.
#include <algorithm>
#include <array>

#include "base/slack.hpp"
#include "elc/search.hpp"

namespace bough::elc {

namespace {

constexpr u32 kSample = 9;

}  // namespace

u32 Search::widest_term(const Cell& cell) const {
    double most = 0.7 * (cell.high - cell.low);
    u32 widest = 0;
    for (u32 t = 1; t < r_; ++t)
        if (const double w = 2 * cell.half[t] * cell.typical[t]; w > most) most = w, widest = t;
    return widest;
}

// Is the cell so small that float64 cannot tell its hyperplanes apart at its open entries? Where they are many, it
// is enough that predict cannot: it knows nothing of the cell's origin.
bool Search::at_floor(const Cell& cell, const Level& level) const {
    const u32 step = std::max(1u, level.size / kSample);
    const bool many = level.size > kMostTried || rejected_ > kMostRejected;
    for (u32 i = 0; i < level.size; i += step) {
        double reach = cell.high - cell.low, size = 0;
        for (u32 t = 0; t < r_; ++t) {
            const double v = std::fabs(level.rows.z[t][i]);
            if (t > 0) reach += cell.half[t] * v;
            size += many ? v + std::fabs(cell.origin[t]) : v;
        }
        if (reach > 4 * slack_ * size) return false;
    }
    return true;
}

// The size of z among the open entries of a cell, by a sample of them.
void Search::measure_typical(Cell& cell, const Level& level) const {
    const u32 step = std::max(1u, level.size / kSample);
    for (u32 t = 1; t < r_; ++t) {
        const double most = 4 * points_.columns[order_[t]]->typical;  // one that is far out says little
        double sum = 0;
        u32 n = 0;
        for (u32 i = step / 2; i < level.size; i += step, ++n) sum += std::min(std::fabs(level.rows.z[t][i]), most);
        cell.typical[t] = std::max(sum / n, kTinySize);
    }
}

// The same hyperplanes seen from the middle of the open entries, if that makes the cell much narrower.
bool Search::recentered(const Cell& cell, const Level& from, Cell& moved, Level& to, bool force) const {
    const u32 step = std::max(1u, from.size / kSample);
    u32 chosen = kNone;
    for (u32 t = 1; t < r_ && chosen == kNone; ++t) {
        std::array<std::pair<double, u32>, 2 * kSample> seen;
        u32 n = 0;
        for (u32 i = step / 2; i < from.size && n < seen.size(); i += step) seen[n++] = {from.rows.z[t][i], i};
        std::sort(seen.begin(), seen.begin() + n);
        const auto [middle, place] = seen[n / 2];
        double away = 0;
        for (u32 i = 0; i < n; ++i) away += std::min(std::fabs(seen[i].first - middle), std::fabs(middle));
        away /= n;
        if (force ||
            (std::fabs(middle) > 4 * away && cell.half[t] * std::fabs(middle) > 0.125 * (cell.high - cell.low)))
            chosen = place;
    }
    if (chosen == kNone) return false;
    moved = cell;
    double shift = 0, spread = 0, size = std::fabs(cell.low) + std::fabs(cell.high);
    for (u32 t = 0; t < r_; ++t) {
        moved.origin[t] = points_.at.x[order_[t]][from.rows.entry[chosen]];
        const double d = moved.origin[t] - cell.origin[t];
        shift += t == 0 ? -d : cell.center[t] * d;
        if (t > 0) spread += cell.half[t] * std::fabs(d);
        size += std::fabs(d);
    }
    spread += 4 * slack_ * size;
    KeptRows out = to.writable(from.size, r_, points_.w != nullptr);
    // A hyperplane of the cell touches r open entries, so at least r of them reach down, and up, to it.
    std::array<double, kMostTerms> lowest, highest;
    lowest.fill(kInf);
    highest.fill(-kInf);
    std::array<double, kMostTerms> sum{};
    for (u32 i = 0; i < from.size; ++i) {
        const u32 entry = from.rows.entry[i];
        double f = 0, reach = 0;
        for (u32 t = 0; t < r_; ++t) {
            const double v = points_.at.x[order_[t]][entry] - moved.origin[t];
            out.z[t][i] = v;
            f += t == 0 ? v : -cell.center[t] * v;
            reach += (t == 0 ? 4 * slack_ : cell.half[t] + 4 * slack_) * std::fabs(v);
            sum[t] += std::min(std::fabs(v), 4 * cell.typical[t]);
        }
        out.entry[i] = entry;
        if (out.w) out.w[i] = from.rows.w[i];
        double l = f - reach, h = f + reach;
        for (u32 j = 0; j < r_; ++j) {
            if (l < lowest[j]) std::swap(l, lowest[j]);
            if (h > highest[j]) std::swap(h, highest[j]);
        }
    }
    moved.low = std::max(cell.low + shift - spread, lowest[r_ - 1]);
    moved.high = std::min(cell.high + shift + spread, highest[r_ - 1]);
    if (!force && moved.high - moved.low > 0.5 * (cell.high - cell.low)) return false;
    for (u32 t = 0; t < r_; ++t) moved.typical[t] = std::max(sum[t] / from.size, kTinySize);
    to.segment = from.segment;
    to.above = from.above;
    return true;
}

}  // namespace bough::elc
