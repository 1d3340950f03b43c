// What the best tree of one cut costs on both sides of up to 32 splits of some rows: all of them in one walk along the
// sorted lists, a lane of a vector for each split. One variant for each kernel set; all give the same numbers.
#pragma once

#include "base/integers.hpp"

namespace bough {

inline constexpr u32 kLanes = 32;  // splits in one call at most

// A column's rows in order: row << (class_bits + 1) | class << 1 | is it the last one of its value?
struct LaneList {
    const u32* entries = nullptr;
    u32 n = 0;             // entries; of a nominal column all rows
    bool nominal = false;  // values have no order: a cut is any subset of them
    // The largest run of one value, that need not be walked, or where it belongs, or a place between two values: there
    // is a cut on each side that has rows.
    u32 skip_begin = 0, skip_end = 0;
};

struct LaneRows {
    u32 n = 0, n_classes = 2;
    int class_bits = 1;
    bool wide = false;             // sums may not fit into 16 bits
    const u32* classes = nullptr;  // per row
    const i32* weights = nullptr;  // per row; null: every row weighs 1
    const i32* gains =
        nullptr;               // n_classes × n_classes: what an answer saves for a row of weight 1; null: its own class
    const i32* top = nullptr;  // per class, with gains: the most that an answer saves
    const u32* masks = nullptr;   // per row: a bit for each split that sends it to the left
    std::vector<LaneList> lists;  // of two values and more
};

// In sums of weights, for the left and the right side of each split.
struct LaneCosts {
    i32 leaf[2][kLanes], stump[2][kLanes];
};

struct alignas(64) LaneBlock {
    unsigned char bytes[64];
};

// The first `n_splits` lanes of `to`; `scratch` is grown as needed.
void lane_costs(const LaneRows& rows, u32 n_splits, std::vector<LaneBlock>& scratch, LaneCosts& to);

}  // namespace bough
