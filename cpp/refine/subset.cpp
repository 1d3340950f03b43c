#include "refine/subset.hpp"

#include <algorithm>
#include <numeric>

namespace bough {

namespace {

constexpr u32 kSkipped = 8;  // a run of this part of the rows is not walked

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
    make_room();
    for (u32 l = 0; l < p.lists.size(); ++l) {
        const RankedColumn& column = p.lists[l];
        u32 *to = entries.data() + std::size_t{l} * n, *end = ends.data() + std::size_t{l} * n;
        std::vector<u32> begin(column.values.size() + 1, 0);
        for (u32 r : column.rank) ++begin[r + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::copy(begin.begin() + 1, begin.end(), end);  // no value is without rows
        n_runs[l] = static_cast<u32>(column.values.size());
        if (column.top != kNone) gap_at[l] = begin[column.top], gap[l] = begin[column.top + 1] - gap_at[l];
        for (std::size_t r = std::size_t{column.top} + 1; r < begin.size(); ++r) begin[r] -= gap[l];
        for (u32 row = 0; row < n; ++row)
            if (const u32 r = column.rank[row]; r != column.top)
                to[begin[r]++] = row << (p.class_bits + 1) | classes[row] << 1;
        for (u32 r = 0; r < n_runs[l]; ++r)
            if (r != column.top) to[begin[r] - 1] |= 1;
        finish(l);
    }
    point_at_lists();
}

void Subset::make_room() {
    const std::size_t m = problem_->lists.size(), size = m * n + 2;
    entries.grow_to(size);
    ends.grow_to(size);
    if (!problem_->weights.empty()) masses.grow_to(size);
    n_runs.assign(m, 1);
    gap_at.assign(m, 0);
    gap.assign(m, 0);
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
    make_room();
    for (u32 l = 0; l < p.lists.size(); ++l) {
        if (from.n_runs[l] < 2) continue;  // nobody reads it
        const u32* e = from.list(l);
        u32 *to = entries.data() + std::size_t{l} * n, *to_end = ends.data() + std::size_t{l} * n;
        u32 at = 0, runs = 0, before = 0;
        auto walk = [&](u32 begin, u32 end) {  // no branch that depends on which rows stay
            for (u32 i = begin; i < end; ++i) {
                const u32 x = e[i], q = place[x >> shift];
                to[at] = (q & ~1u) | (x & low);  // behind the last row: written again by the next list
                at += q & 1;
                to_end[runs] = at;
                runs += x & (at != before);
                before = x & 1 ? at : before;
            }
        };
        walk(0, from.gap_at[l]);
        const u32 middle = runs;
        gap_at[l] = at;
        walk(from.gap_at[l], from.n_listed(l));
        gap[l] = n - at;
        for (u32 r = 0; r < runs; ++r) to[to_end[r] - 1] |= 1;
        if (gap[l] > 0) {
            for (u32 r = runs++; r > middle; --r) to_end[r] = to_end[r - 1] + gap[l];
            to_end[middle] = gap_at[l] + gap[l];
        }
        n_runs[l] = runs;
        finish(l);
    }
    point_at_lists();
}

void Subset::finish(u32 l) {
    if (weights.empty()) return;
    const u32 *e = list(l), *end = ends_of(l);
    u32* mass = masses.data() + std::size_t{l} * n;
    auto weigh = [&](u32 begin, u32 stop) {
        u32 sum = 0;
        for (u32 i = begin; i < stop; ++i) sum += static_cast<u32>(problem_->most(rows[row_of(e[i])]));
        return sum;
    };
    const u32 of_gap = static_cast<u32>(weight) - weigh(0, n_listed(l));
    u32 sum = 0, i = 0;
    for (u32 r = 0; r < n_runs[l]; ++r) {
        const bool here = gap[l] > 0 && end[r] == gap_at[l] + gap[l];
        const u32 stop = end[r] > gap_at[l] ? end[r] - gap[l] : end[r];
        mass[r] = sum += here ? of_gap : weigh(i, stop);
        i = stop;
    }
}

void Subset::point_at_lists() {
    lanes.clear();
    for (u32 l = 0; l < problem_->lists.size(); ++l) {
        const u32 runs = n_runs[l], *end = ends_of(l);
        if (runs < 2) continue;
        LaneList lane{list(l), n_listed(l), problem_->lists[l].nominal, gap_at[l], gap_at[l]};
        for (u32 r = 0, begin = 0; r < runs && gap[l] == 0; begin = end[r++])
            if (end[r] - begin > lane.skip_end - lane.skip_begin) lane.skip_begin = begin, lane.skip_end = end[r];
        if (gap[l] == 0 && (lane.skip_end - lane.skip_begin) * kSkipped < n)
            lane.skip_begin = lane.skip_end = end[runs / 2 - 1];
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
    const u32 end = ends_of(s.list)[cut];
    found.low = rank_at(s.list, end - 1);
    found.high = rank_at(s.list, end);
    return found;
}

i64 Subset::leaf_loss(u32* label) const {
    const auto best = std::max_element(saved.begin(), saved.end());
    if (label) *label = static_cast<u32>(best - saved.begin());
    return weight - *best;
}

}  // namespace bough
