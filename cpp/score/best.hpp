// The best split so far, and the one rule for ties: of the splits whose gain is the largest (up to
// 1e-12 of the node's unit) the most balanced wins, then the lowest column, then the first direction, then the lowest
// threshold, then the one that sends missing values left. The rule is applied to the set of all
// candidates, so the order in which they arrive, and who found them, changes nothing.
#pragma once

#include <algorithm>
#include <compare>

#include "base/slack.hpp"
#include "score/side.hpp"

namespace bough {

struct Split;

// Gains are compared in long double: weights from 1e-300 to 1e300 make gains that no double holds.
using Gain = long double;

// Where a split stands among those that are as good: the lowest wins.
struct Key {
    u32 column = 0;     // its first column
    u64 direction = 0;  // its direction, or set of columns, among those that begin with this column
    u64 place = 0;      // among the cuts along it, lowest threshold first
    auto operator<=>(const Key&) const = default;
};

// What a family needs to make the split: nobody else reads it.
struct Payload {
    u32 a = 0, b = 0;
    double x = 0;
    std::shared_ptr<const Split> split = {};  // the split itself, unless the family makes it from the numbers
};

// What a side of a split would be as a node: its weight, and what it would predict: a number, or the share of one
// class.
struct SideSummary {
    double weight = 0, value = 0;
};
struct SideSummaries {
    SideSummary left, right;

    SideSummaries() = default;
    // `place`: of the class among those present.
    template <class R>
    SideSummaries(const SideOf<R>& l, const SideOf<R>& r, u32 place) : left(of(l, place)), right(of(r, place)) {}

   private:
    template <class R>
    static SideSummary of(const SideOf<R>& s, u32 place) {
        const R value = s.size() == 1 ? s.origin + s.z_total / s.total : place < s.size() ? s.w[place] / s.total : R(0);
        return {static_cast<double>(s.total), static_cast<double>(value)};
    }
};

// Is a cut allowed, by what is known of it so far?
enum class Verdict : u8 { no, maybe, yes };

// What rules know of the columns that a split asks, whatever its cut.
struct Standing {
    int sign = 0;                     // the right side has to predict more (1) or less (-1), or as it likes
    double price = 0;                 // taken off its gain
    double low = -kInf, high = kInf;  // where `sign` counts: both sides predict something between these

    // May the sides predict these numbers?
    bool keeps(double left, double right) const {
        auto holds = [this](double value) { return low <= value && value <= high; };
        return sign == 0 || (holds(left) && holds(right) && (right - left) * sign >= 0);
    }
    // Does a gain pay for it?
    bool pays(double rest) const { return !(price > 0) || rest > kTie * price; }
};

// A split that a family can make.
struct Candidate {
    Gain gain = -kInf;
    double balance = 0;  // weight of the lightest child
    Key key = {};
    u32 family = 0;  // index of the family that proposed it
    Payload payload = {};
    SideSummaries sides = {};  // of a split in two
    double price = 0;          // that was taken off the gain
};

// A rule about splits: it is asked about every candidate.
class SplitRule {
   public:
    virtual ~SplitRule() = default;
    virtual Standing standing(u32 column) const = 0;
    // Of a linear split; false: such a one is not made.
    virtual bool standing(std::span<const u32> columns, std::span<const double> weights, Standing& found) const = 0;
    // Is a candidate allowed, whose price has been taken off?
    virtual bool allows(const Candidate& candidate, const Standing& standing) const = 0;
};

// Is the left child the heavier one? Where two weigh the same up to rounding, the first is taken.
inline bool left_is_heavier(double left, double right) { return left >= right - kTie * (left + right); }

class Best {
   public:
    // `unit` is the gain against which differences count as nothing, `weight` the node's weight. `places`: of each
    // column among columns that tie; empty: in the order of the table. `rule`: says which candidates count; null: all.
    Best(Gain unit, double weight, std::span<const u32> places = {}, const SplitRule* rule = nullptr)
        : unit_(unit), weight_(weight), places_(places), rule_(rule) {}

