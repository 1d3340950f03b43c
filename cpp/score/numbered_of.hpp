// The cuts of a numeric target from the ranks of a node's rows, in any order. Many rows are summed in buckets: the sums
// inside one stay between what all its numbers below the mean and all above it make of them, so that only buckets which
// could hold the best cut are sorted. Few rows are sorted by a network, four lists side by side. Where it is in doubt
// which cuts are tied, they are summed once more, row after row in the order of the presorted lists.
#pragma once

#include <array>

#include "score/numbered.hpp"
#include "score/sweep_numbers.hpp"

namespace bough {

// A list of a column: its rows from the outer end, by codes that ascend from there.
struct NumberedList {
    u32 column;
    u32 edge, range;  // the outermost rank, and the greatest code
    bool from_high, backwards;
    bool whole;  // all rows of the node are in it

    u32 code(u32 rank) const { return from_high ? edge - rank : rank - edge; }
    bool holds(u32 rank) const { return code(rank) <= range; }
    // The greatest rank on the left where codes up to this one are outside.
    u32 last_left(u32 code) const { return from_high ? edge - code - 1 : edge + code; }
    // Rows of one code stand in the order of this; it is its own inverse.
    u32 turn(u32 i, u32 size) const { return from_high && backwards ? size - 1 - i : i; }
};

// Sorts keys by their upper halves, codes up to `range`: one pass into about as many buckets as keys, then insertion.
inline void sort_by_code(u64* keys, u32 size, u32 range, RawBuffer<u64>& memory) {
    constexpr u32 kFew = 24, kMost = 4096, kLongBucket = 32;
    if (size > kFew) {
        u32 place[kMost + 4];
        const u32 buckets = std::min(std::bit_ceil(size), kMost);
        const int shift =
            32 + std::max(0, static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(buckets) - 1));
        const u32 used = static_cast<u32>((u64{range} << 32) >> shift) + 1;
        std::fill_n(place, used + 1, 0u);
        for (u32 i = 0; i < size; ++i) ++place[(keys[i] >> shift) + 1];
        u32 longest = 0;
        for (u32 b = 1; b <= used; ++b) {
            longest = std::max(longest, place[b]);
            place[b] += place[b - 1];
        }
        memory.grow_to(size);
        u64* const spare = memory.data();
        for (u32 i = 0; i < size; ++i) spare[place[keys[i] >> shift]++] = keys[i];
        std::copy_n(spare, size, keys);
        for (u32 b = 0, from = 0; longest > kLongBucket && b < used; from = place[b++])  // place[b]: its end
            if (place[b] - from > kLongBucket) std::sort(keys + from, keys + place[b]);
    }
    for (u32 i = 1; i < size; ++i) {
        const u64 key = keys[i];
        u32 j = i;
        for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

template <class C>
class NumberedOf final : public NumberedCuts {
   public:
    void cuts(const Node& node, const NumberedRows& rows, RankSource& source, std::span<const u32> columns,
              const LeafLimits& limits, u32 family, Best& best) const override {
        const u32 least = limits.least_rows(false);
        if (node.n_rows < 2 * u64{least}) return;
        Search search(node, rows, source, least, family, best);
        if (rows.size == 2)
            search.two(columns);
        else if (rows.size <= kFew)
            search.few(columns);
        else
            search.many(columns);
    }

   private:
    static constexpr u32 kFew = 32, kFewBits = 5;  // rows that a network sorts
    static constexpr u32 kLanes = 4;
    static constexpr u32 kPerBucket = 8, kBuckets = 1024;  // rows for each bucket; buckets at most
    static constexpr u32 kFewRanks = 256;                  // a bucket for each of them: nothing is sorted
    static constexpr double kFarAway = 1e9;                // times the unit: squares of numbers from which on it does
    static constexpr u32 kKept = 64;                       // cuts from which on beaten ones are forgotten

    struct Cut {
        double gain, outer;  // rows of the outer side
        u32 list, code;
    };
    struct Term {
        double sum, size;  // times × distance from the mean, and how large that is
        u64 rows;          // times; in the upper half 1
    };

    struct Workspace {
        RawBuffer<u32> ranks, codes, ids;
        RawBuffer<u64> keys, spare;
        RawBuffer<Term> terms;
        std::vector<NumberedList> lists;
        std::vector<Cut> kept;
        Term buckets[kBuckets];
        u8 open[kBuckets];
        u32 ends[kBuckets];
        i32 sorted[kFew][kLanes];
        double sums[kFew * kLanes], outer[kFew * kLanes], gains[kFew * kLanes];
    };
    // Behind a pointer: what is thread_local itself is looked up in every loop anew.
    static Workspace& workspace() {
        thread_local const std::unique_ptr<Workspace> ws = std::make_unique<Workspace>();
        return *ws;
    }

    // Batcher's networks, for each number of rows.
    struct Pair {
        u8 a, b;
    };
    static const std::vector<Pair>& network(u32 size) {
        static const auto all = [] {
            std::array<std::vector<Pair>, kFew + 1> nets;
            for (u32 n = 2; n <= kFew; ++n)
                for (u32 p = 1; p < n; p *= 2)
                    for (u32 k = p; k >= 1; k /= 2)
                        for (u32 j = k % p; j + k < n; j += 2 * k)
                            for (u32 i = j; i < j + std::min(k, n - j - k); ++i)
                                if (i / (p * 2) == (i + k) / (p * 2))
                                    nets[n].push_back({static_cast<u8>(i), static_cast<u8>(i + k)});
            return nets;
        }();
        return all[size];
    }

    // One node.
    class Search {
       public:
        Search(const Node& node, const NumberedRows& rows, RankSource& source, u32 least, u32 family, Best& best)
            : node_(node),
              rows_(rows),
              source_(source),
              least_(least),
              family_(family),
              size_(rows.size),
              best_(best),
              ws_(workspace()),
              value_{node.total},
              slack_(C::Numbers::slack(best.scale())),
              tiny_(!(best.scale() > kTinyProduct)),
              level_(tiny_ ? 0.0 : std::max(0.0, best.floor() - slack_)) {
            ws_.kept.clear();
            ws_.lists.clear();
            ws_.ranks.grow_to(size_);
        }

        // Of two rows, which are parted in one way only.
        void two(std::span<const u32> columns) {
            for (u32 column : columns) {
                const std::size_t before = ws_.lists.size();
                each_list(column, [&](u32 l) {
                    const NumberedList& list = ws_.lists[l];
                    const u32 outer = list.code(ws_.ranks[0]) < list.code(ws_.ranks[1]) ? 0 : 1;
                    if (!list.holds(ws_.ranks[outer]) || !allows(rows_.times[outer])) return;
                    NumberStart sums;
                    add(outer, sums);
                    score(list, list.code(ws_.ranks[outer]), sums);
                });
                if (node_.n_rows == 2 && ws_.lists.size() > before) return;
            }
        }

        void few(std::span<const u32> columns) {
            ws_.terms.grow_to(kFew);
            for (u32 i = 0; i < size_; ++i) ws_.terms[i].sum = rows_.times[i] * distance(i);
            u32 lanes = 0;
            for (u32 column : columns)
                each_list(column, [&](u32 l) {
                    if (lanes == kLanes) {
                        sweep_lanes(l - lanes, lanes);
                        lanes = 0;
                    }
                    put_keys(ws_.lists[l], lanes++);
                });
            if (lanes > 0) sweep_lanes(static_cast<u32>(ws_.lists.size()) - lanes, lanes);
            score_kept();
        }

        void many(std::span<const u32> columns) {
            ws_.terms.grow_to(size_);
            ws_.codes.grow_to(size_ + 1);
            ws_.ids.grow_to(size_ + 1);
            for (u32 i = 0; i < size_; ++i) {
                const double sum = rows_.times[i] * distance(i);
                ws_.terms[i] = {sum, std::fabs(sum), u64{1} << 32 | rows_.times[i]};
            }
            for (u32 column : columns) each_list(column, [&](u32 l) { look_at_buckets(l); });
            score_kept();
        }

       private:
        double distance(u32 i) const { return rows_.numbers[i] - node_.mean; }
        bool allows(double outer) const { return outer >= least_ && outer <= node_.total - least_; }

        // Row after row, as often as it is there.
        void add(u32 i, NumberStart& sums) const {
            const double d = distance(i);
            for (u32 t = 0; t < rows_.times[i]; ++t) sums.sum += d;
            sums.weight += rows_.times[i];
        }
        void score(const NumberedList& list, u32 code, const NumberStart& outer) const {
            const double inner = node_.total - outer.weight, rest = 0.0 - outer.sum;
            const Side a({&outer.weight, 1}, {&outer.sum, 1}), b({&inner, 1}, {&rest, 1});
            offer(list, code, list.from_high ? C::gain(b, a) : C::gain(a, b), outer.weight);
        }
        void offer(const NumberedList& list, u32 code, Gain gain, double outer) const {
            const double inner = node_.total - outer;
            const u64 left = static_cast<u64>(list.from_high ? inner : outer);
            // Two lists may offer one cut where nothing lies between them: that from the low end comes first.
            const Key key{list.column, 0, left << 1 | (list.from_high ? 1 : 0)};
            best_.offer({gain, std::min(outer, inner), key, family_, {.a = list.last_left(code)}});
        }

        // Calls use(number of the list) for the lists of a column, whose ranks are there.
        template <class Use>
        void each_list(u32 column, Use use) {
            RankSource::Found found;
            if (!source_.ranks(column, ws_.ranks.data(), found)) return;
            const u32 low = found.low, high = found.high, out = found.order.left_out;
            auto list = [&](bool from_high, u32 range) {
                ws_.lists.push_back(
                    {column, from_high ? high : low, range, from_high, found.order.backwards, range == high - low});
                use(static_cast<u32>(ws_.lists.size()) - 1);
            };
            if (out > low) list(false, std::min(out - 1, high) - low);
            if (out < high) list(true, high - std::max(out + 1, low));
        }

        void keep(double gain, double outer, u32 list, u32 code) {
            std::vector<Cut>& kept = ws_.kept;
            if (kept.size() >= kKept && std::has_single_bit(kept.size()))
                std::erase_if(kept, [this](const Cut& c) { return c.gain < level_; });
            kept.push_back({gain, outer, list, code});
            if (!tiny_) level_ = std::max(level_, gain - 2 * slack_ - kNear * gain);
        }

        // ---- few rows

        void put_keys(const NumberedList& list, u32 lane) {
            for (u32 i = 0; i < size_; ++i) {
                const u32 code = list.code(ws_.ranks[i]);
                ws_.sorted[i][lane] =
                    code <= list.range ? static_cast<i32>(code << kFewBits | list.turn(i, size_)) : kNowhere;
            }
        }
        void sweep_lanes(u32 first, u32 lanes) {
            const u32 cuts = size_ - 1;
            for (u32 l = lanes; l < kLanes; ++l)
                for (u32 i = 0; i < size_; ++i) ws_.sorted[i][l] = kNowhere;
            for (const Pair p : network(size_)) {
                i32 *a = ws_.sorted[p.a], *b = ws_.sorted[p.b];
                for (u32 l = 0; l < kLanes; ++l) {
                    const i32 change = (a[l] ^ b[l]) & -static_cast<i32>(a[l] > b[l]);
                    a[l] ^= change;
                    b[l] ^= change;
                }
            }
            double *sums = ws_.sums, *outer = ws_.outer, *gains = ws_.gains;
            for (u32 l = 0; l < kLanes; ++l) {
                const NumberedList& list = ws_.lists[first + std::min(l, lanes - 1)];
                double sum = 0;
                u32 weight = 0;
                for (u32 i = 0; i < cuts; ++i) {
                    const i32 key = ws_.sorted[i][l], next = ws_.sorted[i + 1][l];
                    const u32 row = list.turn(static_cast<u32>(key) & (kFew - 1), size_);
                    sum += ws_.terms[row].sum;
                    weight += rows_.times[row];
                    const bool is_cut = (key ^ next) >> kFewBits != 0 && allows(weight);
                    sums[i * kLanes + l] = is_cut ? sum : 0.0;
                    outer[i * kLanes + l] = is_cut ? weight : 0.0;  // 0 / 0 is nothing
                }
            }
            const double total = node_.total;
            for (u32 i = 0; i < cuts * kLanes; ++i) gains[i] = sums[i] * sums[i] / (outer[i] * (total - outer[i]));
            double top = -kInf;
            for (u32 i = 0; i < cuts * kLanes; ++i) top = gains[i] > top ? gains[i] : top;
            if (top < level_) return;
            const double near = tiny_ ? 0.0 : std::max(level_, top - 2 * slack_ - kNear * top);
            for (u32 i = 0; i < cuts * kLanes; ++i)
                if (gains[i] >= near)
                    keep(gains[i], outer[i], first + i % kLanes,
                         static_cast<u32>(ws_.sorted[i / kLanes][i % kLanes]) >> kFewBits);
        }

        // ---- many rows

        void look_at_buckets(u32 l) {
            const NumberedList& list = ws_.lists[l];
            const u32 *ranks = ws_.ranks.data(), *ids = ws_.ids.data();
            u32 *codes = ws_.codes.data(), n = 0;
            if (list.whole) {
                const u32 edge = list.edge, size = size_;
                if (list.from_high)
                    for (u32 i = 0; i < size; ++i) codes[i] = edge - ranks[i];
                else
                    for (u32 i = 0; i < size; ++i) codes[i] = ranks[i] - edge;
                look_at_buckets(l, size, [](u32 k) { return k; });
                return;
            }
            for (u32 i = 0; i < size_; ++i) {
                ws_.ids[n] = i;
                codes[n] = list.code(ranks[i]);
                n += codes[n] <= list.range;
            }
            look_at_buckets(l, n, [ids](u32 k) { return ids[k]; });
        }
        // The codes of n rows are there; id(k) says which rows they are.
        template <class Id>
        void look_at_buckets(u32 l, u32 n, Id id) {
            const u32 range = ws_.lists[l].range, *codes = ws_.codes.data();
            const u32 want = std::clamp(std::bit_ceil(n / kPerBucket), 16u, kBuckets);
            int shift =
                std::max(0, static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(want) - 1));
            if (range < 2 * n && range < kFewRanks) shift = 0;
            const u32 used = (range >> shift) + 1;
            Term* const buckets = ws_.buckets;
            const Term* const terms = ws_.terms.data();
            std::fill_n(buckets, used, Term{0, 0, 0});
            for (u32 k = 0; k < n; ++k) {
                Term& to = buckets[codes[k] >> shift];
                const Term& term = terms[id(k)];
                to.sum += term.sum;
                to.size += term.size;
                to.rows += term.rows;
            }
            double sum = 0, weight = 0;
            for (u32 b = 0; b < used; ++b) {
                if (buckets[b].rows == 0) continue;  // the cut before it, once more
                sum += buckets[b].sum;
                weight += static_cast<u32>(buckets[b].rows);
                look_at(l, sum, weight, std::min(((b + 1) << shift) - 1, range));
            }
            if (shift > 0) look_inside(l, n, id, shift, used);
        }
        void look_at(u32 l, double sum, double weight, u32 code) {
            if (value_.excess(sum, weight, level_) >= 0 && allows(weight)) keep(value_(sum, weight), weight, l, code);
        }

        template <class Id>
        void look_inside(u32 l, u32 n, Id id, int shift, u32 used) {
            const u32* codes = ws_.codes.data();
            Term* const buckets = ws_.buckets;
            u8* const open = ws_.open;
            u32 n_open = 0;
            double sum = 0, weight = 0;
            auto weighs = [this](double outer) { return outer * (node_.total - outer); };
            for (u32 b = 0; b < used; ++b) {
                const Term here = buckets[b];
                buckets[b].sum = sum;  // from now on: what is outside before it
                buckets[b].size = weight;
                const double rows = static_cast<u32>(here.rows), up = sum + (here.size + here.sum) / 2,
                             down = sum - (here.size - here.sum) / 2;
                const double least = std::min(weighs(weight + 1), weighs(weight + rows - 1));
                open[b] = here.rows >> 33 != 0 && !(std::max(up * up, down * down) < level_ * least);
                ws_.ends[b] = n_open;
                n_open += open[b] ? static_cast<u32>(here.rows >> 32) : 0;
                sum += here.sum;
                weight += rows;
            }
            if (n_open == 0) return;
            ws_.keys.grow_to(n_open + 1);
            u64* const keys = ws_.keys.data();
            u32* const ends = ws_.ends;
            for (u32 b = 0; b < used; ++b) ends[b] = open[b] ? ends[b] : n_open;  // those of a bucket that is shut
            for (u32 k = 0; k < n; ++k) {
                const u32 b = codes[k] >> shift;
                keys[ends[b]] = u64{codes[k]} << 32 | id(k);
                ends[b] += open[b];
            }
            for (u32 b = 0, from = 0; b < used; ++b) {
                if (!open[b]) continue;
                const u32 end = ends[b];
                sort_by_code(keys + from, end - from, ws_.lists[l].range, ws_.spare);
                NumberStart outer{buckets[b].size, buckets[b].sum};
                for (; from + 1 < end; ++from) {
                    const Term& term = ws_.terms[static_cast<u32>(keys[from])];
                    outer.sum += term.sum;
                    outer.weight += static_cast<u32>(term.rows);
                    if (keys[from] >> 32 != keys[from + 1] >> 32)
                        look_at(l, outer.sum, outer.weight, static_cast<u32>(keys[from] >> 32));
                }
                from = end;
            }
        }

        // ---- what may win

        // Offers the best cuts where cheap gains leave no doubt about ties. A gain of another order of sums will do
        // then, unless the rounding of the mean shows in it.
        bool offer_sure() const {
            if (!rows_.alone || !best_.empty() || tiny_ || node_.mean * node_.mean > kFarAway * best_.scale())
                return false;
            double top = 0;
            for (const Cut& c : ws_.kept) top = std::max(top, c.gain);
            const double tie = kTie * std::max(best_.scale(), top);
            for (const Cut& c : ws_.kept)
                if (top - c.gain > tie / 2 && top - c.gain < 2 * tie) return false;
            for (const Cut& c : ws_.kept)
                if (top - c.gain <= tie / 2) offer(ws_.lists[c.list], c.code, top, c.outer);
            return true;
        }
        void score_kept() {
            std::vector<Cut>& kept = ws_.kept;
            std::erase_if(kept, [this](const Cut& c) { return c.gain < level_; });
            if (kept.empty() || offer_sure()) return;
            std::sort(kept.begin(), kept.end(),
                      [](const Cut& a, const Cut& b) { return a.list != b.list ? a.list < b.list : a.code < b.code; });
            ws_.keys.grow_to(size_ + 1);
            u64* const keys = ws_.keys.data();
            for (std::size_t k = 0, end; k < kept.size(); k = end) {
                for (end = k; end < kept.size() && kept[end].list == kept[k].list;) ++end;
                const NumberedList list = ws_.lists[kept[k].list];
                RankSource::Found found;
                source_.ranks(list.column, ws_.ranks.data(), found);
                u32 n = 0;
                const u32 most = kept[end - 1].code;
                for (u32 i = 0; i < size_; ++i) {
                    const u32 code = list.code(ws_.ranks[i]);
                    keys[n] = u64{code} << 32 | list.turn(i, size_);
                    n += code <= most;
                }
                sort_by_code(keys, n, most, ws_.spare);
                NumberStart outer;
                for (u32 i = 0; k < end; ++k) {
                    for (; i < n && keys[i] >> 32 <= kept[k].code; ++i)
                        add(list.turn(static_cast<u32>(keys[i]), size_), outer);
                    score(list, kept[k].code, outer);
                }
            }
        }

        static constexpr i32 kNowhere = std::numeric_limits<i32>::max() & ~static_cast<i32>(kFew - 1);
        const Node& node_;
        const NumberedRows& rows_;
        RankSource& source_;
        const u32 least_, family_, size_;
        Best& best_;
        Workspace& ws_;
        const typename C::Numbers value_;
        const double slack_;
        const bool tiny_;  // products have lost digits: every cut is scored
        double level_;     // cheap gains below this cannot win
    };
};

}  // namespace bough
