// The cuts of a numeric target from the ranks of a node's rows, in any order. Many rows are summed in buckets: the sums
// inside one stay between what all its numbers below the mean and all above it make of them, so that only buckets which
// could hold the best cut are sorted. Few rows are sorted by a network, four columns side by side. Cuts that may win
// are summed once more, exactly.
#pragma once

#include <array>

#include "base/per_thread.hpp"
#include "base/sort_by_rank.hpp"
#include "score/ranked_numbers.hpp"
#include "score/sweep_numbers.hpp"

namespace bough {

// A column, whose codes are its ranks from the least at the node on.
struct RankedNumbers {
    u32 column;
    u32 low, range;  // the least rank, and the greatest code
    Standing standing;
    AllowedCuts allowed;
};

template <class C>
class RankedNumberSearch final : public RankedNumberCuts {
   public:
    void cuts(const Node& node, const RankedNumberRows& rows, RankSource& source, std::span<const u32> columns,
              const LeafLimits& limits, u32 family, Best& best) const override {
        const u32 least = limits.least_rows(false);
        if (node.n_rows < 2 * u64{least}) return;
        Search search(node, rows, source, least, family, best);
        if (rows.size <= kFew)
            search.few(columns);
        else
            search.many(columns);
    }

   private:
    static constexpr u32 kFew = 32, kFewBits = 5;  // rows that a network sorts
    static constexpr u32 kLanes = 4;
    static constexpr u32 kPerBucket = 8, kBuckets = 1024;  // rows for each bucket; buckets at most
    static constexpr u32 kFewRanks = 256;                  // a bucket for each of them: nothing is sorted

    struct Cut {
        double gain;
        u32 slot, at, code;  // its column among those that were looked at; the greatest code on the left
    };
    struct Term {
        double sum, size;  // times × distance from the mean, and how large that is
        u64 rows;          // times; in the upper half 1
    };

    struct Workspace {
        RawBuffer<u32> ranks;
        RawBuffer<u64> keys, spare;
        RawBuffer<Term> terms;
        RawBuffer<i64> integers;
        std::vector<RankedNumbers> columns;
        Contenders<Cut> kept;
        std::vector<ExactSum> sums_of_kept;
        Term buckets[kBuckets];
        u8 open[kBuckets];
        u32 ends[kBuckets];
        i32 sorted[kFew][kLanes];
        double sums[kFew * kLanes], outer[kFew * kLanes], gains[kFew * kLanes];
    };
    static Workspace& workspace() { return per_thread<Workspace, struct WorkspaceHere>(); }

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
        Search(const Node& node, const RankedNumberRows& rows, RankSource& source, u32 least, u32 family, Best& best)
            : node_(node),
              rows_(rows),
              source_(source),
              least_(least),
              family_(family),
              size_(rows.size),
              best_(best),
              ws_(workspace()),
              value_(node),
              slack_(best.scale() > kTinyProduct ? slack_of<NumberGains<C>>(node, best.scale()) : kInf),
              kept_(ws_.kept) {
            kept_.begin(slack_, best.floor(), 0.0);
            ws_.columns.clear();
            ws_.ranks.grow_to(size_);
            ws_.terms.grow_to(std::max(size_, kFew));
        }

        void few(std::span<const u32> columns) {
            for (u32 i = 0; i < size_; ++i) ws_.terms[i].sum = rows_.times[i] * distance(i);
            u32 lanes = 0;
            for (u32 column : columns) {
                if (lanes == kLanes) {
                    sweep_lanes(lanes);
                    lanes = 0;
                }
                if (look_up(column)) put_keys(lanes++);
            }
            if (lanes > 0) sweep_lanes(lanes);
            score_kept();
        }

        void many(std::span<const u32> columns) {
            for (u32 i = 0; i < size_; ++i) {
                const double sum = rows_.times[i] * distance(i);
                ws_.terms[i] = {sum, std::fabs(sum), u64{1} << 32 | rows_.times[i]};
            }
            for (u32 column : columns)
                if (look_up(column)) look_at_buckets();
            score_kept();
        }

       private:
        double distance(u32 i) const { return rows_.numbers[i] - node_.mean; }
        bool allows(double outer) const { return outer >= least_ && outer <= node_.total - least_; }

