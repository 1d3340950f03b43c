#include "table.hpp"

#include <cstdlib>
#include <utility>

#include "target.hpp"

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

std::vector<double> spreads_of(const Table& table, const Target& target) {
    std::vector<double> out(table.n_columns(), 1.0);
    for (u32 c = 0; c < table.n_columns(); ++c) {
        const Column& column = table.columns[c];
        if (column.kind != ColumnKind::numeric) continue;
        double origin = 0, weight = 0, sum = 0, squares = 0;
        for (u32 row = 0; row < table.n_rows; ++row) {
            const double x = column.value(row), w = target.weight(row);
            if (is_missing(x)) continue;
            if (weight == 0) origin = x;
            weight += w;
            const double step = x - origin - (weight > w ? sum / (weight - w) : 0.0);  // from the mean so far
            sum += w * (x - origin);
            squares += w * step * (x - origin - sum / weight);
        }
        const double spread = weight > 0 ? std::sqrt(squares / weight) : 0.0;
        if (spread > 0 && std::isfinite(spread)) out[c] = spread;
    }
    return out;
}

}  // namespace bough
