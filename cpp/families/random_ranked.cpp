// random in forests: the same columns and thresholds, from ranks that all trees share. A threshold becomes the greatest
// rank at or below it, and both of its sides are counted in one pass over the keys of the column. Of a small node all
// columns are looked up side by side, since each look waits for memory.
#include "families/random_ranked.hpp"

#include <bit>

#include "families/random_cuts.hpp"
#include "score/sweep_numbers.hpp"

namespace bough {

namespace {

class RandomRankSearch final : public RankSearch {
   public:
    RandomRankSearch(const Problem& problem, u32 tries)
        : problem_(problem), tries_(tries), ranks_(*problem.ranks), numbers_(problem.target->regression()) {}

    bool between() const override { return false; }
    void search(const Node& node, RankGroup& group, Best& best) override {
        if (numbers_) {
            rows_ = group.ranked_numbers();
            integers_.resize(std::max<std::size_t>(integers_.size(), rows_.size));
            for (u32 i = 0; i < rows_.size; ++i) integers_[i] = node.image.of(rows_.numbers[i]);
        }
        if (numbers_ && group.size <= kFewNumbers) return few_numbers(node, group, best);
        auto range = [&](u32 j) -> RandomRange {
            if (!group.room()) offer_all(node, group, best);
            DrawnColumn drawn;
            drawn.column = group.columns()[j];
            if (!(numbers_ ? ranks_of(group, drawn) : keys_of(group, drawn))) return {0, 0};
            const double* values = ranks_.values(drawn.column).data();
            fetch_soon(values + drawn.low);
            fetch_soon(values + drawn.high);
            drawn_.push_back(drawn);
            return {0, 1};  // where the cut lies between the ends is drawn before these are looked up
        };
        auto take = [&](u32, RandomRange, double share) { drawn_.back().cut = share; };
        draw_cuts(problem_.seed, node.path, static_cast<u32>(group.columns().size()), tries_, left_to_draw_, range,
                  take);
        offer_all(node, group, best);
    }

   private:
    static constexpr u32 kFew = 12;  // entries whose numbers are sooner looked at than searched for
    static constexpr u32 kFewNumbers =
        32;  // entries of a numeric target that are read by row, where nothing is searched

    void few_numbers(const Node& node, RankGroup& group, Best& best) {
        auto range = [&](u32 j) {
            RandomRange r{0, 0};
            return group.values(group.columns()[j], values_, r.low, r.high) ? r : RandomRange{0, 0};
        };
        auto take = [&](u32 j, RandomRange r, double share) {
            const double cut = r.at(share);
            DrawnColumn d{};
            d.column = group.columns()[j];
            d.cut = cut;
            auto is_left = [&](u32 i) { return values_[i] <= cut; };
            auto rank = [&] {  // the greatest on the left
                u32 ranks[kFewNumbers], most = 0;
                RankSource::Found found;
                group.ranks(d.column, ranks, found);
                for (u32 i = 0; i < group.size; ++i) most = std::max(most, is_left(i) ? ranks[i] : 0u);
                return most;
            };
            offer_sums(node, d, is_left, rank, best);
        };
        draw_cuts(problem_.seed, node.path, static_cast<u32>(group.columns().size()), tries_, left_to_draw_, range,
                  take);
    }

    struct DrawnColumn {
        u32 column, rank;
        double cut;  // at first: its share of the way from the least number to the greatest
        Ranks::Cell cell;
        u32 low, high;       // least and greatest rank
        RankedClasses keys;  // of classes
        const u32* ranks;    // of numbers
    };

    static bool keys_of(RankGroup& group, DrawnColumn& d) {
        if (!group.keys(d.column, d.keys)) return false;
        group.used += d.keys.size;
        d.low = d.keys.rest ? 0 : d.keys.low;
        d.high = d.keys.high;
        return true;
    }
    static bool ranks_of(RankGroup& group, DrawnColumn& d) {
        RankSource::Found found;
        u32* const to = group.space();
        if (!group.ranks(d.column, to, found)) return false;
        group.used += group.size;
        d.ranks = to;
        d.low = found.low;
        d.high = found.high;
        return true;
    }

    void offer_all(const Node& node, RankGroup& group, Best& best) {
        for (DrawnColumn& d : drawn_) {
            const std::vector<double>& values = ranks_.values(d.column);
            d.cut = RandomRange{values[d.low], values[d.high]}.at(d.cut);
        }
        if (!numbers_ && group.size <= kFew) {
            for (DrawnColumn& d : drawn_) d.rank = rank_of_few(d);
        } else {
            for (DrawnColumn& d : drawn_) d.cell = ranks_.cell(d.column, d.cut, d.low, d.high);
            for (DrawnColumn& d : drawn_) d.rank = ranks_.rank_at_most(d.column, d.cut, d.cell);
        }
        for (DrawnColumn& d : drawn_) {
            auto rank = [&] { return d.rank; };
            if (numbers_)
                offer_sums(node, d, [&](u32 i) { return d.ranks[i] <= d.rank; }, rank, best);
            else
                offer_counts(node, d, best);
        }
        drawn_.clear();
        group.used = 0;
    }

