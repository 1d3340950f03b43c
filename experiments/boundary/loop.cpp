// What boundary points save in a compiled sweep. Grows a tree from a table in a file, and times at every node and for
// every column six ways to find its best cut: cut by cut, and by the sweeps of the library, without and with their
// bounds; each over all cuts and over boundary points alone. All six have to find the same gain.
//
//   loop TABLE gini|entropy     prints JSON: ticks of the clock and judged cuts of each way
#include <x86intrin.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>

#include "criteria/entropy.hpp"
#include "criteria/gini.hpp"
#include "score/sweep_many.hpp"
#include "score/sweep_two.hpp"

using namespace bough;

namespace {

enum Way { plain, plain_boundary, sweep, sweep_boundary, bounds, bounds_boundary, kWays };
constexpr const char* kNames[] = {"plain", "plain_boundary", "sweep", "sweep_boundary", "bounds", "bounds_boundary"};
constexpr u32 kMixed = ~u32{0};

struct Gini {
    static constexpr Traits traits{.convex = true, .box_corners = true};
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return gini_gain(l, r);
    }
    static Gain unit(const Node& node) { return gini_impurity(BothSides(node).side()); }
    template <bool>
    using Two = GiniTwo;
    template <class Num>
    using Many = GiniMany<Num>;
};

struct Entropy {
    static constexpr Traits traits{.convex = true, .box_corners = true, .logs = true};
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return information_gain(l, r);
    }
    static Gain unit(const Node& node) { return entropy_impurity(BothSides(node).side()); }
    template <bool kCounts>
    using Two = EntropyTwo<kCounts>;
    template <class Num>
    using Many = EntropyMany<Num>;
};

// A sorted list of a node.
struct List {
    Feed feed;
    u32 n;
    bool ties, heavy;  // is any value repeated in the table? are most neighbours equal here?

    bool ends(u32 i) const { return feed.separates(i); }
};

// Marks the cuts between two values that do not both hold rows of one and the same class.
void mark_boundaries(const List& list, u8* tried) {
    if (!list.ties) {
        for (u32 i = 0; i + 1 < list.n; ++i) tried[i] = list.feed.cls(i) != list.feed.cls(i + 1);
        return;
    }
    std::memset(tried, 0, list.n);
    u32 before = kMixed;
    for (u32 begin = 0, end; begin < list.n; begin = end) {
        u32 label = list.feed.cls(begin);
        for (end = begin + 1; end < list.n && !list.ends(end - 1); ++end)
            if (list.feed.cls(end) != label) label = kMixed;
        if (begin > 0) tried[begin - 1] = label == kMixed || label != before;
        before = label;
    }
}

// One gain after the other, from the counts of both sides.
template <class C, bool kBoundary>
void one_by_one(const Node& node, const List& list, u8* tried, Best& best, u64& judged) {
    if constexpr (kBoundary) mark_boundaries(list, tried);
    static std::vector<double> left, right;
    left.assign(node.weights.size(), 0.0);
    right = node.weights;
    for (u32 i = 0; i + 1 < list.n; ++i) {
        const u32 c = list.feed.cls(i);
        left[c] += 1;
        right[c] -= 1;
        if (kBoundary ? !tried[i] : !list.ends(i)) continue;
        ++judged;
        const Side l = Side::known(left, i + 1.0), r = Side::known(right, list.n - i - 1.0);
        best.offer({C::gain(l, r), std::min(l.total, r.total), {0, 0, i}});
    }
}

template <class C>
Gain plain_gain(const Node& node, const double* outer) {
    static std::vector<double> l, r;
    l.clear(), r.clear();
    for (u32 c : node.present) l.push_back(outer[c]), r.push_back(node.weights[c] - outer[c]);
    return C::gain(Side(l), Side(r));
}

