// What the training rows leave open at each cut, and with how many digits its numbers still send every one of them
// where it goes: what texts of a tree print. Of a large tree only the upper levels are looked at.
#pragma once

#include <optional>

#include "base/budget.hpp"
#include "tree/tree.hpp"

namespace bough {

// Per node the greatest position on the left, then the least on the right (−∞, ∞: none there; NaN: not looked at),
// then, if there are sums, per column of one the greatest distance from its center. Of all rows, or of
// those listed.
std::vector<double> margins(const Tree& tree, std::span<const Column> columns, u32 n_rows,
                            std::optional<std::span<const u32>> listed, Budget& budget);

// Per node, the fewest significant digits of its cut that part the same rows; of a linear node, of its weights, where
// they leave half of the room between the rows to the cut. 0: not known, or no number of digits is surely enough.
std::vector<u8> digits_of(const Tree& tree, std::span<const double> margins);

}  // namespace bough
