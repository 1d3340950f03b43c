// The best split so far, and the one rule for ties: of the splits whose gain is the largest (up to
// 1e-12 of the node's unit) the most balanced wins, then the lowest column, then the first direction, then the lowest
// threshold, then the one that sends missing values left. The rule is applied to the set of all
// candidates, so the order in which they arrive, and who found them, changes nothing.
#pragma once

#include <algorithm>
#include <compare>

#include "base/integers.hpp"
#include "base/slack.hpp"

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

// A split that a family can make.
struct Candidate {
    Gain gain = -kInf;
    double balance = 0;  // weight of the lightest child
    Key key = {};
    u32 family = 0;  // index of the family that proposed it
    Payload payload = {};
};

// Is the left child the heavier one? Where two weigh the same up to rounding, the first is taken.
inline bool left_is_heavier(double left, double right) { return left >= right - kTie * (left + right); }

class Best {
   public:
    // `unit` is the gain against which differences count as nothing, `weight` the node's weight.
    Best(Gain unit, double weight) : unit_(unit), weight_(weight) {}

    // Begins anew, in memory that is there already.
    void begin(Gain unit, double weight) {
        unit_ = unit;
        weight_ = weight;
        top_ = floor_ = -kInf;
        front_.clear();
    }
    // One for the same node that nothing has been offered to.
    Best afresh() const { return Best(unit_, weight_); }

    // The size of gains here: the node's unit or the best gain, whichever is larger.
    double scale() const { return static_cast<double>(front_.empty() ? unit_ : std::max(unit_, std::fabs(top_))); }
    bool empty() const { return front_.empty(); }
    // Has it found a gain of `limit`, up to ties?
    bool reaches(Gain limit) const { return top_ >= limit - kTie * unit_; }
    // Gains below this cannot win any more.
    double floor() const { return static_cast<double>(floor_); }

    void offer(const Candidate& c) {
        if (!(c.gain >= floor_)) return;
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
        for (const auto& c : other.front_) offer(c);
    }
    // The winner among all that were offered; not to be asked of an empty Best.
    const Candidate& winner() const {
        double balance = 0;
        for (const auto& c : front_) balance = std::max(balance, c.balance);
        const Candidate* win = nullptr;
        for (const auto& c : front_) {
            if (c.balance < balance - kTie * weight_) continue;
            if (!win || c.key < win->key) win = &c;
        }
        return *win;
    }

   private:
    // a wins against b whatever else is offered.
    bool beats(const Candidate& a, const Candidate& b) const {
        if (!(a.gain >= b.gain && a.balance >= b.balance)) return false;
        return a.key <= b.key || b.balance < a.balance - kTie * weight_;
    }

    Gain unit_;
    double weight_;
    Gain top_ = -kInf, floor_ = -kInf;
    std::vector<Candidate> front_;
};

}  // namespace bough
