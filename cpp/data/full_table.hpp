// The table that a fit was given, whatever part of it a tree or a branch grows from.
#pragma once

#include <mutex>

#include "data/column_order.hpp"

namespace bough {

class FullTable {
   public:
    FullTable(const Table& table, Budget& budget)
        : table_(table), budget_(budget), sorted_(table.n_columns()), once_(table.n_columns()) {}

    u32 n_rows() const { return table_.n_rows; }
    const Column& column(u32 c) const { return table_.columns[c]; }
    // The different numbers of a column, ascending; found when they are first asked for, by whatever thread.
    const std::vector<double>& numbers(u32 c) const {
        std::call_once(once_[c], [&] {
            ColumnOrder rows;
            rows.sort(table_.columns[c], table_.n_rows, budget_);
            std::vector<double> found;
            for (u32 i = 0; i < rows.size(); ++i)
                if (found.empty() || found.back() != rows.number(i)) found.push_back(rows.number(i));
            sorted_[c] = std::move(found);
        });
        return sorted_[c];
    }

   private:
    const Table& table_;
    Budget& budget_;
    mutable std::vector<std::vector<double>> sorted_;
    mutable std::vector<std::once_flag> once_;
};

}  // namespace bough