    // The greatest rank at or below the cut that a key has: the same rows go left.
    u32 rank_of_few(const DrawnColumn& d) const {
        const double* values = ranks_.values(d.column).data();
        u32 rank = d.low;
        for (u32 i = 0; i < d.keys.size; ++i) {
            const u32 at = d.keys.keys[i] >> d.keys.payload_bits;
            if (at > rank && at < d.high && values[at] <= d.cut) rank = at;
        }
        return rank;
    }

    void offer_counts(const Node& node, const DrawnColumn& d, Best& best) {
        const RankedClasses& c = d.keys;
        const std::size_t k = node.present.size(), classes = node.counts.size();
        const u32 class_mask = (1u << c.class_bits) - 1, times_mask = (1u << (c.payload_bits - c.class_bits)) - 1;
        const u32 last = d.rank << c.payload_bits | ((1u << c.payload_bits) - 1);  // keys above it go right
        const int class_bits = c.class_bits;
        auto goes = [=](u32 key) { return key >> class_bits & times_mask & (0u - static_cast<u32>(key > last)); };
        const u32 *keys = c.keys, size = c.size;
        counts_.assign(2 * classes, 0);
        if (classes == 2) {
            u32 rows = 0, ones = 0;
            for (u32 i = 0; i < size; ++i) {
                const u32 times = goes(keys[i]);
                rows += times;
                ones += times & (0u - (keys[i] & 1));
            }
            counts_[0] = rows - ones;
            counts_[1] = ones;
        } else {  // two in turn, so that equal neighbours do not wait for each other
            u32* counts = counts_.data();
            for (u32 i = 0; i < size; ++i) counts[(i & 1) * classes + (keys[i] & class_mask)] += goes(keys[i]);
            for (std::size_t q = 0; q < classes; ++q) counts[q] += counts[classes + q];
        }
        left_.resize(k);
        right_.resize(k);
        for (std::size_t d = 0; d < k; ++d) {
            right_[d] = counts_[node.present[d]];
            left_[d] = node.present_weights[d] - right_[d];
        }
        offer(d, node.view(Side(left_)), node.view(Side(right_)), node.ruled, [&] { return d.rank; }, best);
    }

    template <class IsLeft, class Rank>
    void offer_sums(const Node& node, const DrawnColumn& d, IsLeft goes_left, Rank rank, Best& best) const {
        const u32 size = rows_.size;
        ExactSum left;
        i64 low = 0, high = 0;  // sums of the lower 32 bits and of the others: nothing is carried in the loop
        u32 rows = 0;
        for (u32 i = 0; i < size; ++i) {
            // without a branch, which nobody foresees
            const u32 times = rows_.times[i] & (0u - static_cast<u32>(goes_left(i)));
            rows += times;
            low += (integers_[i] & 0xffffffff) * times;
            high += (integers_[i] >> 32) * times;
        }
        left.weight = rows;
        left.sum = (i128{high} << 32) + low;
        const NumberSides sides(node, left);
        offer(d, sides.left, sides.right, 0, rank, best);
    }

    template <class Rank>
    void offer(const DrawnColumn& d, const Side& left, const Side& right, u32 ruled, Rank rank, Best& best) const {
        const double balance = std::min(left.total, right.total);
        if (balance < std::max(1u, problem_.limits.min_rows) || balance < problem_.limits.min_weight) return;
        const Gain gain = problem_.scorer->gain(left, right);
        if (gain < best.floor()) return;
        best.offer({gain, balance, {d.column, 0, 1}, 0, {.a = rank(), .x = d.cut}, {left, right, ruled}});
    }

    const Problem& problem_;
    const u32 tries_;
    const Ranks& ranks_;
    const bool numbers_;  // is the target one?
    RankedNumberRows rows_{};
    std::vector<u32> left_to_draw_, counts_;
    std::vector<DrawnColumn> drawn_;
    std::vector<double> left_, right_;
    std::vector<i64> integers_;   // of the numbers of the rows
    double values_[kFewNumbers];  // of the column at hand
};

}  // namespace

std::unique_ptr<RankSearch> make_random_rank_search(const Problem& problem, u32 tries) {
    return std::make_unique<RandomRankSearch>(problem, tries);
}

}  // namespace bough
