// random in forests: the same columns and thresholds, from ranks that all trees share. A threshold becomes the greatest
// rank at or below it, and both of its sides are counted in one pass over the keys of the column.
#include "families/random_drawn.hpp"

#include "families/random_draw.hpp"

namespace bough {

namespace {

class RandomCuts {
   public:
    RandomCuts(const Problem& problem, u32 family, u32 tries, const Ranks& ranks)
        : problem_(problem), family_(family), tries_(tries), ranks_(ranks) {}

    template <class Group>
    void operator()(const Node& node, Group& group, Best& best) {
        const u32 n = static_cast<u32>(group.columns().size());
        CountedColumn keys;
        auto range = [&](u32 j) -> RandomRange {
            if (!group.keys(group.columns()[j], keys)) return {0, 0};
            const std::vector<double>& values = ranks_.values(group.columns()[j]);
            return {values[keys.rest ? 0 : keys.low], values[keys.high]};
        };
        auto take = [&](u32 j, double cut) { offer(node, group.columns()[j], keys, cut, best); };
        draw_cuts(problem_.seed, node.path, n, tries_, draw_, range, take);
    }

   private:
    // The greatest rank of a number at or below the cut; there is a key of a greater one.
    u32 rank_of(u32 column, const CountedColumn& c, double cut) const {
        constexpr u32 kFew = 24;  // keys whose numbers are looked up one by one
        const u32 low = c.rest ? 0 : c.low;
        if (c.size > kFew) return ranks_.rank_at_most(column, cut, low, c.high);
        const std::vector<double>& values = ranks_.values(column);
        u32 most = low;
        for (u32 i = 0; i < c.size; ++i) {
            const u32 rank = c.keys[i] >> c.payload_bits;
            most = std::max(most, values[rank] <= cut ? rank : 0u);
        }
        return most;
    }

    void offer(const Node& node, u32 column, const CountedColumn& c, double cut, Best& best) {
        const u32 rank = rank_of(column, c, cut);
        const std::size_t k = node.present.size(), classes = node.counts.size();
        const u32 class_mask = (1u << c.class_bits) - 1, times_mask = (1u << (c.payload_bits - c.class_bits)) - 1;
        const u32 last = rank << c.payload_bits | ((1u << c.payload_bits) - 1);  // keys above it go right
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
        const Side left = Side(left_).of(node.present), right = Side(right_).of(node.present);
        const double balance = std::min(left.total, right.total);
        if (balance < std::max(1u, problem_.limits.min_rows) || balance < problem_.limits.min_weight) return;
        const Gain gain = problem_.scorer->gain(left, right);
        if (gain < best.floor()) return;
        best.offer({gain, balance, {column, 0, 1}, family_, {.a = rank, .x = cut}});
    }

    const Problem& problem_;
    const u32 family_, tries_;
    const Ranks& ranks_;
    std::vector<u32> draw_, counts_;
    std::vector<double> left_, right_;
};

}  // namespace

void grow_random(const Problem& problem, u32 family, u32 tries, DrawnRows& rows, const Node& node, u32 begin, u32 size,
                 const StopRules& stop, Worker& worker, TreeWriter& out) {
    RandomCuts search(problem, family, tries, rows.ranks());
    auto cut = [](const Candidate& made, double, double) { return made.payload.x; };
    DrawnSubtree(problem, rows, stop, worker, out, search, cut).grow(node, begin, size);
}

}  // namespace bough
