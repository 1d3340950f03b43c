// The columns of a table in order, each once for all nodes and passes.
#pragma once

#include "base/parallel.hpp"
#include "data/table.hpp"

namespace bough {

struct OrderedColumn {
    const double* x = nullptr;   // by row; null: a nominal column
    const i32* codes = nullptr;  // of a nominal column ...
    std::vector<u32> values;     // ... and those that there are
    std::vector<u32> entries;    // rows by value: row << 1 | is it the last one of its value?
    std::vector<u32> missing;    // rows without a number
    // The rows of the most frequent value, if it is that of many: sums over the others tell what is left for them.
    u32 skip_begin = 0, skip_end = 0;
    std::size_t skipped = kNone;  // its place in `values`
    std::vector<double> own, others;

    u32 n() const { return static_cast<u32>(entries.size()); }
    u32 row(u32 i) const { return entries[i] >> 1; }
    // Calls visit(row, i) for all rows with a value but those of the most frequent one; `others` has their numbers.
    template <class Visit>
    void each_other(Visit visit) const {
        for (u32 i = 0; i < skip_begin; ++i) visit(row(i), i);
        for (u32 i = skip_end; i < n(); ++i) visit(row(i), i - skip_end + skip_begin);
    }
    std::size_t n_others() const { return entries.size() - (skip_end - skip_begin) + missing.size(); }
};

std::vector<OrderedColumn> ordered_columns(const Table& table, Team& team, Budget& budget);

}  // namespace bough
