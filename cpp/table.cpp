#include "table.hpp"

#include <algorithm>
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

Moments moments_of(const Table& table, const Target& target) {
    constexpr u32 kRows = 512;  // a block of a matrix by rows stays in cache while its columns are read
    const u32 d = table.n_columns(), n = table.n_rows;
    Moments m{std::vector<double>(d, 0.0), std::vector<double>(d, 1.0)};
    std::vector<double> origin(d, kNaN), weight(d, 0.0), sum(d, 0.0), squares(d, 0.0);
    auto each_block = [&](auto visit) {
        for (u32 begin = 0; begin < n; begin += std::min(kRows, n - begin))
            for (u32 c = 0; c < d; ++c)
                if (table.columns[c].kind == ColumnKind::numeric)
                    visit(c, table.columns[c], begin, begin + std::min(kRows, n - begin));
    };
    each_block([&](u32 c, const Column& column, u32 begin, u32 end) {
        for (u32 row = begin; row < end && is_missing(origin[c]); ++row) origin[c] = column.value(row);
        double s = 0, w = 0;
        for (u32 row = begin; row < end; ++row) {
            const double x = column.value(row), wi = target.weight(row);
            const bool known = !is_missing(x);
            s += known ? wi * (x - origin[c]) : 0.0;
            w += known ? wi : 0.0;
        }
        sum[c] += s;
        weight[c] += w;
    });
    for (u32 c = 0; c < d; ++c)
        if (weight[c] > 0) m.centers[c] = origin[c] + sum[c] / weight[c];
    each_block([&](u32 c, const Column& column, u32 begin, u32 end) {
        double s = 0;
        for (u32 row = begin; row < end; ++row) {
            const double step = column.value(row) - m.centers[c];
            s += is_missing(step) ? 0.0 : target.weight(row) * step * step;
        }
        squares[c] += s;
    });
    for (u32 c = 0; c < d; ++c) {
        const double spread = weight[c] > 0 ? std::sqrt(squares[c] / weight[c]) : 0.0;
        if (spread > 0 && std::isfinite(spread)) m.spreads[c] = spread;
        if (!std::isfinite(m.centers[c])) m.centers[c] = 0;
    }
    return m;
}

}  // namespace bough
