// The sweep for a numeric target. Sums of the target are carried along the list in groups of four, so that one row
// does not wait for another, and cuts are compared without division. What may win is remembered and summed exactly when
// the list is done: few lists hold such a cut, and those hold one or two.
#pragma once

#include "base/per_thread.hpp"
#include "score/feed.hpp"

namespace bough {

// What the outer side of a cut holds; from the start nothing, or the rows without a value.
struct NumberStart {
    double weight = 0;
    double sum = 0;  // of weight × distance from the node's mean
};

// The two sides of a cut, from what is on its left.
class NumberSides {
   public:
    NumberSides(const Node& node, const ExactSum& l)
        : weight_{node.weight_of(l), node.weight_of(node.sums - l)},
          sum_{node.distances_of(l), 0.0 - node.distances_of(l)},
          left(node.view(Side({&weight_[0], 1}, {&sum_[0], 1}))),
          right(node.view(Side({&weight_[1], 1}, {&sum_[1], 1}))) {}
    NumberSides(const NumberSides&) = delete;
    double balance() const { return std::min(weight_[0], weight_[1]); }

   private:
    double weight_[2], sum_[2];

   public:
    const Side left, right;
};

// By how much cheap gains of this size may be off: sums are about the mean as it is rounded.
template <class Numbers>
double slack_of(const Node& node, double scale) {
    const double mean = std::numeric_limits<double>::epsilon() * std::fabs(node.mean);
    return Numbers::slack(scale) + 2 * mean * (std::sqrt(scale * node.total) + mean * node.total);
}

// Scores a cut of a list plainly, by what its outer side holds, and offers it.
template <class C>
void offer_numbers(const Node& node, const Feed& feed, const Run& run, u32 cut, const ExactSum& outer,
                   const CutSink& sink) {
    const NumberSides sides(node, run.high ? node.sums - outer : outer);
    offer_cut(feed, run, cut, C::gain(sides.left, sides.right), sides.balance(), {sides.left, sides.right, 0}, sink);
}

template <class C, bool kWeighted>
class NumberSweep {
    using Numbers = NumberGains<C>;

   public:
    // `start`: what is on the outer side before any row of the list.
    NumberSweep(const Node& node, const Feed& feed, const Run& run, const ExactSum& start, const LeafLimits& limits,
                const CutSink& sink)
        : node_(node),
          feed_(feed),
          run_(run),
          sink_(sink),
          entries_(feed.list.entries),
          row_mask_(feed.from->packing->row_mask),
          numbers_(feed.from->numbers),
          mean_(node.mean),
          min_weight_(kWeighted ? limits.min_weight : 0.0),
          value_(node),
          allowed_(AllowedCuts::of_numbers(node, sink.best->standing(sink.column), run.high, kWeighted)),
          slack_(slack_of<Numbers>(node, sink.best->scale())),
          cheap_{node.weight_of(start), start.weight == 0 ? 0.0 : node.distances_of(start)},
          exact_(start) {
        kept_.begin(slack_, sink.best->floor(sink.best->standing(sink.column)), 0.0);
    }

    void run() {
        for (u32 base = 0; base < run_.last; base += kSize) sweep_block(base, std::min(kSize, run_.last - base));
        kept_.each([&](const Cut& c) { score(c.cut); });
    }

   private:
    static constexpr u32 kSize = 64;  // cuts of a block

    struct Cut {
        double gain;
        u32 slot, cut;
    };

    double distance(u32 i) const { return numbers_[entries_[i] & row_mask_] - mean_; }
    double weight(u32 i) const {
        if constexpr (kWeighted) return feed_.weights[entries_[i] & row_mask_];
        return 1.0;
    }

    void sweep_block(u32 base, u32 size) {
        double sums[kSize], weights[kWeighted ? kSize : 1];  // of the outer side of each cut
        for (u32 j = 0; j < size; ++j) sums[j] = weight(base + j) * distance(base + j);
        cheap_.sum = add_up(sums, size, cheap_.sum);
        const double before = cheap_.weight;
        if constexpr (kWeighted)
            for (u32 j = 0; j < size; ++j) weights[j] = cheap_.weight += weight(base + j);
        else
            cheap_.weight += size;
        auto outer = [&](u32 j) {
            if constexpr (kWeighted)
                return weights[j];
            else
                return before + 1 + static_cast<i32>(j);
        };
        if (!any_allowed(
                size, [&, most = kept_.level()](u32 j) { return value_.excess(sums[j], outer(j), most); },
                [&](u32 j) { return sums[j]; }, outer, allowed_))
            return;
        auto value = [&](u32 j) {
            if constexpr (requires { Numbers::costly; })
                if (value_.excess(sums[j], outer(j), kept_.level()) < 0) return -kInf;
            return value_(sums[j], outer(j));
        };
        pick<kSize>(
            size, kept_.level(), slack_, value,
            [&](u32 j) {
                if (min_weight_ > 0 && std::min(outer(j), node_.total - outer(j)) < min_weight_) return Verdict::no;
                if (base + j < run_.first || !feed_.separates(base + j)) return Verdict::no;
                return allowed_.verdict(sums[j], outer(j));
            },
            [&](u32 j) {
                const bool sure = allowed_.verdict(sums[j], outer(j)) == Verdict::yes;
                kept_.add(value(j), sure, [](const Cut&) {}).cut = base + j;
            });
    }

    // Running sums from `sum` on, in place; one addition in turn for four of them. Gives the last.
    static double add_up(double* x, u32 size, double sum) {
        u32 j = 0;
        for (; j + 4 <= size; j += 4) {
            const double two = x[j] + x[j + 1], three = two + x[j + 2], four = two + (x[j + 2] + x[j + 3]);
            x[j] += sum;
            x[j + 1] = sum + two;
            x[j + 2] = sum + three;
            x[j + 3] = sum += four;
        }
        for (; j < size; ++j) x[j] = sum += x[j];
        return sum;
    }

    // Sums the target once more, exactly, up to a cut that may win, and scores it plainly.
    void score(u32 cut) {
        const NumberImage image = node_.image;
        ExactSum sum = exact_;
        for (; scored_ <= cut; ++scored_) {
            const u32 row = static_cast<u32>(entries_[scored_] & row_mask_);
            if constexpr (kWeighted)
                image.add(numbers_[row], sum, feed_.weights[row]);
            else
                image.add(numbers_[row], sum);
        }
        exact_ = sum;
        offer_numbers<C>(node_, feed_, run_, cut, exact_, sink_);
    }

    const Node& node_;
    const Feed& feed_;
    const Run& run_;
    const CutSink& sink_;
    const u32* entries_;
    const u32 row_mask_;
    const double *numbers_, mean_, min_weight_;
    const Numbers value_;
    const AllowedCuts allowed_;
    const double slack_;
    NumberStart cheap_;  // sums of the outer side, as far as the sweep came
    ExactSum exact_;     // ... up to the last cut that was scored
    u32 scored_ = 0;     // entries that the exact sums hold
    Contenders<Cut>& kept_ = per_thread<Contenders<Cut>, struct KeptHere>();
};

}  // namespace bough
