#include "grow/surrogates.hpp"
#include "base/per_thread.hpp"

#include <algorithm>
#include <bit>

#include "base/slack.hpp"
#include "base/threshold.hpp"
#include "score/best.hpp"

namespace bough {

namespace {

constexpr u32 kLeast = 2;  // rows on each side of a surrogate's cut

// The ranks that rows have, ascending, each once: few are sorted, of many a bit each is set and read in order.
void list_ranks(const std::vector<u32>& rank, std::span<const u32> rows, std::size_t n_ranks, std::vector<u32>& to) {
    to.clear();
    auto& bits = per_thread<std::vector<u64>, struct BitsHere>();
    if (rows.size() < n_ranks / 512) {
        for (u32 row : rows)
            if (rank[row] != kNone) to.push_back(rank[row]);
        std::sort(to.begin(), to.end());
        to.erase(std::unique(to.begin(), to.end()), to.end());
        return;
    }
    bits.assign(n_ranks / 64 + 1, 0);
    for (u32 row : rows)
        if (const u32 r = rank[row]; r != kNone) bits[r / 64] |= u64{1} << (r % 64);
    for (u32 i = 0; i < bits.size(); ++i)
        for (u64 left = bits[i]; left != 0; left &= left - 1)
            to.push_back(64 * i + static_cast<u32>(std::countr_zero(left)));
}

}  // namespace

Surrogates::Surrogates(const Table& table, const Target& target, const FullTable& full, bool below, Budget& budget)
    : table_(table), target_(target), full_(full), below_(below), budget_(budget) {}

void Surrogates::rank() const {
    ranks_.resize(table_.n_columns());
    ColumnOrder rows;
    for (u32 c : table_.of(ColumnKind::numeric)) {
        budget_.poll();
        rows.sort(table_.columns[c], table_.n_rows, budget_);
        const std::vector<double>& values = full_.numbers(c);
        ranks_[c].resize(table_.n_rows, kNone);
        u32 place = 0;
        for (u32 i = 0; i < rows.size(); ++i) {
            while (values[place] < rows.number(i)) ++place;
            ranks_[c][rows.row(i)] = place;
        }
    }
}

std::vector<Surrogate> Surrogates::find(const Split& split, std::span<const u32> rows,
                                        std::span<const u32> sides) const {
    std::call_once(ranked_, [&] { rank(); });
    double side[2] = {0, 0};
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (sides[i] < 2) side[sides[i]] += target_.own_weight(rows[i]);
    const double known = side[0] + side[1], larger = std::max(side[0], side[1]);
    const bool left_larger = left_is_heavier(side[0], side[1]);
    const bool ties_left = left_larger && left_is_heavier(side[1], side[0]) ? left_is_higher(rows, sides) : left_larger;
    std::vector<Surrogate> found;
    for (u32 c = 0; c < table_.n_columns(); ++c) {
        budget_.poll();
        if (split.kind != NodeKind::linear && c == split.column) continue;
        Surrogate s;
        s.column = c;
        const bool is_numeric = table_.columns[c].kind == ColumnKind::numeric;
        if (!(is_numeric ? numeric(c, rows, sides, s) : nominal(c, rows, sides, ties_left, s))) continue;
        s.adjusted = (s.agreement - larger) / (known - larger);
        s.agreement = std::min(1.0, s.agreement / known);
        if (!(s.adjusted > kNoAgreement)) continue;
        s.adjusted = std::min(1.0, s.adjusted);
        found.push_back(std::move(s));
    }
    std::stable_sort(found.begin(), found.end(), [](const Surrogate& a, const Surrogate& b) {
        return a.agreement > b.agreement + kTie;  // of equals the first column
    });
    if (found.size() > kMostSurrogates) found.resize(kMostSurrogates);
    return found;
}

// Of two sides of the same weight, has the left one the higher classes or numbers on average?
bool Surrogates::left_is_higher(std::span<const u32> rows, std::span<const u32> sides) const {
    double weight[2] = {0, 0}, sum[2] = {0, 0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (sides[i] > 1) continue;
        const double w = target_.weight(rows[i]);
        weight[sides[i]] += w;
        sum[sides[i]] += w * (target_.regression() ? target_.numbers[rows[i]] : target_.classes[rows[i]]);
    }
    return sum[0] / weight[0] >= sum[1] / weight[1];
}

// The cut between numbers of the node that sends the most weight alike, the lowest of equals; both sides need kLeast
// rows that have both values.
bool Surrogates::numeric(u32 column, std::span<const u32> rows, std::span<const u32> sides, Surrogate& s) const {
    const std::vector<u32>& rank = ranks_[column];
    const std::vector<double>& values = full_.numbers(column);
    auto& tallies = per_thread<std::vector<Tally>, struct TalliesHere>();
    auto& present = per_thread<std::vector<u32>, struct PresentHere>();  // ranks that occur, ascending
    list_ranks(rank, rows, values.size(), present);
    tallies.resize(std::max(tallies.size(), values.size()));
    Tally all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const u32 r = rank[rows[i]];
        if (r == kNone || sides[i] > 1) continue;
        Tally& t = tallies[r];
        const double w = target_.own_weight(rows[i]);
        t.w[sides[i]] += w;
        all.w[sides[i]] += w;
        ++t.n;
        ++all.n;
    }
    Tally low;
    bool any = false;
    for (std::size_t i = 0; i + 1 < present.size(); ++i) {
        const Tally& t = tallies[present[i]];
        low.n += t.n;
        for (u32 side : {0u, 1u}) low.w[side] += t.w[side];
        if (low.n < kLeast || all.n - low.n < kLeast) continue;
        const double straight = low.w[0] + (all.w[1] - low.w[1]), crossed = low.w[1] + (all.w[0] - low.w[0]);
        for (const bool low_left : {true, false}) {
            const double alike = low_left ? straight : crossed;
            if (any && !(alike > s.agreement * (1 + kTie))) continue;
            any = true;
            s.agreement = alike;
            s.low_left = low_left;
            s.cut = cut_between(values[present[i]], values[present[i + 1]], below_);
        }
    }
    for (u32 r : present) tallies[r] = {};
    return any;
}

// Each value goes where most of its weight does; where that is half of it, left if `ties_left`.
bool Surrogates::nominal(u32 column, std::span<const u32> rows, std::span<const u32> sides, bool ties_left,
                         Surrogate& s) const {
    const Column& from = table_.columns[column];
    std::vector<Tally> tallies(from.n_values);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const i32 code = from.codes[rows[i]];
        if (sides[i] > 1 || code < 0) continue;
        Tally& t = tallies[static_cast<u32>(code)];
        ++t.n;
        t.w[sides[i]] += target_.own_weight(rows[i]);
    }
    u32 left = 0;
    for (u32 v = 0; v < from.n_values; ++v) {
        const Tally& t = tallies[v];
        if (t.n == 0) continue;
        const bool tie = left_is_heavier(t.w[0], t.w[1]) && left_is_heavier(t.w[1], t.w[0]);
        const bool goes_left = tie ? ties_left : t.w[0] > t.w[1];
        s.values.push_back(v);
        s.goes_left.push_back(goes_left ? 1 : 0);
        left += goes_left;
        s.agreement += std::max(t.w[0], t.w[1]);
    }
    return left > 0 && left < s.values.size();
}

}  // namespace bough