        // Are there several ranks of a column here? They become codes.
        bool look_up(u32 column) {
            RankSource::Found found;
            if (!source_.ranks(column, ws_.ranks.data(), found)) return false;
            const Standing standing = best_.standing(column);
            ws_.columns.push_back(
                {column, found.low, found.high - found.low, standing, AllowedCuts::of_numbers(node_, standing, false)});
            return true;
        }
        void offer(const RankedNumbers& column, u32 code, const ExactSum& left) const {
            const NumberSides sides(node_, left);
            const Key key{column.column, 0, static_cast<u64>(left.weight)};
            best_.offer({C::gain(sides.left, sides.right),
                         sides.balance(),
                         key,
                         family_,
                         {.a = column.low + code},
                         {sides.left, sides.right, 0}});
        }

        // `gain`: without its price; `sum` and `weight` of its left side.
        void keep(double gain, double sum, double weight, u32 at, u32 code) {
            const RankedNumbers& column = ws_.columns[at];
            const Verdict verdict = column.allowed.verdict(sum, weight);
            if (verdict == Verdict::no) return;
            Cut& cut =
                kept_.add(gain, verdict == Verdict::yes && column.standing.pays(gain - slack_), [](const Cut&) {});
            cut.at = at;
            cut.code = code;
        }

        // ---- few rows

        void put_keys(u32 lane) {
            const u32 low = ws_.columns.back().low;
            for (u32 i = 0; i < size_; ++i)
                ws_.sorted[i][lane] = static_cast<i32>((ws_.ranks[i] - low) << kFewBits | i);
        }
        // Of the last columns that were looked up; lanes without one hold what is there.
        void sweep_lanes(u32 lanes) {
            const u32 cuts = size_ - 1, first = static_cast<u32>(ws_.columns.size()) - lanes;
            for (const Pair p : network(size_)) {
                i32 *a = ws_.sorted[p.a], *b = ws_.sorted[p.b];
                for (u32 l = 0; l < kLanes; ++l) {
                    const i32 change = (a[l] ^ b[l]) & -static_cast<i32>(a[l] > b[l]);
                    a[l] ^= change;
                    b[l] ^= change;
                }
            }
            double *sums = ws_.sums, *outer = ws_.outer, *gains = ws_.gains;
            for (u32 l = 0; l < lanes; ++l) {
                double sum = 0;
                u32 weight = 0;
                for (u32 i = 0; i < cuts; ++i) {
                    const i32 key = ws_.sorted[i][l], next = ws_.sorted[i + 1][l];
                    const u32 row = static_cast<u32>(key) & (kFew - 1);
                    sum += ws_.terms[row].sum;
                    weight += rows_.times[row];
                    const bool is_cut = (key ^ next) >> kFewBits != 0 && allows(weight);
                    sums[i * kLanes + l] = is_cut ? sum : 0.0;
                    outer[i * kLanes + l] = is_cut ? weight : 0.0;  // 0 / 0 is nothing
                }
            }
            for (u32 l = lanes; l < kLanes; ++l)
                for (u32 i = 0; i < cuts; ++i) sums[i * kLanes + l] = outer[i * kLanes + l] = 0.0;
            for (u32 i = 0; i < cuts * kLanes; ++i) gains[i] = value_(sums[i], outer[i]);
            if (best_.asks())
                for (u32 i = 0; i < cuts * kLanes; ++i)
                    if (i % kLanes < lanes) gains[i] -= ws_.columns[first + i % kLanes].standing.price;
            double top = -kInf;
            for (u32 i = 0; i < cuts * kLanes; ++i) top = gains[i] > top ? gains[i] : top;
            if (top < kept_.level()) return;
            const double near = best_.asks() ? kept_.level() : std::max(kept_.level(), level_beside(top, slack_));
            for (u32 i = 0; i < cuts * kLanes; ++i)
                if (gains[i] >= near)
                    keep(gains[i], sums[i], outer[i], first + i % kLanes,
                         static_cast<u32>(ws_.sorted[i / kLanes][i % kLanes]) >> kFewBits);
        }

        // ---- many rows

        void look_at_buckets() {
            const RankedNumbers& column = ws_.columns.back();
            const u32 range = column.range, n = size_;
            u32* const codes = ws_.ranks.data();
            for (u32 i = 0; i < n; ++i) codes[i] -= column.low;
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
                const Term& term = terms[k];
                to.sum += term.sum;
                to.size += term.size;
                to.rows += term.rows;
            }
            double sum = 0, weight = 0;
            for (u32 b = 0; b < used; ++b) {
                if (buckets[b].rows == 0) continue;  // the cut before it, once more
                sum += buckets[b].sum;
                weight += static_cast<u32>(buckets[b].rows);
                look_at(sum, weight, std::min(((b + 1) << shift) - 1, range));
            }
            if (shift > 0) look_inside(shift, used);
        }
        // The level of gains whose price is still to be taken off.
        double level() const { return kept_.level() + ws_.columns.back().standing.price; }
        void look_at(double sum, double weight, u32 code) {
            if (value_.excess(sum, weight, level()) >= 0 && allows(weight))
                keep(value_(sum, weight) - ws_.columns.back().standing.price, sum, weight,
                     static_cast<u32>(ws_.columns.size()) - 1, code);
        }

