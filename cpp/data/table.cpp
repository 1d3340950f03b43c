#include "data/table.hpp"

#include <cstdlib>
#include <utility>

namespace bough {

int finiteness(const double* x, std::size_t n, std::size_t d, i64 row_stride, i64 column_stride) {
    // Walk along the shorter stride; 0·x is 0 for every finite x and NaN for any other.
    if (std::abs(column_stride) > std::abs(row_stride)) {
        std::swap(n, d);
        std::swap(row_stride, column_stride);
    }
    constexpr std::size_t kLanes = 8;
    double lanes[kLanes] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = x + static_cast<i64>(i) * row_stride;
        std::size_t j = 0;
        if (column_stride == 1)
            for (; j + kLanes <= d; j += kLanes)
                for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += 0.0 * row[j + l];
        for (; j < d; ++j) lanes[0] += 0.0 * row[static_cast<i64>(j) * column_stride];
    }
    double sum = 0;
    for (double l : lanes) sum += l;
    if (sum == 0) return 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j)
            if (std::isinf(x[static_cast<i64>(i) * row_stride + static_cast<i64>(j) * column_stride])) return 2;
    return 1;
}

}  // namespace bough
