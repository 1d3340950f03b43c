// Columns as the ranks of a node's rows, in any order, where the target is a number: see
// ranked_numbers_search.hpp.
#pragma once

#include "score/scorer.hpp"

namespace bough {

// The rows of a node, each once.
struct RankedNumberRows {
    u32 size;
    const double* numbers;  // of the target
    const u32* times;       // that each is there
};

class RankSource {
   public:
    struct Found {
        u32 low, high;  // least and greatest rank
    };
    virtual ~RankSource() = default;
    // The ranks of the rows of the node in a column; false if they are all one.
    virtual bool ranks(u32 column, u32* to, Found& found) = 0;
};

class RankedNumberCuts {
   public:
    static constexpr u64 kMostRanks = u64{1} << 25;
    virtual ~RankedNumberCuts() = default;
    // The best cuts of some columns, ascending: rows of rank `Payload::a` and below go left.
    virtual void cuts(const Node& node, const RankedNumberRows& rows, RankSource& source, std::span<const u32> columns,
                      const LeafLimits& limits, u32 family, Best& best) const = 0;
};

}  // namespace bough
