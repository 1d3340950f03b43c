// The table that a fit was given, whatever part of it a tree or a branch grows from.
#pragma once

#include <algorithm>
#include <mutex>

#include "data/table.hpp"

namespace bough {

class WholeTable {
   public:
    explicit WholeTable(const Table& table) : table_(table), sorted_(table.n_columns()), once_(table.n_columns()) {}

    u32 n_rows() const { return table_.n_rows; }
    const Column& column(u32 c) const { return table_.columns[c]; }
    // The different numbers of a column, ascending; found when they are first asked for, by whatever thread.
    const std::vector<double>& numbers(u32 c) const {
        std::call_once(once_[c], [&] {
            std::vector<double>& to = sorted_[c];
            for (u32 row = 0; row < table_.n_rows; ++row)
                if (const double x = table_.columns[c].value(row); !is_missing(x)) to.push_back(x);
            std::sort(to.begin(), to.end());
            to.erase(std::unique(to.begin(), to.end()), to.end());
        });
        return sorted_[c];
    }

   private:
    const Table& table_;
    mutable std::vector<std::vector<double>> sorted_;
    mutable std::vector<std::once_flag> once_;
};

}  // namespace bough
