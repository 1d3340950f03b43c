// The rows of a numeric column that have a number, in the order of their numbers.
#pragma once

#include "base/order.hpp"
#include "data/table.hpp"

namespace bough {

class InOrder {
   public:
    // Of rows 0 … n − 1; those of an earlier column are forgotten.
    void sort(const Column& column, u32 n, Budget& budget) {
        x_.resize(n);
        double low = kInf, high = -kInf;
        for (u32 row = 0; row < n; ++row) {
            x_[row] = column.value(row);
            low = x_[row] < low ? x_[row] : low;
            high = x_[row] > high ? x_[row] : high;
        }
        words_ = order_rows(x_.data(), n, low, high, scratch_, budget, size_);
    }
    u32 size() const { return size_; }
    u32 row(u32 i) const { return static_cast<u32>(words_[i]); }
    double number(u32 i) const { return x_[row(i)]; }

   private:
    std::vector<double> x_;
    OrderScratch scratch_;
    const u64* words_ = nullptr;
    u32 size_ = 0;
};

}  // namespace bough
