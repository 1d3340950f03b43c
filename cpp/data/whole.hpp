// The table that a fit was given, whatever part of it a tree or a branch grows from.
#pragma once

#include <mutex>

#include "base/order.hpp"
#include "data/table.hpp"

namespace bough {

class WholeTable {
   public:
    WholeTable(const Table& table, Budget& budget)
        : table_(table), budget_(budget), sorted_(table.n_columns()), once_(table.n_columns()) {}

    u32 n_rows() const { return table_.n_rows; }
    const Column& column(u32 c) const { return table_.columns[c]; }
    // The different numbers of a column, ascending; found when they are first asked for, by whatever thread.
    const std::vector<double>& numbers(u32 c) const {
        std::call_once(once_[c], [&] {
            std::vector<double> x(table_.n_rows), found;
            double low = kInf, high = -kInf;
            for (u32 row = 0; row < table_.n_rows; ++row) {
                x[row] = table_.columns[c].value(row);
                low = x[row] < low ? x[row] : low;
                high = x[row] > high ? x[row] : high;
            }
            OrderScratch scratch;
            u32 known = 0;
            const u64* order = order_rows(x.data(), table_.n_rows, low, high, scratch, budget_, known);
            for (u32 i = 0; i < known; ++i)
                if (const double v = x[static_cast<u32>(order[i])]; found.empty() || found.back() != v)
                    found.push_back(v);
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
