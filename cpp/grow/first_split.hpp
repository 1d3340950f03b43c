// Splits that a tree has to begin with: one at the root, and perhaps more below it.
#pragma once

#include <string>

#include "tree/split.hpp"

namespace bough {

struct FirstSplit {
    Split split;                    // without its side for missing values
    u32 column = kNone;             // whose best split is taken; kNone: the split is given
    u32 below[2] = {kNone, kNone};  // what its children have to begin with, by number
    std::string text;               // as the user wrote it

    bool given() const { return column == kNone; }
};

struct Node;
struct Problem;

// A given split as a node makes it: rows without a value go where they help more.
Split given_split(const Split& given, const Node& node, const Problem& problem);

}  // namespace bough
