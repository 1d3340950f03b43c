// What the rows of some nodes, no one below another, gain by going to the left instead of to the right.
#pragma once

#include "base/integers.hpp"
#include "base/slack.hpp"

namespace bough {

// Which way splits of a node may pull predictions, with what stands below it as it is.
struct Pull {
    std::span<const int> signs = {};  // per column; empty: all may do as they like
    bool up = true, down = true;

    bool allows(u32 column, double weight) const {
        const int sign = signs.empty() ? 0 : weight > 0 ? signs[column] : -signs[column];
        return sign == 0 || (sign > 0 ? up : down);
    }
};

struct RowGains {
    std::vector<u32> nodes;             // of the tree; their places here are slots
    std::vector<double> gain;           // per row of the table
    std::vector<std::vector<u8>> lane;  // ... of each eight slots, the place among them; 8: in none of them
    std::vector<u32> rows;              // that count, by slot, ascending
    std::vector<u32> begin;             // of each slot, and the end
    std::vector<double> total;          // per slot: Σ gain
    std::vector<double> size;           // ... and Σ |gain|
    std::vector<Pull> pull;             // per slot

    u32 groups() const { return static_cast<u32>(lane.size()); }
    const u8* node_of(u32 group) const { return lane[group].data(); }
    std::span<const u32> of(u32 s) const { return {rows.data() + begin[s], begin[s + 1] - begin[s]}; }
    // Differences of sums of these gains that are rounding.
    double slack(u32 s) const { return kObjective * size[s]; }
    // No split gains more than this over the better of its sides.
    double most(u32 s) const { return (size[s] + total[s]) / 2; }
    double less(u32 s) const { return (size[s] - std::fabs(total[s])) / 2; }
};

}  // namespace bough