    // Begins anew, in memory that is there already.
    void begin(Gain unit, double weight, std::span<const u32> places, const SplitRule* rule) {
        unit_ = unit;
        weight_ = weight;
        places_ = places;
        rule_ = rule;
        standing_ = nullptr;
        top_ = floor_ = -kInf;
        front_.clear();
    }
    // One for the same node that nothing has been offered to.
    Best afresh() const { return Best(unit_, weight_, places_, rule_); }

    // Is a candidate beaten only by those that are allowed?
    bool asks() const { return rule_ != nullptr; }
    const SplitRule* rule() const { return rule_; }
    // What is offered from now on stands so; null: as its column does.
    void stand(const Standing* standing) { standing_ = standing; }
    Standing standing(u32 column) const {
        return standing_ ? *standing_ : rule_ ? rule_->standing(column) : Standing{};
    }

    // The size of gains here: the node's unit or the best gain, whichever is larger.
    double scale() const { return static_cast<double>(front_.empty() ? unit_ : std::max(unit_, std::fabs(top_))); }
    bool empty() const { return front_.empty(); }
    // Two rows can be parted in one way only, by whatever column: has one been found that costs nothing?
    bool parts_two() const {
        return std::any_of(front_.begin(), front_.end(), [](const Candidate& c) { return c.price == 0; });
    }
    // Has it found a gain of `limit`, up to ties?
    bool reaches(Gain limit) const { return top_ >= limit - kTie * unit_; }
    // Gains below this cannot win any more.
    double floor() const { return static_cast<double>(floor_); }
    // The same of gains whose price is still to be taken off.
    double floor(const Standing& s) const { return s.price > 0 ? std::max(floor(), 0.0) + s.price : floor(); }

    void offer(const Candidate& c) {
        if (!(c.gain >= floor_ && c.gain > -kInf)) return;
        if (!rule_) return enter(c);
        const Standing standing = this->standing(c.key.column);
        Candidate priced = c;
        priced.gain -= priced.price = standing.price;
        if (rule_->allows(priced, standing)) enter(priced);
    }
    // A candidate that has been offered to one like this.
    void enter(const Candidate& c) {
        if (!(c.gain >= floor_ && c.gain > -kInf)) return;
        for (const auto& f : front_)
            if (beats(f, c)) return;
        std::erase_if(front_, [&](const Candidate& f) { return beats(c, f); });
        front_.push_back(c);
        if (c.gain > top_) {
            top_ = c.gain;
            floor_ = top_ - kTie * std::max(unit_, std::fabs(top_));
            std::erase_if(front_, [&](const Candidate& f) { return f.gain < floor_; });
        }
    }
    // Can a split that a family offered with this number still win?
    bool holds(u32 family, u32 a) const {
        return std::any_of(front_.begin(), front_.end(),
                           [&](const Candidate& c) { return c.family == family && c.payload.a == a; });
    }
    void merge(const Best& other) {
        for (const auto& c : other.front_) enter(c);
    }
    // The winner among all that were offered; not to be asked of an empty Best.
    const Candidate& winner() const {
        double balance = 0;
        for (const auto& c : front_) balance = std::max(balance, c.balance);
        const Candidate* win = nullptr;
        for (const auto& c : front_) {
            if (c.balance < balance - kTie * weight_) continue;
            if (!win || order(c.key, win->key) < 0) win = &c;
        }
        return *win;
    }

   private:
    // a wins against b whatever else is offered.
    bool beats(const Candidate& a, const Candidate& b) const {
        if (!(a.gain >= b.gain && a.balance >= b.balance)) return false;
        return order(a.key, b.key) <= 0 || b.balance < a.balance - kTie * weight_;
    }
    std::strong_ordering order(const Key& a, const Key& b) const {
        if (places_.empty() || a.column == b.column) return a <=> b;
        return places_[a.column] <=> places_[b.column];
    }

    Gain unit_;
    double weight_;
    std::span<const u32> places_;
    const SplitRule* rule_ = nullptr;
    const Standing* standing_ = nullptr;
    Gain top_ = -kInf, floor_ = -kInf;
    std::vector<Candidate> front_;
};

}  // namespace bough
