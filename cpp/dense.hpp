// The numeric columns as one matrix by rows that families of directions share: the rows of every open node
// lie side by side, in the order of the table, and move on to its children. A number is its distance from
// the column's center; a missing one is 0, with a bit that tells.
#pragma once

#include "family.hpp"

namespace bough {

class DenseRows {
   public:
    explicit DenseRows(const Problem& problem);

    u32 n_columns() const { return static_cast<u32>(columns.size()); }
    const double* row(u32 place) const { return x_.data() + std::size_t{place} * columns.size(); }
    bool has_missing() const { return has_missing_; }
    // Is any of the columns of `mask` missing in a row?
    bool lacks(u32 place, const std::vector<u64>& mask) const {
        const u64* bits = gaps_.data() + std::size_t{place} * mask.size();
        u64 any = 0;
        for (std::size_t i = 0; i < mask.size(); ++i) any |= bits[i] & mask[i];
        return any != 0;
    }
    bool lacks(u32 place, u32 column) const {
        return gaps_[std::size_t{place} * n_words_ + column / 64] >> (column % 64) & 1;
    }
    std::size_t n_words() const { return n_words_; }
    u32 table_row(u32 place) const { return rows_[place]; }
    const u32* classes() const { return classes_.data(); }
    const double* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
    const double* numbers() const { return numbers_.empty() ? nullptr : numbers_.data(); }

    // Moves the rows of a split node so that each child's lie side by side, children in order.
    void divide(u32 begin, u32 n, const Division& division, const Workplace& place);

    std::vector<u32> columns;        // of the table, ascending
    std::vector<double> magnitudes;  // per column: the largest distance from its center

   private:
    bool has_missing_ = false;
    std::size_t n_words_ = 0;
    RawBuffer<double> x_;
    std::vector<u64> gaps_;
    std::vector<u32> rows_, classes_;
    std::vector<double> weights_, numbers_;
};

}  // namespace bough
