// Filter cheaply, decide plainly: of many cuts whose cheap gains are off by a known slack at most, those that may win
// are kept; the few that are left in the end are scored plainly.
#pragma once

#include <algorithm>
#include <utility>

#include "base/slack.hpp"
#include "score/best.hpp"

namespace bough {

// The level below which a cheap gain cannot win any more, beside one that is this large.
inline double level_beside(double gain, double slack) { return gain - 2 * slack - tolerance::gain * std::fabs(gain); }

// A Cut has a `gain`, the cheap one, and a `slot`, a number that no other one has that is kept. There are at most kMost
// of them at a time; 0: any number.
template <class Cut, u32 kMost = 0>
class Contenders {
   public:
    Contenders() { make_room(kMost > 0 ? kMost : 64); }
    // Begins anew: cheap gains are off by so much, gains below the floor cannot win, and no cheap one is below `least`.
    void begin(double off_by, double floor, double least = -kInf) {
        slack_ = off_by;
        level_ = std::max(least, floor - slack_);
        top_ = -kInf;
        size_ = 0;
    }
    double level() const { return level_; }
    // A place for a cut that has reached the level, which it raises if it is `allowed` for sure; score(cut) gets the
    // others if there are too many.
    template <class Score>
    Cut& add(double gain, bool allowed, Score score) {
        if (allowed && gain > top_) {
            top_ = gain;
            level_ = std::max(level_, level_beside(gain, slack_));
        }
        if (size_ == cuts_.size()) [[unlikely]] {
            drop_beaten();
            if (kMost > 0 && size_ == kMost) each(score);
            if (kMost == 0 && 2 * size_ > cuts_.size()) make_room(2 * size_);
        }
        cuts_[size_].gain = gain;
        return cuts_[size_++];
    }
    // Those that are left, in the order in which they came.
    std::span<Cut> left() {
        drop_beaten();
        return {cuts_.data(), size_};
    }
    template <class Score>
    void each(Score score) {
        for (u32 i = 0; i < size_; ++i)
            if (cuts_[i].gain >= level_) score(std::as_const(cuts_[i]));
        size_ = 0;
    }

   private:
    void make_room(u32 size) {
        cuts_.resize(size);
        for (u32 i = 0; i < size; ++i) cuts_[i].slot = i;
    }
    void drop_beaten() {
        u32 kept = 0;
        for (u32 i = 0; i < size_; ++i)
            if (cuts_[i].gain >= level_) std::swap(cuts_[kept++], cuts_[i]);
        size_ = kept;
    }

    std::vector<Cut> cuts_;
    u32 size_ = 0;
    double slack_ = 0, level_ = 0, top_ = 0;
};

// Calls score(j) for the cuts of a block that may win: those within the slack of the best that is allowed, by what
// verdict(j) says.
template <u32 kBlock, class Value, class Judge, class Score>
void pick(u32 size, double floor, double slack, Value value, Judge verdict, Score score) {
    double gains[kBlock];
    u32 high[kBlock];  // the cuts that reach the floor
    u32 n = 0;
    for (u32 j = 0; j < size; ++j) gains[j] = value(j);
    for (u32 j = 0; j < size; ++j) {
        high[n] = j;
        n += gains[j] >= floor;
    }
    double top = -kInf;
    for (u32 i = 0; i < n; ++i)
        if (gains[high[i]] > top && verdict(high[i]) == Verdict::yes) top = gains[high[i]];
    const double near = std::max(floor, level_beside(top, slack));
    for (u32 i = 0; i < n; ++i)
        if (gains[high[i]] >= near && verdict(high[i]) != Verdict::no) score(high[i]);
}

}  // namespace bough
