// The cuts of a column from the ranks of a node's rows, in any order. Of two classes the rows are counted in buckets;
// a criterion is largest at a corner of what the counts of a bucket leave open, so that only buckets which could hold
// the best cut are sorted. Of more classes rows are counted by rank where ranks are few, else sorted. What is cheap
// only filters, what is plain decides.
#pragma once

#include <array>

#include "base/per_thread.hpp"
#include "base/sort_by_rank.hpp"
#include "score/feed.hpp"

namespace bough {

// Keys are rank | how many rows | class, from high bits to low.
struct RankedClasses {
    u32* keys;  // they are moved about
    u32 size;
    int payload_bits, class_bits;  // of rows and class, of the class
    u32 low, high;                 // least and greatest rank of a key
    bool rest;                     // rows of the node without a key have rank 0, which no key has
};

class RankedClassCuts {
   public:
    virtual ~RankedClassCuts() = default;
    // Every cut: rows of rank `Payload::a` and below go left.
    virtual void cuts(const Node& node, const RankedClasses& column, const LeafLimits& limits, CutSink sink) const = 0;
};

template <class C>
class RankedClassSearch final : public RankedClassCuts {
   public:
    RankedClassSearch(const C& criterion, const Target&) : criterion_(criterion) {}

    void cuts(const Node& node, const RankedClasses& column, const LeafLimits& limits, CutSink sink) const override {
        const u32 least = std::max({1u, limits.min_rows, static_cast<u32>(std::ceil(limits.min_weight))});
        if (node.n_rows < 2 * u64{least}) return;
        if constexpr (kStatic) {
            if (node.present.size() == 2) return two(node, column, least, sink);
        }
        many(node, column, least, sink);
    }

   private:
    static constexpr bool kStatic = requires(const Side& s) { C::gain(s, s); };
    static constexpr u32 kSmall = 48;         // fewer keys are sorted at once
    static constexpr u32 kPerBucket = 8;      // keys for each bucket
    static constexpr u32 kBuckets = 1024;     // at most
    static constexpr u32 kFewRanks = 256;     // a bucket for each of them: nothing is sorted
    static constexpr std::size_t kMoves = 3;  // of counts by rank and class, as soon made as one key is sorted
    static constexpr u32 kCounts = 1u << 16;  // ... at most
    static constexpr u64 pack(u32 rows, u32 ones) { return rows | u64{ones} << 32; }

    static constexpr u32 kMostKept = 16;  // cuts that may win, before they are scored

    struct Cut {
        double gain;
        u32 slot, rows, rank;
        u32 ones;  // of two classes: rows of the second one
    };
    using Kept = Contenders<Cut, kMostKept>;

    struct Workspace {
        RawBuffer<u32> spare, kept;
        u64 sums[2 * kBuckets];
        u8 open[2 * kBuckets];
        Kept two, many;
        std::vector<double> outer;  // class counts of the cuts in `many`, by slot
        std::vector<u32> keyed;     // rows of each class that have keys
        std::vector<u32> counts;    // ... of each rank and class
        SidePair pair;
        Sums start;
    };
    static Workspace& workspace() { return per_thread<Workspace, struct WorkspaceHere>(); }
    static void sort(u32* keys, u32 size, const RankedClasses& c, Workspace& ws) {
        sort_by_rank(keys, size, c.payload_bits, c.low, c.high - c.low, ws.spare);
    }

    static void offer(const Cut& cut, Gain gain, const SideSummaries& values, const Node& node, const CutSink& sink) {
        const double balance = std::min(cut.rows, node.n_rows - cut.rows);
        sink.best->offer(
            {gain, balance, {sink.column, 0, u64{cut.rows} << 1 | 1}, sink.family, {.a = cut.rank}, values});
    }

    // ---- two classes: rows on the left, and those of the second class among them, side by side in one word ------

    struct TwoSides {
        using Two = TwoClasses<C, true>;
        const Node& node;
        const CutSink& sink;
        double n, n1, n0;
        Two value;
        Kept& near;
        const AllowedCuts allowed;
        double level = 0;
        u32 least;

