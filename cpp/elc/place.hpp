// From a division of rows to the split that is stored: a direction and a cut in float64 that put every
// row where it belongs when predict computes them, or nothing if no such numbers are found.
#pragma once

#include <optional>

#include "elc/points.hpp"

namespace bough::elc {

enum class Placing : u8 { margin, through };

constexpr u32 kEntriesOfPoll = 1u << 16;  // looked at one by one between two looks for an interrupt

// Which side of a hyperplane each entry is on, and what goes with the touching ones.
struct Parting {
    const Points* points = nullptr;
    Budget* budget = nullptr;
    const double* centers = nullptr;  // by column, taken off before numbers are weighed; null: all 0
    std::vector<u8> right;            // by entry
    bool missing_right = false;       // rows without a number: with the right side
    double normal[kMostTerms] = {};   // of the hyperplane, from left to right, over the scaled columns
    bool along_normal = true;         // the sides are apart along that direction
    bool touching_right = true;       // the touching entries belong to the right side
};

// The split of a parting, or nothing. `check_only`: whether there is one; its cut may be elsewhere.
std::optional<Split> place(const Parting& parting, Placing placing, bool check_only);

}  // namespace bough::elc
