// Copies of numeric columns, several at a time, so that each line of a row-major table is read once.
#pragma once

#include "base/budget.hpp"
#include "data/table.hpp"

namespace bough {

inline constexpr u32 kColumnsAtOnce = 8;  // one cache line of a row-major table

// Copies columns, one after the other; row-major data is read line by line.
inline void gather(const Table& table, std::span<const u32> columns, double* out, Budget& budget) {
    constexpr u32 kRows = 1u << 15;  // between two looks at the clock
    const std::size_t n = table.n_rows, width = columns.size();
    const Column& first = table.columns[columns[0]];
    bool neighbours = true;
    for (std::size_t j = 0; j < width; ++j) {
        const Column& c = table.columns[columns[j]];
        neighbours &= c.values == first.values + j && c.stride == first.stride;
    }
    if (neighbours) {
        auto copy = [&](auto count) {  // a constant, where it is the usual one, unrolls the inner loop
            for (std::size_t i = 0; i < n; ++i) {
                if (i % kRows == 0) budget.poll();
                const double* line = first.values + static_cast<i64>(i) * first.stride;
                for (std::size_t j = 0; j < count; ++j) out[j * n + i] = line[j];
            }
        };
        if (width == kColumnsAtOnce)
            copy(std::integral_constant<std::size_t, kColumnsAtOnce>{});
        else
            copy(width);
        return;
    }
    for (std::size_t j = 0; j < width; ++j)
        for (u32 i = 0; i < n; ++i) {
            if (i % kRows == 0) budget.poll();
            out[j * n + i] = table.columns[columns[j]].value(i);
        }
}

}  // namespace bough
