// Rows in the order of their numbers; those that have none are left out.
#pragma once

#include "base/order.hpp"
#include "data/table.hpp"

namespace bough {

class ColumnOrder {
   public:
    // Of rows 0 … n − 1; those of an earlier column are forgotten.
    void sort(const Column& column, u32 n, Budget& budget) {
        own_.resize(n);
        for (u32 row = 0; row < n; ++row) own_[row] = column.value(row);
        sort(own_, budget);
    }
    // The numbers stay where they are.
    void sort(std::span<const double> numbers, Budget& budget) {
        x_ = numbers.data();
        double low = kInf, high = -kInf;
        for (const double x : numbers) low = x < low ? x : low, high = x > high ? x : high;
        words_ = order_rows(x_, static_cast<u32>(numbers.size()), low, high, scratch_, budget, size_);
    }
    u32 size() const { return size_; }
    u32 row(u32 i) const { return static_cast<u32>(words_[i]); }
    double number(u32 i) const { return x_[row(i)]; }

   private:
    std::vector<double> own_;
    OrderScratch scratch_;
    const double* x_ = nullptr;
    const u64* words_ = nullptr;
    u32 size_ = 0;
};

}  // namespace bough
