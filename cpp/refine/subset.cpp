#include "refine/subset.hpp"

#include <algorithm>
#include <numeric>

namespace bough {

namespace {

constexpr u32 kSkipped = 8;    // a run of this part of the rows is not walked
constexpr u32 kLongRuns = 16;  // rows of a run on average, from which on its end is foreseen

}  // namespace

void Subset::take_all() {
    const ShallowProblem& p = *problem_;
    n = p.n;
    rows.resize(n);
    std::iota(rows.begin(), rows.end(), 0u);
    classes = p.classes;
    weights = p.weights;
    weight = 0;
    saved.assign(p.k, 0);
    for (u32 row = 0; row < n; ++row) {
        weight += p.most(row);
        for (u32 a = 0; a < p.k; ++a) saved[a] += p.saves(row, a);
    }
    bits.assign((n + 63) / 64, ~u64{0});
    if (n % 64) bits.back() = (u64{1} << n % 64) - 1;
    const std::size_t size = p.lists.size() * std::size_t{n};
    entries.grow_to(size + 1);
    ends.grow_to(size + 1);
    if (!p.weights.empty()) masses.grow_to(size + 1);
    n_runs.assign(p.lists.size(), 0);
    for (u32 l = 0; l < p.lists.size(); ++l) {
        const RankedColumn& column = p.lists[l];
        u32 *to = entries.data() + std::size_t{l} * n, *end = ends.data() + std::size_t{l} * n;
        std::vector<u32> begin(column.values.size() + 1, 0);
        for (u32 r : column.rank) ++begin[r + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::copy(begin.begin() + 1, begin.end(), end);  // no value is without rows
        n_runs[l] = static_cast<u32>(column.values.size());
        for (u32 row = 0; row < n; ++row) to[begin[column.rank[row]]++] = row << (p.class_bits + 1) | classes[row] << 1;
        for (u32 r = 0; r < n_runs[l]; ++r) to[end[r] - 1] |= 1;
        finish(l);
    }
    point_at_lists();
}

void Subset::take_side(const Subset& from, const std::vector<u8>& member, u8 side) {
    const ShallowProblem& p = *problem_;
    bits.assign(from.bits.size(), 0);
    saved.assign(p.k, 0);
    weight = 0;
    n = 0;
    for (u32 i = 0; i < from.n; ++i) {
        if (member[i] != side) continue;
        const u32 row = from.rows[i];
        bits[row >> 6] |= u64{1} << (row & 63);
        weight += p.most(row);
        if (p.gains.empty())
            saved[p.classes[row]] += p.weight(row);
        else
            for (u32 a = 0; a < p.k; ++a) saved[a] += p.saves(row, a);
        ++n;
    }
}

void Subset::fill(const Subset& from, const std::vector<u8>& member, u8 side) {
    const ShallowProblem& p = *problem_;
    const int shift = p.class_bits + 1;
    const u32 low = (1u << shift) - 2;  // the class
    rows.resize(n);
    classes.resize(n);
    weights.resize(p.weights.empty() ? 0 : n);
    std::vector<u32> place(from.n, 0);  // of the rows that stay, and that they do
    for (u32 i = 0, at = 0; i < from.n; ++i) {
        if (member[i] != side) continue;
        rows[at] = from.rows[i];
        classes[at] = from.classes[i];
        if (!weights.empty()) weights[at] = from.weights[i];
        place[i] = at++ << shift | 1;
    }
    const std::size_t size = p.lists.size() * std::size_t{n};
    entries.grow_to(size + 1);
    ends.grow_to(size + 1);
    if (!p.weights.empty()) masses.grow_to(size + 1);
    n_runs.resize(p.lists.size());
    for (u32 l = 0; l < p.lists.size(); ++l) {
        n_runs[l] = 1;
        if (from.n_runs[l] < 2) continue;  // nobody reads it
        const u32 *e = from.list(l), *end = from.ends_of(l);
        u32 *to = entries.data() + std::size_t{l} * n, *to_end = ends.data() + std::size_t{l} * n;
        u32 at = 0, runs = 0, before = 0;
        auto take = [&](u32 x) {  // what is written behind the last row is written again by the next list
            const u32 q = place[x >> shift];
            to[at] = (q & ~1u) | (x & low);
            at += q & 1;
        };
        if (from.n_runs[l] > from.n / kLongRuns) {  // no branch that depends on which rows stay
            for (u32 i = 0; i < from.n; ++i) {
                take(e[i]);
                to_end[runs] = at;
                runs += e[i] & (at != before);
                before = e[i] & 1 ? at : before;
            }
        } else {
            for (u32 r = 0, i = 0; r < from.n_runs[l]; ++r) {
                for (; i < end[r]; ++i) take(e[i]);
                to_end[runs] = at;
                runs += at != before;
                before = at;
            }
        }
        for (u32 r = 0; r < runs; ++r) to[to_end[r] - 1] |= 1;
        n_runs[l] = runs;
        finish(l);
    }
    point_at_lists();
}

void Subset::finish(u32 l) {
    if (weights.empty()) return;
    const u32 *e = list(l), *end = ends_of(l);
    u32* mass = masses.data() + std::size_t{l} * n;
    u32 sum = 0, i = 0;
    for (u32 r = 0; r < n_runs[l]; ++r) {
        for (; i < end[r]; ++i) sum += static_cast<u32>(problem_->most(rows[row_of(e[i])]));
        mass[r] = sum;
    }
}

void Subset::point_at_lists() {
    lanes.clear();
    for (u32 l = 0; l < problem_->lists.size(); ++l) {
        const u32 runs = n_runs[l], *end = ends_of(l);
        if (runs < 2) continue;
        LaneList lane{list(l), problem_->lists[l].nominal, 0, 0};
        for (u32 r = 0, begin = 0; r < runs; begin = end[r++])
            if (end[r] - begin > lane.skip_end - lane.skip_begin) lane.skip_begin = begin, lane.skip_end = end[r];
        if ((lane.skip_end - lane.skip_begin) * kSkipped < n) lane.skip_begin = lane.skip_end = end[runs / 2 - 1];
        lanes.push_back(lane);
    }
}

i64 Subset::mass(u32 splitter, i32 cut) const {
    if (cut < 0) return 0;
    if (cut >= n_cuts(splitter)) return weight;
    const Splitter& s = problem_->splitters[splitter];
    if (s.left.empty()) return (weights.empty() ? ends : masses)[std::size_t{s.list} * n + static_cast<u32>(cut)];
    const std::vector<u32>& rank = problem_->lists[s.list].rank;
    i64 sum = 0;
    for (u32 row : rows)
        if (s.left[rank[row]]) sum += problem_->most(row);
    return sum;
}

void Subset::mark(const Choice& choice, std::vector<u8>& member) const {
    const std::vector<u32>& rank = problem_->lists[choice.list].rank;
    member.resize(n);
    for (u32 i = 0; i < n; ++i) member[i] = choice.goes_left(rank[rows[i]]);
}

Choice Subset::choice(u32 splitter, i32 cut) const {
    const Splitter& s = problem_->splitters[splitter];
    Choice found;
    found.kind = Choice::Kind::split;
    found.list = s.list;
    found.left = s.left;
    if (!s.left.empty()) return found;
    const std::vector<u32>& rank = problem_->lists[s.list].rank;
    const u32 *e = list(s.list), end = ends_of(s.list)[cut];
    found.low = rank[rows[row_of(e[end - 1])]];
    found.high = rank[rows[row_of(e[end])]];
    return found;
}

i64 Subset::leaf_loss(u32* label) const {
    const auto best = std::max_element(saved.begin(), saved.end());
    if (label) *label = static_cast<u32>(best - saved.begin());
    return weight - *best;
}

}  // namespace bough