        TwoSides(const Node& at, u32 least_rows, const CutSink& to, Kept& memory)
            : node(at),
              sink(to),
              n(at.n_rows),
              n1(at.counts[at.present[1]]),
              n0(n - n1),
              value(n0, n1),
              near(memory),
              allowed(AllowedCuts::of_two(at, to.best->standing(to.column), false)),
              least(least_rows) {
            near.begin(Two::slack(to.best->scale()), to.best->floor(to.best->standing(to.column)));
            look();
        }
        void look() {
            if constexpr (requires { value.level(level); }) level = value.level(near.level());
        }
        bool reaches(u64 left) const {
            const double rows = static_cast<u32>(left), ones = static_cast<u32>(left >> 32);
            if constexpr (requires { value.level(level); })
                return !(value.excess(ones, rows, level) < 0);
            else
                return !(value(ones, rows) < near.level());
        }
        // Could a cut among `zeros` and `ones` further rows reach the floor, in whatever order they come? A cut before
        // or behind all of them aside: see corner.
        bool may_reach(u64 left, u32 zeros, u32 ones) const {
            const double rows = static_cast<u32>(left), before = static_cast<u32>(left >> 32);
            return (corner(left + pack(ones, ones)) | corner(left + zeros)) &&
                   allowed.any(before, before + ones, rows, rows + ones + zeros);
        }
        bool corner(u64 at) const {
            const u32 rows = static_cast<u32>(at);
            return (rows > 0) & (rows < node.n_rows) & reaches(at);
        }
        void cut(u64 left, u32 rank) {
            if (!reaches(left)) return;
            const u32 rows = static_cast<u32>(left), ones = static_cast<u32>(left >> 32);
            if (rows < least || node.n_rows - rows < least) return;
            const Verdict verdict = allowed.verdict(ones, rows);
            if (verdict == Verdict::no) return;
            Cut& cut = near.add(value(ones, rows), verdict == Verdict::yes, [&](const Cut& c) { score(c); });
            cut.rows = rows;
            cut.rank = rank;
            cut.ones = ones;
            look();
        }
        void score(const Cut& c) const {
            const SidesOfTwo s(c.rows - c.ones, c.ones, n0, n1);
            offer(c, C::gain(Side(s.outer), Side(s.inner)), s.summaries(false, node.ruled), node, sink);
        }
        void finish() {
            near.each([&](const Cut& c) { score(c); });
        }
    };

    void two(const Node& node, const RankedClasses& c, u32 least, const CutSink& sink) const {
        const int class_bits = c.class_bits;
        const u32 mask = (1u << c.payload_bits) - 1, class_mask = (1u << class_bits) - 1, one = node.present[1];
        auto counted = [=](u32 key) {  // without a branch: classes are not foreseen
            const u32 rows = (key & mask) >> class_bits;
            return pack(rows, rows * static_cast<u32>((key & class_mask) == one));
        };
        static constexpr auto kOfTwo = [] {  // the same for a table of two classes
            std::array<u64, 64> all{};
            for (u32 key = 0; key < all.size(); ++key) all[key] = pack(key >> 1, (key >> 1) * (key & 1));
            return all;
        }();
        Workspace& ws = workspace();
        TwoSides sides(node, least, sink, ws.two);
        if (class_bits == 1 && mask < kOfTwo.size())
            look_at_two(c, [mask](u32 key) { return kOfTwo[key & mask]; }, sides, ws);
        else
            look_at_two(c, counted, sides, ws);
        sides.finish();
    }

    template <class Counted>
    void look_at_two(const RankedClasses& c, Counted counted, TwoSides& sides, Workspace& ws) const {
        const int payload = c.payload_bits;
        u64 start = 0;
        if (c.rest) {
            start = pack(sides.node.n_rows, static_cast<u32>(sides.n1));
            for (u32 i = 0; i < c.size; ++i) start -= counted(c.keys[i]);
            sides.cut(start, 0);
        }
        if (c.low == c.high) return;
        auto sweep = [&](const u32* keys, u32 size, u64 left) {  // sorted ones
            for (u32 i = 0; i + 1 < size; ++i) {
                left += counted(keys[i]);
                if (keys[i] >> payload != keys[i + 1] >> payload) sides.cut(left, keys[i] >> payload);
            }
        };
        if (c.size <= kSmall || !C::traits.box_corners) {
            sort(c.keys, c.size, c, ws);
            return sweep(c.keys, c.size, start);
        }
        const u32 range = c.high - c.low, want = std::clamp(std::bit_ceil(c.size / kPerBucket), 16u, kBuckets);
        int shift = std::max(0, static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(want) - 1));
        if (range < 2 * c.size && range < kFewRanks) shift = 0;
        const u32 used = (range >> shift) + 1, low = c.low;
        auto bucket = [=](u32 key) { return ((key >> payload) - low) >> shift; };
        u64* const sums = ws.sums;
        const u32* const keys = c.keys;
        const u32 size = c.size;
        std::fill_n(sums, used, u64{0});
        for (u32 i = 0; i < size; ++i) sums[bucket(keys[i])] += counted(keys[i]);
        u64 left = start;
        for (u32 b = 0; b + 1 < used; ++b) {
            if (sums[b] == 0) continue;  // the cut before it, once more
            left += sums[b];
            sides.cut(left, low + ((b + 1) << shift) - 1);
        }
        if (shift == 0) return;
        u8* const open = ws.open;
        u32 n_open = 0, n_kept = 0;
        left = start;
        const bool any = !(sides.near.level() > 0);  // no bound is below it
        bool before = sides.corner(left);
        for (u32 b = 0; b < used; ++b) {
            const u64 here = std::exchange(sums[b], left);
            const u32 ones = static_cast<u32>(here >> 32), zeros = static_cast<u32>(here) - ones;
            const bool after = sides.corner(left + here);
            open[b] = (zeros + ones > 1) & (any | before | after | sides.may_reach(left, zeros, ones));
            before = after;
            left += here;
            n_open += open[b];
        }
        if (n_open == 0) return;
        ws.kept.grow_to(size + 1);
        u32* kept = ws.kept.data();
        for (u32 i = 0; i < size; ++i) {
            kept[n_kept] = keys[i];
            n_kept += open[bucket(keys[i])];
        }
        sort(kept, n_kept, c, ws);
        for (u32 i = 0, j; i < n_kept; i = j) {
            for (j = i + 1; j < n_kept && bucket(kept[j]) == bucket(kept[i]);) ++j;
            sweep(kept + i, j - i, sums[bucket(kept[i])]);
        }
    }

