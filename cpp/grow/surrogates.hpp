// Surrogate splits: the splits of other columns that send most rows as a node's own split does.
#pragma once

#include <mutex>

#include "base/budget.hpp"
#include "data/full_table.hpp"
#include "data/target.hpp"
#include "tree/split.hpp"

namespace bough {

class Surrogates {
   public:
    // `below`: cuts lie just below the midpoint, as those of the tree.
    Surrogates(const Table& table, const Target& target, const FullTable& full, bool below, Budget& budget);
    // The best of them, at most kMostSurrogates. sides[i] is the side of rows[i], kNone where it lacks the value.
    std::vector<Surrogate> find(const Split& split, std::span<const u32> rows, std::span<const u32> sides) const;

   private:
    // Weight and rows that come from the left and from the right side.
    struct Tally {
        double w[2] = {0, 0};
        u32 n = 0;
    };
    bool numeric(u32 column, std::span<const u32> rows, std::span<const u32> sides, Surrogate& s) const;
    bool nominal(u32 column, std::span<const u32> rows, std::span<const u32> sides, bool ties_left, Surrogate& s) const;
    bool left_is_higher(std::span<const u32> rows, std::span<const u32> sides) const;

    const Table& table_;
    const Target& target_;
    const FullTable& full_;
    bool below_;
    Budget& budget_;
    void rank() const;

    mutable std::once_flag ranked_;  // trees that need no surrogates need no ranks
    mutable std::vector<std::vector<u32>>
        ranks_;  // per numeric column: the place of each row's number, kNone where there is none
};

}  // namespace bough
