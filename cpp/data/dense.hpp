// The numeric columns as one matrix by rows that families of directions share. A number is its distance from
// the column's center; a missing one is 0, with a bit that tells. The rows of every open node are side by
// side: they move on to its children, or, where a wide matrix of the user's serves as it is, their numbers do.
#pragma once

#include "base/budget.hpp"
#include "data/moments.hpp"
#include "data/target.hpp"

namespace bough {

class DenseRows {
   public:
    DenseRows(const Table& table, const Target& target, const Moments& moments, Budget& budget);

    u32 n_columns() const { return static_cast<u32>(columns.size()); }
    const double* row(u32 place) const {
        return borrowed_ ? borrowed_ + static_cast<i64>(rows_[place]) * stride_
                         : x_.data() + std::size_t{place} * columns.size();
    }
    // Are the rows of a node one matrix in memory?
    bool in_one_piece() const { return borrowed_ == nullptr; }
    // The distance between neighbours of n rows where it is the same for all; else 0.
    std::size_t stride_of(u32 begin, u32 n) const {
        if (!borrowed_) return columns.size();
        for (u32 i = 1; i < n; ++i)
            if (rows_[begin + i] != rows_[begin] + i) return 0;
        return stride_ > 0 ? static_cast<std::size_t>(stride_) : 0;
    }
    bool has_missing() const { return has_missing_; }
    // Is any of the columns of a mask of n_words() words missing in a row?
    bool any_missing(u32 place, const u64* mask) const {
        const u64* bits = missing_bits_.data() + std::size_t{place} * n_words_;
        u64 any = 0;
        for (std::size_t i = 0; i < n_words_; ++i) any |= bits[i] & mask[i];
        return any != 0;
    }
    bool missing_at(u32 place, u32 column) const {
        return missing_bits_[std::size_t{place} * n_words_ + column / 64] >> (column % 64) & 1;
    }
    std::size_t n_words() const { return n_words_; }
    const u32* table_rows() const { return rows_.data(); }
    const u32* classes() const { return classes_.data(); }
    const double* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
    const double* numbers() const { return numbers_.empty() ? nullptr : numbers_.data(); }

    // Move the n rows of a split node so that those of each child lie side by side, children in order: right[i] is 1
    // where row i goes to the second of two, child[i] is its child among many of the given sizes. Of two children, one
    // that is not `open` need not find its numbers again.
    void divide_in_two(u32 begin, u32 n, const u8* right, bool left_open, bool right_open);
    void divide_in_many(u32 begin, u32 n, const u32* child, std::span<const u32> sizes);
    // Adds w·x of every row to the sums of its class, n_columns() each.
    void add_class_sums(u32 begin, u32 n, double* sums) const;

    std::vector<u32> columns;        // of the table, ascending
    std::vector<double> magnitudes;  // per column: no number is further from its center

   private:
    void fill(const Table& table, const Moments& moments, Budget& budget);

    const double* borrowed_ = nullptr;  // the user's own matrix
    i64 stride_ = 0;
    bool has_missing_ = false;
    std::size_t n_words_ = 0;
    RawBuffer<double> x_;
    std::vector<u64> missing_bits_;
    std::vector<u32> rows_, classes_;
    std::vector<double> weights_, numbers_;
};

}  // namespace bough