// The library's sweep of many classes (score/sweep_many.hpp), blocks of it passed over by bounds or not, all cuts or
// boundary points of what is left.
template <class C, bool kBounds, bool kBoundary>
void blocks(const Node& node, const List& list, u8* tried, Best& best, u64& judged) {
    using Many = ManyClasses<C, i64>;
    if constexpr (kBoundary) mark_boundaries(list, tried);
    Sums sums;
    sums.start_w.assign(node.weights.size(), 0.0);
    Many many(node, sums, false);
    typename Many::Word a[kBlock], b[kBlock];
    u32 at[kBlock], looked_up[kBlock];
    double before = 0;
    for (u32 base = 0, size; base + 1 < list.n; base += size, before += size) {
        size = std::min({kBlock, list.n - 1 - base, kBlock});
        if (node.n_rows >= 128)
            size = std::min(std::clamp(std::min(base, (node.n_rows - base) / 2), u32{32}, kBlock), list.n - 1 - base);
        const double slack = Many::slack(best.scale()), floor = best.floor() - slack;
        const BlockClasses classes = list.feed.classes(base, size, looked_up);
        if constexpr (kBounds && requires(u32* moves) { many.bound(node, moves, 0.0, 0u); })
            if (size >= 32 && best.floor() > 0 && std::min(before, node.total - before - size) >= 16) {
                u32 counts[kCountedClasses];
                count_classes(classes, size, node.weights.size(), counts);
                if (many.bound(node, counts, before, size) < floor) {
                    many.skip(node, counts);
                    continue;
                }
            }
        std::vector<double>& outer = sums.start_w;
        for (u32 c : node.present) outer[c] = many.outer(c);
        u32 cuts = 0;
        Many m = many;
        for (u32 j = 0; j < size; ++j) {
            m.move(classes(j), 1);
            m.put(a[cuts], b[cuts]);
            at[cuts] = j;
            cuts += kBoundary ? tried[base + j] : !list.heavy || list.ends(base + j);
        }
        many = m;
        judged += cuts;
        auto weight = [&](u32 j) { return before + 1 + at[j]; };
        bool any = false;
        if constexpr (requires { m.level(floor); }) {
            const double level = m.level(floor);
            any = any_reaches_zero(cuts, [&, level](u32 j) { return m.excess(a[j], b[j], weight(j), level); });
        } else {
            for (u32 j = 0; j < cuts; ++j) any |= m.value(a[j], b[j], weight(j)) >= floor;
        }
        if (!any) continue;
        u32 done = 0;
        pick<kBlock>(
            cuts, floor, slack, [&](u32 j) { return m.value(a[j], b[j], weight(j)); },
            [&](u32 j) { return kBoundary || list.ends(base + at[j]) ? Verdict::yes : Verdict::no; },
            [&](u32 j) {
                for (; done <= at[j]; ++done) outer[classes(done)] += 1;
                const double w = weight(j);
                best.offer({plain_gain<C>(node, outer.data()), std::min(w, node.total - w), {0, 0, base + at[j]}});
            });
    }
}