    // ---- any number of classes ------------------------------------------------------------------------------------

    void many(const Node& node, const RankedClasses& c, u32 least, const CutSink& sink) const {
        using Many = ManyClasses<C, i64>;
        const int payload = c.payload_bits, class_bits = c.class_bits;
        const u32 mask = (1u << payload) - 1, class_mask = (1u << class_bits) - 1;
        Workspace& ws = workspace();
        Sums& start = ws.start;
        start.start_w.assign(node.weights.size(), 0.0);
        start.start_total = 0;
        if (c.rest) {  // counted in two places by turns, so that equal neighbours do not wait for each other
            const std::size_t classes = node.weights.size();
            ws.keyed.assign(2 * classes, 0);
            for (u32 i = 0; i < c.size; ++i)
                ws.keyed[(i & 1) * classes + (c.keys[i] & class_mask)] += (c.keys[i] & mask) >> class_bits;
            for (u32 q : node.present) {
                start.start_w[q] = node.counts[q] - (ws.keyed[q] + ws.keyed[classes + q]);
                start.start_total += start.start_w[q];
            }
        }
        Many m = make_many<C, i64>(criterion_, node, start, false);
        Kept& near = ws.many;
        const Standing standing = sink.best->standing(sink.column);
        const AllowedCuts allowed = AllowedCuts::of_class(node, standing, false);
        const u32 ruled = node.present[std::min<std::size_t>(node.ruled, node.present.size() - 1)];
        near.begin(Many::slack(sink.best->scale()), sink.best->floor(standing));
        double level = 0;
        auto look = [&] {
            if constexpr (requires { m.level(level); }) level = m.level(near.level());
        };
        look();
        const std::size_t k = node.weights.size();
        ws.outer.resize(kMostKept * k);
        auto score = [&](const Cut& found) {
            const std::span<const double> outer(ws.outer.data() + found.slot * k, k);
            const Gain gain = ws.pair.gain(criterion_, node, start, outer, {}, false);
            offer(found, gain, ws.pair.values, node, sink);
        };
        u32 rows = static_cast<u32>(start.start_total);
        auto cut = [&](u32 rank) {
            if (rows < least || node.n_rows - rows < least) return;
            typename Many::Word a, b;
            m.put(a, b);
            if constexpr (requires { m.level(level); }) {
                if (m.excess(a, b, rows, level) < 0) return;
            }
            const double value = m.value(a, b, rows);
            if (value < near.level()) return;
            const Verdict verdict = allowed.all() ? Verdict::yes : allowed.verdict(m.outer(ruled), rows);
            if (verdict == Verdict::no) return;
            Cut& cut = near.add(value, verdict == Verdict::yes, score);
            cut.rows = rows;
            cut.rank = rank;
            double* outer = ws.outer.data() + cut.slot * k;
            for (u32 q : node.present) outer[q] = m.outer(q);
            look();
        };
        if (c.rest) cut(0);
        auto move = [&](u32 cls, u32 times) {
            m.move(cls, times);
            rows += times;
        };
        const u32 ranks = c.high - c.low + 1;
        if (ranks == 1) {  // nothing but the cut before it
        } else if (ranks * node.present.size() <= kMoves * c.size && ranks <= kCounts >> class_bits) {
            ws.counts.assign(std::size_t{ranks} << class_bits, 0);
            for (u32 i = 0; i < c.size; ++i) {
                const u32 key = c.keys[i];
                ws.counts[((key >> payload) - c.low) << class_bits | (key & class_mask)] += (key & mask) >> class_bits;
            }
            for (u32 rank = c.low; rank < c.high; ++rank) {
                const u32 *counts = ws.counts.data() + ((rank - c.low) << class_bits), before = rows;
                for (u32 q : node.present) move(q, counts[q]);
                if (rows > before) cut(rank);
            }
        } else {
            sort(c.keys, c.size, c, ws);
            for (u32 i = 0; i + 1 < c.size; ++i) {
                const u32 key = c.keys[i];
                move(key & class_mask, (key & mask) >> class_bits);
                if (key >> payload != c.keys[i + 1] >> payload) cut(key >> payload);
            }
        }
        near.each(score);
    }

    const C& criterion_;
};

}  // namespace bough
