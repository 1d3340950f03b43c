// The best cut of a node of few rows over all of its columns at once: every list is swept before any cut is scored, and
// where the cheap gains leave no doubt about ties, the winner is the only one that is.
#pragma once

#include "score/scorer.hpp"

namespace bough {

// The lists of a node, by column and low before high; those of one column stand side by side.
struct FewLists {
    struct One {
        PackedList list;
        u32 column;
        bool high;
    };
    std::span<const One> lists;
    const Packing* packing;  // equal ranks are equal values
    const double* numbers;   // of the target, by row
    const i64* distances;    // ... as integers, from the node's mean: their sums are exact
    double unit;             // ... what one is
    bool all;                // no more columns will be looked at
};

class FewCuts {
   public:
    static constexpr u32 kMost = 128;  // rows
    static constexpr int kBits = 55;   // of a distance: sums have 62
    virtual ~FewCuts() = default;
    // Offers the best cut of the lists; where others may follow, every cut that may be.
    virtual void cuts(const Node& node, const FewLists& lists, const LeafLimits& limits, u32 family,
                      Best& best) const = 0;
};

}  // namespace bough