        void look_inside(int shift, u32 used) {
            const u32 *codes = ws_.ranks.data(), n = size_;
            Term* const buckets = ws_.buckets;
            u8* const open = ws_.open;
            u32 n_open = 0;
            double sum = 0, weight = 0;
            for (u32 b = 0; b < used; ++b) {
                const Term here = buckets[b];
                buckets[b].sum = sum;  // from now on: what is outside before it
                buckets[b].size = weight;
                const double rows = static_cast<u32>(here.rows), up = sum + (here.size + here.sum) / 2,
                             down = sum - (here.size - here.sum) / 2;
                open[b] = here.rows >> 33 != 0 &&
                          ws_.columns.back().allowed.any(down, up, weight + 1, weight + rows - 1) &&
                          value_.may_reach(down, up, weight + 1, weight + rows - 1, level());
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
                keys[ends[b]] = u64{codes[k]} << 32 | k;
                ends[b] += open[b];
            }
            for (u32 b = 0, from = 0; b < used; ++b) {
                if (!open[b]) continue;
                const u32 end = ends[b];
                sort_by_rank(keys + from, end - from, 32, b << shift, (u32{1} << shift) - 1, ws_.spare);
                NumberStart outer{buckets[b].size, buckets[b].sum};
                for (; from + 1 < end; ++from) {
                    const Term& term = ws_.terms[static_cast<u32>(keys[from])];
                    outer.sum += term.sum;
                    outer.weight += static_cast<u32>(term.rows);
                    if (keys[from] >> 32 != keys[from + 1] >> 32)
                        look_at(outer.sum, outer.weight, static_cast<u32>(keys[from] >> 32));
                }
                from = end;
            }
        }

        // ---- what may win

        void score_kept() {
            const std::span<Cut> kept = kept_.left();
            if (kept.empty()) return;
            std::sort(kept.begin(), kept.end(),
                      [](const Cut& a, const Cut& b) { return a.at != b.at ? a.at < b.at : a.code < b.code; });
            ws_.integers.grow_to(size_);
            for (u32 i = 0; i < size_; ++i) ws_.integers[i] = node_.image.of(rows_.numbers[i]);
            for (auto from = kept.begin(), end = from; from != kept.end(); from = end) {
                while (end != kept.end() && end->at == from->at) ++end;
                score(ws_.columns[from->at], {from, end});
            }
        }
        // Some cuts of a column, ascending.
        void score(const RankedNumbers& column, std::span<const Cut> cuts) {
            RankSource::Found found;
            source_.ranks(column.column, ws_.ranks.data(), found);
            const u32* const ranks = ws_.ranks.data();
            const i64* const integers = ws_.integers.data();
            if (cuts.size() == 1) {
                const u32 last = column.low + cuts[0].code;
                ExactSum left;
                for (u32 i = 0; i < size_; ++i) {
                    const u32 times = rows_.times[i] & (0u - static_cast<u32>(ranks[i] <= last));
                    left.sum += i128{integers[i]} * times;
                    left.weight += times;
                }
                return offer(column, cuts[0].code, left);
            }
            // What is between two of them, and what is right of all.
            auto& sums = ws_.sums_of_kept;
            sums.assign(cuts.size() + 1, {});
            for (u32 i = 0; i < size_; ++i) {
                const auto after = std::lower_bound(cuts.begin(), cuts.end(), ranks[i] - column.low,
                                                    [](const Cut& c, u32 code) { return c.code < code; });
                sums[static_cast<std::size_t>(after - cuts.begin())] +=
                    {rows_.times[i], i128{integers[i]} * rows_.times[i]};
            }
            for (std::size_t k = 0; k < cuts.size(); ++k) {
                if (k > 0) sums[k] += sums[k - 1];
                offer(column, cuts[k].code, sums[k]);
            }
        }

        const Node& node_;
        const RankedNumberRows& rows_;
        RankSource& source_;
        const u32 least_, family_, size_;
        Best& best_;
        Workspace& ws_;
        const NumberGains<C> value_;
        const double slack_;  // below the least normal numbers products have lost digits: every cut is scored
        Contenders<Cut>& kept_;
    };
};

}  // namespace bough
