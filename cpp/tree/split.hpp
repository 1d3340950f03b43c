// One question that a node asks of a row.
#pragma once

#include "base/integers.hpp"

namespace bough {

enum class NodeKind : u8 { leaf = 0, axis = 1, linear = 2, subset = 3, multiway = 4 };

// `other` of a nominal split: rows with a value that was not at the node end there.
inline constexpr u32 kStopHere = kNone;

struct Split {
    NodeKind kind = NodeKind::leaf;
    u32 column = 0;                 // axis, subset, multiway
    double cut = 0;                 // axis, linear: left when value <= cut
    bool missing_left = false;      // axis, linear
    bool saw_missing = false;       // axis, linear: a row of the node had no value
    std::vector<u32> term_columns;  // linear: left when Σ weight·(x − center) <= cut
    std::vector<double> term_weights;
    std::vector<u32> values;    // subset, multiway: the codes seen at the node, ascending
    std::vector<u8> goes_left;  // subset: side of each of them
    u32 other = 0;              // subset, multiway: the child of every other code, or kStopHere

    u32 n_children() const { return kind == NodeKind::multiway ? static_cast<u32>(values.size()) : 2u; }
};

}  // namespace bough