// The library's sweep of two classes (score/sweep_two.hpp).
template <class C, bool kBounds, bool kBoundary>
void pairs(const Node& node, const List& list, u8* tried, Best& best, u64& judged) {
    using Two = TwoClasses<C, true>;
    if constexpr (kBoundary) mark_boundaries(list, tried);
    const u32 zero = node.present[0], one = node.present[1];
    const double n0 = node.weights[zero], n1 = node.weights[one];
    const Two value(n0, n1);
    const double slack = Two::slack(best.scale());
    double l0 = 0, l1 = 0;
    i32 ones[kBlock];
    u32 at[kBlock], looked_up[kBlock];
    for (u32 base = 0; base + 1 < list.n; base += kBlock) {
        const u32 size = std::min(kBlock, list.n - 1 - base);
        const double floor = best.floor() - slack, start = l0 + l1 + 1;
        const BlockClasses classes = list.feed.classes(base, size, looked_up);
        const u32 *e = classes.words, mask = classes.mask << classes.shift, wanted = one << classes.shift;
        if (kBounds && size == kBlock && floor > 0) {
            const u32 in_block = list_kernels().count_block(e, mask, wanted);
            const double b1 = l1 + in_block, b0 = l0 + kBlock - in_block;
            const double top = std::max(std::max(value(b1, b0 + b1), value(l1, l0 + l1)),
                                        std::max(value(b1, l0 + b1), value(l1, b0 + l1)));
            if (top < floor) {
                l0 = b0;
                l1 = b1;
                continue;
            }
        }
        const i32 before = static_cast<i32>(l1);
        i32 sum = before;
        u32 cuts = 0;
        for (u32 j = 0; j < size; ++j) {
            sum += (e[j] & mask) == wanted;
            ones[cuts] = sum;
            if constexpr (kBoundary) {
                at[cuts] = j;
                cuts += tried[base + j];
            } else {
                ++cuts;
            }
        }
        l1 = sum;
        l0 += static_cast<i32>(size) - (sum - before);
        judged += cuts;
        auto place = [&](u32 j) { return kBoundary ? at[j] : j; };
        auto of_one = [&](u32 j) { return static_cast<double>(ones[j]); };
        auto outside = [&](u32 j) { return start + static_cast<i32>(place(j)); };
        if (!any_reaches(value, cuts, floor, of_one, outside, AllowedCuts::of_two(node, {}, false))) continue;
        pick<kBlock>(
            cuts, floor, slack, [&](u32 j) { return value(of_one(j), outside(j)); },
            [&](u32 j) { return kBoundary || list.ends(base + j) ? Verdict::yes : Verdict::no; },
            [&](u32 j) {
                const double w = outside(j), outer[2] = {w - ones[j], of_one(j)},
                             inner[2] = {n0 - outer[0], n1 - outer[1]};
                best.offer({C::gain(Side(outer), Side(inner)), std::min(w, node.total - w), {0, 0, base + place(j)}});
            });
    }
}

template <class C, bool kBounds, bool kBoundary>
void swept(const Node& node, const List& list, u8* tried, Best& best, u64& judged) {
    if (node.present.size() == 2) return pairs<C, kBounds, kBoundary>(node, list, tried, best, judged);
    blocks<C, kBounds, kBoundary>(node, list, tried, best, judged);
}

struct Tables {
    u32 n, d, k;
    std::vector<double> values;  // by column
    std::vector<u32> classes;
};

Tables read(const char* path) {
    Tables t;
    std::ifstream in(path, std::ios::binary);
    u32 head[3];
    in.read(reinterpret_cast<char*>(head), sizeof head);
    t.n = head[0], t.d = head[1], t.k = head[2];
    t.values.resize(std::size_t{t.n} * t.d);
    t.classes.resize(t.n);
    in.read(reinterpret_cast<char*>(t.values.data()), static_cast<std::streamsize>(8 * t.values.size()));
    in.read(reinterpret_cast<char*>(t.classes.data()), static_cast<std::streamsize>(4 * t.classes.size()));
    return t;
}

using Find = void (*)(const Node&, const List&, u8*, Best&, u64&);

