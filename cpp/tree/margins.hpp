// What the training rows leave open at each cut, from which texts of a tree know how many digits to print. Of a large
// tree only the upper levels are looked at.
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

}  // namespace bough
