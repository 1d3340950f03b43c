// The training table as the core sees it: borrowed columns, numeric ones as float64 with any
// stride, nominal ones as int32 codes 0 … n_values−1. Missing numbers are NaN; a missing nominal
// value is a code like any other, or −1 where the plan has a way for it.
#pragma once

#include "base/integers.hpp"

namespace bough {

struct Contingency;

enum class ColumnKind : u8 { numeric, nominal };

struct Column {
    ColumnKind kind;
    const double* values = nullptr;        // numeric
    i64 stride = 1;                        // numeric: distance of two rows, in doubles
    const i32* codes = nullptr;            // nominal
    u32 n_values = 0;                      // nominal
    const Contingency* counted = nullptr;  // nominal, without rows: the table of the node at hand

    double value(u64 row) const { return values[static_cast<i64>(row) * stride]; }
};

class SortedLists;

// The first row if the columns are a numeric matrix whose rows are each in one piece, else null.
inline const double* first_row(std::span<const Column> columns) {
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (columns[c].kind != ColumnKind::numeric || columns[c].values != columns[0].values + c ||
            columns[c].stride != columns[0].stride)
            return nullptr;
    return columns.empty() ? nullptr : columns[0].values;
}

struct Table {
    u32 n_rows = 0;
    std::vector<Column> columns;
    // Where several trees grow from one table: its lists, sorted once (presort.hpp). Of a part of that table also where
    // each of its rows is here: in the places from places[row] to before places[row + 1].
    SortedLists* sorted = nullptr;
    std::span<const u32> places;
    // Where rows were drawn with replacement: the row that each of them is, repeats side by side. Empty: none repeats,
    // or those that do have the same number.
    std::span<const u32> origins;

    u32 n_columns() const { return static_cast<u32>(columns.size()); }
    // The columns of a kind, ascending.
    std::vector<u32> of(ColumnKind kind) const {
        std::vector<u32> found;
        for (u32 c = 0; c < n_columns(); ++c)
            if (columns[c].kind == kind) found.push_back(c);
        return found;
    }
};

// 0 if every number of a matrix is finite, 1 if some are NaN, 2 if some are infinite.
int finiteness(const double* x, std::size_t n, std::size_t d, i64 row_stride, i64 column_stride);

}  // namespace bough
