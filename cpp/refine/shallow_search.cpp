#include "refine/shallow_search.hpp"

#include <algorithm>
#include <queue>

namespace bough {

namespace {

constexpr i64 kShortSums = 32000;              // sums that fit into 16 bits
constexpr i32 kFirstPicks = 4;                 // cuts of a column that are evaluated first
constexpr std::size_t kKnownBytes = 1u << 28;  // of row sets whose best trees are kept

u64 hash_of(const std::vector<u64>& bits, u32 depth) {
    u64 h = 0x9e3779b97f4a7c15u + depth;
    for (u64 word : bits) {
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

}  // namespace

ShallowSearch::ShallowSearch(const ShallowProblem& problem, Settings settings, Budget& budget,
                             std::function<void(Cost)> better)
    : p_(problem), settings_(settings), budget_(budget), better_(std::move(better)) {
    constexpr double kEver = 1e9;
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::min(settings.max_seconds, kEver)));
}

bool ShallowSearch::paused() {
    budget_.poll();
    stop_ = stop_ || (settings_.interrupted && *settings_.interrupted) || Clock::now() > end_;
    return stop_;
}

Subset& ShallowSearch::pool(u32 level) {
    while (pool_.size() <= level) pool_.push_back(std::make_unique<Subset>(p_));
    return *pool_[level];
}

// So many leaves predict so many classes at most.
Cost ShallowSearch::least(const Subset& s, u32 depth) const {
    std::vector<i64> saved = s.saved;
    std::sort(saved.begin(), saved.end(), std::greater<>());
    const std::size_t most = std::min<std::size_t>(saved.size(), std::size_t{1} << std::min(depth, 30u));
    Cost best = kAny;
    i64 loss = s.weight;
    for (std::size_t leaves = 1; leaves <= most; ++leaves) {
        loss -= saved[leaves - 1];
        best = std::min(best, std::max<i64>(loss, 0) * kFine + static_cast<Cost>(leaves) * p_.leaf);
    }
    return best;
}

// Leaves only the cuts at both ends of an interval that may be better; false: there is none.
bool ShallowSearch::trim(const Subset& s, const Interval& v, Cost best, i32& first, i32& last) const {
    first = v.low + 1;
    last = v.high - 1;
    if (v.bound >= best) return false;
    auto hopeless = [&](i32 cut) {
        const Cost m = mass(s, v.splitter, cut);
        return v.left_at(m) + v.right_at(m) >= best;
    };
    while (first <= last && hopeless(first)) ++first;
    while (first <= last && hopeless(last)) --last;
    return first <= last;
}

// The cut that leaves nearest to this share of the weight before it.
i32 ShallowSearch::middle(const Subset& s, u32 splitter, i32 first, i32 last, double share) const {
    if (first == last) return first;
    const Cost from = mass(s, splitter, first), to = mass(s, splitter, last);
    const double wanted = static_cast<double>(from) + static_cast<double>(to - from) * share;
    i32 low = first, high = last;
    while (low < high) {
        const i32 at = (low + high) / 2;
        if (static_cast<double>(mass(s, splitter, at)) < wanted)
            low = at + 1;
        else
            high = at;
    }
    if (low > first &&
        wanted - static_cast<double>(mass(s, splitter, low - 1)) < static_cast<double>(mass(s, splitter, low)) - wanted)
        --low;
    return low;
}

ShallowSearch::Interval ShallowSearch::all_cuts(const Subset& s, u32 splitter, Cost below) const {
    return {2 * p_.leaf, splitter, -1, s.n_cuts(splitter), p_.leaf, below, below, p_.leaf, 0, s.weight * kFine};
}

// ---- depth two ------------------------------------------------------------------------------------------------

// What the best trees of one cut cost on both sides of up to kLanes cuts, those of a column in order. Without a
// splitter all rows are on the left.
void ShallowSearch::batch(const Subset& s, std::span<const Cut> cuts, Cost* left, Cost* right) {
    masks_.assign(s.n, 0);
    for (std::size_t a = 0, b = 0; a < cuts.size(); a = b) {
        u32 bits = 0;
        for (; b < cuts.size() && cuts[b].splitter == cuts[a].splitter; ++b) bits |= 1u << b;
        if (cuts[a].splitter == kNone) {
            masks_.assign(s.n, bits);
            continue;
        }
        const Splitter& splitter = p_.splitters[cuts[a].splitter];
        if (!splitter.left.empty()) {
            const std::vector<u32>& rank = p_.lists[splitter.list].rank;
            for (u32 i = 0; i < s.n; ++i) masks_[i] |= splitter.left[rank[s.rows[i]]] ? bits : 0u;
            continue;
        }
        const u32 l = splitter.list, *e = s.list(l), *end = s.ends_of(l), gap = s.gap[l];
        u32 i = 0;
        for (; a < b && (gap == 0 || end[cuts[a].cut] <= s.gap_at[l]); bits &= ~(1u << a++))
            for (; i < end[cuts[a].cut]; ++i) masks_[s.row_of(e[i])] |= bits;
        if (bits == 0) continue;
        for (u32& mask : masks_) mask |= bits;  // rows that are not listed are on the left of these
        i = s.n_listed(l);
        for (std::size_t c = b; c-- > a; bits &= ~(1u << c))
            while (i + gap > end[cuts[c].cut]) masks_[s.row_of(e[--i])] &= ~bits;
    }
    LaneRows rows;
    rows.n = s.n;
    rows.n_classes = p_.k;
    rows.class_bits = p_.class_bits;
    rows.wide = s.weight > kShortSums;
    rows.classes = s.classes.data();
    rows.weights = s.weights.empty() ? nullptr : s.weights.data();
    rows.gains = p_.gains.empty() ? nullptr : p_.gains.data();
    rows.top = p_.top.data();
    rows.masks = masks_.data();
    rows.lists = s.lanes;
    LaneCosts costs;
    lane_costs(rows, static_cast<u32>(cuts.size()), scratch_, costs);
    for (std::size_t j = 0; j < cuts.size(); ++j) {
        auto best = [&](u32 side) {
            return std::min(costs.leaf[side][j] * kFine + p_.leaf, costs.stump[side][j] * kFine + 2 * p_.leaf);
        };
        left[j] = best(0);
        right[j] = best(1);
    }
}

Found ShallowSearch::two_levels(const Subset& s, Cost budget, std::vector<Both>* all) {
    Found r;
    const Cost pure = leaf_cost(s);
    if (pure == p_.leaf || s.n < 2) return {pure, pure, leaf(s)};
    r.bound = least(s, 2);
    if (r.bound >= budget) return r;
    Cost one = 0, none = 0, best = budget;
    const Cut nowhere{kNone, 0};
    batch(s, {&nowhere, 1}, &one, &none);
    Cut at = nowhere;
    const bool simple = one < best;
    if (!all) best = std::min(best, one);
    active_.clear();
    for (u32 f = 0; f < p_.splitters.size(); ++f)
        if (s.n_cuts(f) > 0) active_.push_back(all_cuts(s, f, one));
    for (bool first = true; !active_.empty() && !stop_; first = false) {
        cuts_.clear();
        owner_.clear();
        asked_.clear();
        for (const Interval& v : active_) {
            i32 from, to;
            if (!trim(s, v, best, from, to)) continue;
            const i32 n = to - from + 1, picks = first ? kFirstPicks : std::min(3, 1 + n / 16);
            const u32 owner = static_cast<u32>(asked_.size());
            asked_.push_back(v);
            auto pick = [&](i32 cut) {
                cuts_.push_back({v.splitter, cut});
                owner_.push_back(owner);
            };
            if (n <= std::max(picks, 3)) {
                for (i32 t = from; t <= to; ++t) pick(t);
                continue;
            }
            i32 last = -1;
            for (i32 i = 1; i <= picks; ++i)
                if (const i32 t = middle(s, v.splitter, from, to, i / (picks + 1.0)); t > last) pick(last = t);
        }
        lefts_.resize(cuts_.size());
        rights_.resize(cuts_.size());
        for (std::size_t done = 0; done < cuts_.size() && !paused(); done += kLanes) {
            const std::size_t n = std::min<std::size_t>(kLanes, cuts_.size() - done);
            batch(s, {cuts_.data() + done, n}, lefts_.data() + done, rights_.data() + done);
            for (std::size_t i = done; i < done + n; ++i) {
                const Cost sum = lefts_[i] + rights_[i];
                if (sum >= best) continue;
                if (all)
                    all->push_back({cuts_[i], lefts_[i], rights_[i]});
                else
                    best = sum, at = cuts_[i];
            }
        }
        if (stop_) break;
        next_.clear();
        for (std::size_t i = 0; i < cuts_.size();) {
            Interval v = asked_[owner_[i]];
            const Interval whole = v;
            auto keep = [&](Interval x) {
                x.bound = x.between();
                if (x.high - x.low > 1 && x.bound < best) next_.push_back(x);
            };
            for (const u32 owner = owner_[i]; i < cuts_.size() && owner_[i] == owner; ++i) {
                Interval x = v;
                x.high = cuts_[i].cut;
                x.left_high = lefts_[i];
                x.right_high = rights_[i];
                x.mass_high = mass(s, v.splitter, x.high);
                keep(x);
                v.low = x.high;
                v.left_low = x.left_high;
                v.right_low = x.right_high;
                v.mass_low = x.mass_high;
            }
            v.high = whole.high;
            keep(v);
        }
        active_.swap(next_);
    }
    if (!stop_) r.bound = best;
    if (best >= budget) return r;
    r.cost = best;
    Choice open;
    open.kind = Choice::Kind::stump;
    if (at.splitter != kNone)
        r.tree = joined(s.choice(at.splitter, at.cut), {open}, {open});
    else if (simple)
        r.tree = {open};
    return r;
}

// ---- depth three and more -------------------------------------------------------------------------------------

Found ShallowSearch::solve(const Subset& s, u32 depth, Cost budget, u32 level) {
    if (depth > 2) return deep(s, depth, budget, level, nullptr);
    return depth == 2 ? two_levels(s, budget) : stump(s);
}

Found ShallowSearch::child(const Subset& s, const std::vector<u8>& member, u8 side, u32 depth, Cost budget, u32 level) {
    Subset& x = pool(level);
    x.take_side(s, member, side);
    const Cost pure = leaf_cost(x);
    if (pure == p_.leaf || x.n < 2) return {pure, pure, leaf(x)};
    Found r;
    r.bound = least(x, depth);
    if (r.bound >= budget) return r;
    const u64 hash = hash_of(x.bits, depth);
    Known* known = nullptr;
    for (auto [it, end] = known_.equal_range(hash); it != end; ++it)
        if (it->second.depth == depth && it->second.bits == x.bits) known = &it->second;
    if (known && (known->found.cost <= known->found.bound || known->found.bound >= budget)) return known->found;
    x.fill(s, member, side);
    Found found = solve(x, depth, budget, level + 1);
    found.bound = std::min(std::max(found.bound, r.bound), found.cost);
    if (stop_) return found;
    if (known) {
        known->found = found;
    } else if (known_bytes_ < kKnownBytes) {
        known_bytes_ += 8 * x.bits.size() + 2 * sizeof(Known) + found.tree.size() * sizeof(Choice);
        known_.emplace(hash, Known{x.bits, depth, found});
    }
    return found;
}

Found ShallowSearch::deep(const Subset& s, u32 depth, Cost budget, u32 level, const Found* smaller,
                          std::vector<Both>* all) {
    Found r;
    const Cost pure = leaf_cost(s);
    if (pure == p_.leaf || s.n < 2) return {pure, pure, leaf(s)};
    r.bound = least(s, depth);
    if (r.bound >= budget) return r;
    Cost best = budget;
    Sketch tree;
    auto take = [&](Cost found, auto make) {
        if (all || found >= best) return;
        best = found;
        tree = make();
        if (level == 0) offer(s, {0, best, tree});
    };
    take(pure, [&] { return leaf(s); });
    Found two;
    if (!smaller && depth == 3) two = two_levels(s, kAny), smaller = &two;
    if (smaller) take(smaller->cost, [&] { return smaller->tree; });
    const Cost below = smaller ? std::max(smaller->bound, p_.leaf) : least(s, depth - 1);
    std::priority_queue<Interval> open;
    for (u32 f = 0; f < p_.splitters.size(); ++f)
        if (s.n_cuts(f) > 0) {
            Interval v = all_cuts(s, f, below);
            v.bound = std::max(v.bound, r.bound);
            open.push(v);
        }
    std::vector<u8> member;
    while (!open.empty() && open.top().bound < best && !paused()) {
        const Interval v = open.top();
        open.pop();
        i32 first, last;
        if (!trim(s, v, best, first, last)) continue;
        const i32 cut = middle(s, v.splitter, first, last, 0.5);
        const Cost here = mass(s, v.splitter, cut);
        const Choice root = s.choice(v.splitter, cut);
        s.mark(root, member);
        Cost bound[2] = {v.left_at(here), v.right_at(here)};  // of both sides
        const Cost far[2] = {v.left_low, v.right_high};       // ... of all cuts of the interval
        const bool alone[2] = {cut == first, cut == last};    // no cut is left beside this one
        Cost room[2] = {best - bound[1], best - bound[0]};
        Found found[2];
        const u32 heavier = here * 2 >= s.weight * kFine ? 0 : 1;
        for (u32 side : {heavier, 1 - heavier}) {
            const u32 other = 1 - side;
            if (side != heavier && bound[other] + far[side] >= best) break;  // whatever is on this side
            found[side] = child(s, member, side == 0, depth - 1, room[side], level);
            bound[side] = std::max(bound[side], found[side].bound);
            if (alone[side]) room[other] = std::min(room[other], best - bound[side]);
            if (stop_) break;
        }
        if (all && found[0].cost + found[1].cost < best)
            all->push_back({{v.splitter, cut}, found[0].cost, found[1].cost});
        if (!found[0].tree.empty() && !found[1].tree.empty())
            take(found[0].cost + found[1].cost, [&] { return joined(root, found[0].tree, found[1].tree); });
        if (stop_) {
            open.push(v);
            break;
        }
        auto keep = [&](Interval x) {
            x.bound = std::max(x.between(), r.bound);
            if (x.high - x.low > 1 && x.bound < best) open.push(x);
        };
        Interval x = v;
        x.high = cut, x.left_high = bound[0], x.right_high = bound[1], x.mass_high = here;
        keep(x);
        x = v;
        x.low = cut, x.left_low = bound[0], x.right_low = bound[1], x.mass_low = here;
        keep(x);
    }
    r.bound = std::max(r.bound, open.empty() ? best : std::min(best, open.top().bound));
    if (tree.empty()) return r;
    r.cost = best;
    r.tree = std::move(tree);
    return r;
}

Found ShallowSearch::optimal(u32 depth) {
    Subset all(p_);
    all.take_all();
    best_ = {least(all, depth), kAny, {}};
    offer(all, {0, leaf_cost(all), leaf(all)});
    if (depth < 3) {
        Found found = solve(all, depth, kAny, 0);
        const Cost bound = found.bound;
        offer(all, std::move(found));
        best_.bound = std::max(best_.bound, bound);
        return best_;
    }
    Found two = solve(all, 2, kAny, 1), smaller = two;
    for (u32 look = 2; look <= std::min(depth - 1, 3u); ++look) {
        if (look == 3) smaller = solve(all, depth - 1, kAny, 1);
        offer(all, smaller);
        offer(all, roll(all, depth, look, look == depth - 1 ? &smaller : look == 2 ? &two : nullptr));
    }
    if (best_.cost <= best_.bound) return best_;
    if (stop_) return best_;
    const Found found = deep(all, depth, best_.cost, 0, &smaller);
    best_.bound = std::max(best_.bound, std::min(found.bound, best_.cost));
    return best_;
}

}  // namespace bough
