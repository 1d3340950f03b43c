// The price of complexity by cross-validation.
#pragma once

#include <functional>

#include "grow/refiner.hpp"
#include "refine/shape.hpp"

namespace bough {

// That are chosen from, rising.
inline constexpr double kPrices[] = {0.5, 1, 2, 4, 8, 16, 32, 64};

// Takes the trees of one fold, a price after the other.
using Judge = std::function<void(const Shape& tree, bool sharp)>;

// The place of the price whose trees cost least on rows that they have not seen; the highest of equals. `work` makes
// the trees of all prices from two thirds of the rows.
std::size_t price_by_folds(const Refining& how, std::span<const double> prices,
                           const std::function<void(const Refining& part, const Judge& judge)>& work);

}  // namespace bough
