#include "grow/surrogates.hpp"

#include "base/slack.hpp"
#include "base/threshold.hpp"

namespace bough {

namespace {

constexpr u32 kLeast = 2;  // rows on each side of a surrogate's cut

}  // namespace

Surrogates::Surrogates(const Table& table, const Target& target, const WholeTable& whole, Budget& budget)
    : table_(table), target_(target), whole_(whole), budget_(budget), ranks_(table.n_columns()) {
    for (u32 c : table.of(ColumnKind::numeric)) {
        budget.poll();
        const std::vector<double>& values = whole.numbers(c);
        ranks_[c].resize(table.n_rows, kNone);
        for (u32 row = 0; row < table.n_rows; ++row)
            if (const double x = table.columns[c].value(row); !is_missing(x))
                ranks_[c][row] = static_cast<u32>(std::lower_bound(values.begin(), values.end(), x) - values.begin());
    }
}

std::vector<Surrogate> Surrogates::find(const Split& split, std::span<const u32> rows,
                                        std::span<const u32> sides) const {
    double side[2] = {0, 0};
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (sides[i] < 2) side[sides[i]] += target_.weight(rows[i]);
    const double known = side[0] + side[1], larger = std::max(side[0], side[1]);
    std::vector<Surrogate> found;
    for (u32 c = 0; c < table_.n_columns(); ++c) {
        budget_.poll();
        if (split.kind != NodeKind::linear && c == split.column) continue;
        Surrogate s;
        s.column = c;
        const bool is_numeric = table_.columns[c].kind == ColumnKind::numeric;
        if (!(is_numeric ? numeric(c, rows, sides, s) : nominal(c, rows, sides, s))) continue;
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

// The cut between numbers of the node that sends the most weight alike, the lowest of equals; both sides need kLeast
// rows that have both values.
bool Surrogates::numeric(u32 column, std::span<const u32> rows, std::span<const u32> sides, Surrogate& s) const {
    const std::vector<u32>& rank = ranks_[column];
    const std::vector<double>& values = whole_.numbers(column);
    thread_local std::vector<Tally> tallies;
    thread_local std::vector<u32> present;  // ranks that occur, ascending
    present.clear();
    tallies.resize(std::max(tallies.size(), values.size()));
    Tally all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const u32 r = rank[rows[i]];
        if (r == kNone) continue;
        Tally& t = tallies[r];
        if (!t.seen) present.push_back(r);
        t.seen = true;
        if (sides[i] > 1) continue;
        const double w = target_.weight(rows[i]);
        t.w[sides[i]] += w;
        all.w[sides[i]] += w;
        ++t.n;
        ++all.n;
    }
    std::sort(present.begin(), present.end());
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
            s.cut = between(values[present[i]], values[present[i + 1]]);
        }
    }
    for (u32 r : present) tallies[r] = {};
    return any;
}

// Each value goes where most of its weight does, of equals to the right.
bool Surrogates::nominal(u32 column, std::span<const u32> rows, std::span<const u32> sides, Surrogate& s) const {
    const Column& from = table_.columns[column];
    std::vector<Tally> tallies(from.n_values);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const i32 code = from.codes[rows[i]];
        if (sides[i] > 1 || code < 0) continue;
        Tally& t = tallies[static_cast<u32>(code)];
        ++t.n;
        t.w[sides[i]] += target_.weight(rows[i]);
    }
    u32 left = 0;
    for (u32 v = 0; v < from.n_values; ++v) {
        const Tally& t = tallies[v];
        if (t.n == 0) continue;
        const bool goes_left = t.w[0] > t.w[1];
        s.values.push_back(v);
        s.goes_left.push_back(goes_left ? 1 : 0);
        left += goes_left;
        s.agreement += std::max(t.w[0], t.w[1]);
    }
    return left > 0 && left < s.values.size();
}

}  // namespace bough
