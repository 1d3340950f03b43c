// Classes that are whole numbers.
#pragma once

#include <optional>

#include "base/integers.hpp"

namespace bough {

// The numbers that occur, ascending; the place of each row's number among them goes to `places`. By counting: nothing
// where the numbers lie so far apart that sorting would be quicker.
std::optional<std::vector<i64>> number_classes(std::span<const i64> rows, u32* places);

}  // namespace bough