// Grows the tree; `ticks` and `judged` by way.
template <class C>
u32 grow(const Tables& t, u64* ticks, u64* judged) {
    constexpr Find find[kWays] = {one_by_one<C, false>,  one_by_one<C, true>,   swept<C, false, false>,
                                  swept<C, false, true>, swept<C, true, false>, swept<C, true, true>};
    constexpr int kRepeats = 3;
    const Packing packing(t.n, t.k);
    std::vector<std::vector<u32>> order(t.d, std::vector<u32>(t.n));
    std::vector<u8> ties(t.d), tried(t.n), goes_left(t.n);
    for (u32 c = 0; c < t.d; ++c) {
        const double* x = t.values.data() + std::size_t{c} * t.n;
        std::iota(order[c].begin(), order[c].end(), 0);
        std::stable_sort(order[c].begin(), order[c].end(), [x](u32 a, u32 b) { return x[a] < x[b]; });
        for (u32 i = 1; i < t.n; ++i) ties[c] |= x[order[c][i]] == x[order[c][i - 1]];
    }
    std::vector<std::pair<u32, u32>> stack{{0, t.n}};
    std::vector<u32> entries, moved;
    u32 nodes = 0;
    while (!stack.empty()) {
        const auto [begin, end] = stack.back();
        stack.pop_back();
        Node node;
        node.n_rows = end - begin;
        node.total = node.n_rows;
        node.weights.assign(t.k, 0.0);
        for (u32 i = begin; i < end; ++i) node.weights[t.classes[order[0][i]]] += 1;
        node.counts = node.weights;
        for (u32 c = 0; c < t.k; ++c)
            if (node.weights[c] > 0) node.present.push_back(c), node.present_weights.push_back(node.weights[c]);
        if (node.present.size() < 2) continue;
        ++nodes;
        std::vector<Best> best(kWays, Best(C::unit(node), node.total));
        Gain top = 0;
        u32 won = kNone, place = 0;
        for (u32 c = 0; c < t.d; ++c) {
            const double* x = t.values.data() + std::size_t{c} * t.n;
            const u32* rows = order[c].data() + begin;
            entries.resize(node.n_rows);
            u64 rank = 0;
            for (u32 i = 0; i < node.n_rows; ++i) {
                rank += i > 0 && x[rows[i]] != x[rows[i - 1]];
                entries[i] = packing.pack(rows[i], t.classes[rows[i]]) | packing.rank(rank);
            }
            if (rank == 0) continue;
            Column values{ColumnKind::numeric};
            values.values = x;
            PackedColumn column;
            column.packing = &packing;
            column.column = &values;
            column.classes = packing.has_classes ? nullptr : t.classes.data();
            column.ambiguous = rank >> packing.rank_bits != 0;
            column.low = {entries.data(), node.n_rows, 0};
            const List list{
                {&column, column.low, nullptr, nullptr}, node.n_rows, ties[c] != 0, 4 * (rank + 1) < node.n_rows};
            for (int way = 0; way < kWays; ++way) {
                u64 least = ~u64{0}, cuts = 0;
                Best found = best[way];
                for (int repeat = 0; repeat < kRepeats; ++repeat) {
                    Best trial = best[way];
                    cuts = 0;
                    const u64 from = __rdtsc();
                    find[way](node, list, tried.data(), trial, cuts);
                    least = std::min<u64>(least, __rdtsc() - from);
                    found = trial;
                }
                best[way] = found;
                ticks[way] += least;
                judged[way] += cuts;
            }
            if (!best[0].empty() && best[0].winner().gain > top * (1 + 1e-9L))
                top = best[0].winner().gain, won = c, place = static_cast<u32>(best[0].winner().key.place);
        }
        for (const Best& b : best)
            if (b.empty() != best[0].empty() ||
                (!b.empty() && std::fabs(b.winner().gain - best[0].winner().gain) > 1e-9L * C::unit(node))) {
                std::fprintf(stderr, "the ways disagree at a node of %u rows\n", node.n_rows);
                std::exit(1);
            }
        if (won == kNone) continue;
        for (u32 i = begin; i < end; ++i) goes_left[order[won][i]] = i <= begin + place;
        for (u32 c = 0; c < t.d; ++c) {
            auto rows = order[c].begin() + begin;
            std::stable_partition(rows, order[c].begin() + end, [&](u32 row) { return goes_left[row] != 0; });
        }
        stack.push_back({begin + place + 1, end});
        stack.push_back({begin, begin + place + 1});
    }
    return nodes;
}

}  // namespace

int main(int, char** given) {
    const Tables t = read(given[1]);
    u64 ticks[kWays] = {}, judged[kWays] = {};
    const u32 nodes =
        std::strcmp(given[2], "gini") == 0 ? grow<Gini>(t, ticks, judged) : grow<Entropy>(t, ticks, judged);
    std::printf("{\"nodes\": %u", nodes);
    for (int way = 0; way < kWays; ++way)
        std::printf(", \"%s\": {\"ticks\": %llu, \"judged\": %llu}", kNames[way],
                    static_cast<unsigned long long>(ticks[way]), static_cast<unsigned long long>(judged[way]));
    std::printf("}\n");
}
