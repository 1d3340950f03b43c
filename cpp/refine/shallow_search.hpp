// The best tree of at most some depth: opt(S, d) is the least cost of a tree of depth d on rows S. It falls if rows are
// taken away, and by no more than what they weigh. So along a sorted column, the cost of the left side rises and that
// of the right side falls, and between two cuts that were evaluated none costs less than the left side of the first and
// the right side of the second together. What cannot beat the best tree so far is dropped; the rest is cut in the
// middle.
#pragma once

#include <chrono>
#include <functional>
#include <unordered_map>

#include "base/budget.hpp"
#include "refine/subset.hpp"

namespace bough {

// What is known of the best tree of some rows: nothing costs less than `bound`; a tree that costs `cost`, if any.
struct Found {
    Cost bound = 0, cost = kAny;
    Sketch tree;
};

// A tree, and the columns of its nodes in preorder.
struct Variant {
    std::vector<u32> columns;  // of a leaf: kNone
    Cost cost = 0;
    Sketch tree;
};

class ShallowSearch {
   public:
    struct Settings {
        double max_seconds = kInf;
        const std::atomic<bool>* interrupted = nullptr;  // is the search to end? null: an interrupt ends the fit
    };
    ShallowSearch(const ShallowProblem& problem, Settings settings, Budget& budget, std::function<void(Cost)> better);

    // The best tree of that depth, or the best one that was found in time.
    Found optimal(u32 depth);
    // Trees that cost at most so much, the cheapest ones and of each choice of columns only the cheapest; a split costs
    // less than a leaf in its place.
    std::vector<Variant> variants(u32 depth, Cost limit, u32 most);
    // A good one: the first split of the best tree of `look` levels, again and again.
    Found lookahead(u32 depth, u32 look);
    bool stopped() const { return stop_; }

   private:
    struct Cut {
        u32 splitter;
        i32 cut;
    };
    // Cuts between two that were evaluated, or the ends.
    struct Interval {
        Cost bound;
        u32 splitter;
        i32 low, high;
        Cost left_low, right_low, left_high, right_high;
        Cost mass_low, mass_high;
        Cost between() const { return left_low + right_high; }
        Cost left_at(Cost mass) const { return std::max(left_low, left_high - (mass_high - mass)); }
        Cost right_at(Cost mass) const { return std::max(right_high, right_low - (mass - mass_low)); }
        bool operator<(const Interval& o) const { return bound > o.bound; }
    };
    struct Both {  // a cut, and what its sides cost
        Cut at;
        Cost left, right;
    };
    struct Known {
        std::vector<u64> bits;
        u32 depth;
        Found found;
    };

    bool paused();
    Subset& pool(u32 level);
    Cost leaf_cost(const Subset& s) const { return s.leaf_loss() * kFine + p_.leaf; }
    Cost least(const Subset& s, u32 depth) const;
    Cost mass(const Subset& s, u32 splitter, i32 cut) const { return s.mass(splitter, cut) * kFine; }
    bool trim(const Subset& s, const Interval& v, Cost best, i32& first, i32& last) const;
    i32 middle(const Subset& s, u32 splitter, i32 first, i32 last, double share) const;
    Interval all_cuts(const Subset& s, u32 splitter, Cost below) const;

    void batch(const Subset& s, std::span<const Cut> cuts, Cost* left, Cost* right);
    // With `all`, every cut that costs less than the budget is put there, and what is returned means nothing.
    Found two_levels(const Subset& s, Cost budget, std::vector<Both>* all = nullptr);
    Found deep(const Subset& s, u32 depth, Cost budget, u32 level, const Found* smaller,
               std::vector<Both>* all = nullptr);
    std::vector<Variant> variants_of(const Subset& s, u32 depth, Cost limit, u32 most);
    Found solve(const Subset& s, u32 depth, Cost budget, u32 level);
    Found child(const Subset& s, const std::vector<u8>& member, u8 side, u32 depth, Cost budget, u32 level);

    void offer(const Subset& all, Found found);
    Sketch leaf(const Subset& s) const;
    Found stump(const Subset& s) const;
    // The best cut of a list, if it costs less than `limit`.
    Found stump_of(const Subset& s, u32 list, Cost limit) const;
    Sketch complete(const Subset& s, const Sketch& tree) const;
    // `first`: the best tree of `look` levels, if it is known.
    Found roll(const Subset& s, u32 depth, u32 look, const Found* first = nullptr);

    using Clock = std::chrono::steady_clock;
    const ShallowProblem& p_;
    const Settings settings_;
    Budget& budget_;
    const std::function<void(Cost)> better_;
    Clock::time_point end_;
    bool stop_ = false;
    Found best_;  // of all rows
    std::vector<std::unique_ptr<Subset>> pool_;
    std::unordered_multimap<u64, Known> known_;
    std::size_t known_bytes_ = 0;
    // of the depth-two search
    std::vector<u32> masks_;
    std::vector<LaneBlock> scratch_;
    std::vector<Interval> active_, next_, asked_;
    std::vector<Cut> cuts_;
    std::vector<u32> owner_;
    std::vector<Cost> lefts_, rights_;
};

}  // namespace bough
