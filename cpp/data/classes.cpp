#include "data/classes.hpp"

#include <algorithm>

namespace bough {

std::optional<std::vector<i64>> number_classes(std::span<const i64> rows, u32* places) {
    constexpr u64 kFew = 1024;
    std::vector<i64> numbers;
    if (rows.empty()) return numbers;
    i64 low = rows[0], high = rows[0];
    for (i64 y : rows) {
        low = std::min(low, y);
        high = std::max(high, y);
    }
    const u64 first = static_cast<u64>(low), range = static_cast<u64>(high) - first;
    if (range >= std::max<u64>(rows.size(), kFew)) return {};
    std::vector<u32> place(range + 1, 0);
    for (i64 y : rows) place[static_cast<u64>(y) - first] = 1;
    for (u64 i = 0; i <= range; ++i) {
        if (!place[i]) continue;
        place[i] = static_cast<u32>(numbers.size());
        numbers.push_back(static_cast<i64>(first + i));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) places[i] = place[static_cast<u64>(rows[i]) - first];
    return numbers;
}

}  // namespace bough
