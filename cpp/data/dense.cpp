#include "data/dense.hpp"

#include <algorithm>

namespace bough {

namespace {

constexpr u32 kWide = 64;  // columns from which a row is better left where it is

}  // namespace

DenseRows::DenseRows(const Table& table, const Target& target, const Moments& moments, Budget& budget) {
    columns = table.of(ColumnKind::numeric);
    const u32 n = table.n_rows, d = n_columns();
    for (u32 c : columns) magnitudes.push_back(moments.magnitudes[c]);
    n_words_ = (d + 63) / 64;
    const double* matrix =
        d == table.n_columns() && d >= kWide && !moments.centered ? first_row(table.columns) : nullptr;
    if (matrix) {  // without centers nothing is missing
        borrowed_ = matrix;
        stride_ = table.columns[0].stride;
    } else {
        x_ = RawBuffer<double>(std::size_t{n} * d);
        fill(table, moments, budget);
    }
    if (has_missing_) {
        missing_bits_.assign(std::size_t{n} * n_words_, 0);
        for (u32 row = 0; row < n; ++row)
            for (u32 j = 0; j < d; ++j) {
                double& x = x_[std::size_t{row} * d + j];
                if (!is_missing(x)) continue;
                x = 0;
                missing_bits_[row * n_words_ + j / 64] |= u64{1} << (j % 64);
            }
    }
    rows_.resize(n);
    for (u32 row = 0; row < n; ++row) rows_[row] = row;
    classes_.assign(target.classes.begin(), target.classes.end());
    weights_.assign(target.weights.begin(), target.weights.end());
    numbers_.assign(target.numbers.begin(), target.numbers.end());
}

void DenseRows::fill(const Table& table, const Moments& moments, Budget& budget) {
    const u32 n = table.n_rows, d = n_columns();
    std::vector<double> centers(d);
    for (u32 j = 0; j < d; ++j) centers[j] = moments.centers[columns[j]];
    const double* matrix = d == table.n_columns() ? first_row(table.columns) : nullptr;
    constexpr u32 kRows = 64;
    double zero = 0;  // becomes NaN where a number is missing
    for (u32 begin = 0; begin < n; begin += std::min(kRows, n - begin)) {
        if (begin % (1u << 14) == 0) budget.poll();
        const u32 end = begin + std::min(kRows, n - begin);
        if (matrix) {
            for (u32 row = begin; row < end; ++row) {
                const double* from = matrix + static_cast<i64>(row) * table.columns[0].stride;
                double* to = x_.data() + std::size_t{row} * d;
                for (u32 j = 0; j < d; ++j) {
                    to[j] = from[j] - centers[j];
                    zero += 0.0 * to[j];
                }
            }
            continue;
        }
        for (u32 j = 0; j < d; ++j) {
            const Column& column = table.columns[columns[j]];
            double* to = x_.data() + std::size_t{begin} * d + j;
            for (u32 row = begin; row < end; ++row, to += d) {
                *to = column.value(row) - centers[j];
                zero += 0.0 * *to;
            }
        }
    }
    has_missing_ = is_missing(zero);
}

void DenseRows::add_class_sums(u32 begin, u32 n, double* sums) const {
    const u32 d = n_columns();
    for (u32 place = begin; place < begin + n; ++place) {
        const double* x = row(place);
        double* to = sums + std::size_t{classes_[place]} * d;
        if (weights_.empty())
            for (u32 j = 0; j < d; ++j) to[j] += x[j];
        else
            for (u32 j = 0; j < d; ++j) to[j] += weights_[place] * x[j];
    }
}

// ---- to the children ---------------------------------------------------------------------------------------

// Rows that are on the wrong side of the border change places; where only one child stays open, the other's
// rows are written over.
void DenseRows::divide_in_two(u32 begin, u32 n, const u8* right, bool left_open, bool right_open) {
    const std::size_t d = columns.size();
    u32 i = 0, j = n;
    for (;;) {
        while (i < j && !right[i]) ++i;
        while (i < j && right[j - 1]) --j;
        if (i + 1 >= j) return;
        const u32 a = begin + i++, b = begin + --j;  // `a` belongs to the right, `b` to the left
        auto exchange = [&](auto& v, std::size_t width) {
            if (v.empty()) return;
            auto* pa = v.data() + std::size_t{a} * width;
            auto* pb = v.data() + std::size_t{b} * width;
            for (std::size_t t = 0; t < width; ++t) std::swap(pa[t], pb[t]);
        };
        if (!borrowed_) {
            double *xa = x_.data() + std::size_t{a} * d, *xb = x_.data() + std::size_t{b} * d;
            if (left_open && right_open)
                std::swap_ranges(xa, xa + d, xb);
            else if (left_open)
                std::copy_n(xb, d, xa);
            else
                std::copy_n(xa, d, xb);
        }
        exchange(rows_, 1);
        exchange(classes_, 1);
        exchange(weights_, 1);
        exchange(numbers_, 1);
        exchange(missing_bits_, n_words_);
    }
}

void DenseRows::divide_in_many(u32 begin, u32 n, const u32* child, std::span<const u32> sizes) {
    std::vector<u32> to(n);  // place of every row among those of the node
    std::vector<u32> at(sizes.size(), 0);
    for (std::size_t c = 1; c < sizes.size(); ++c) at[c] = at[c - 1] + sizes[c - 1];
    for (u32 i = 0; i < n; ++i) to[i] = at[child[i]]++;
    auto move = [&](auto* a, std::size_t width) {
        using T = std::remove_reference_t<decltype(*a)>;
        const std::vector<T> old(a, a + std::size_t{n} * width);
        for (u32 i = 0; i < n; ++i) std::copy_n(old.data() + std::size_t{i} * width, width, a + to[i] * width);
    };
    if (!borrowed_) move(x_.data() + begin * columns.size(), columns.size());
    move(rows_.data() + begin, 1);
    if (!classes_.empty()) move(classes_.data() + begin, 1);
    if (!weights_.empty()) move(weights_.data() + begin, 1);
    if (!numbers_.empty()) move(numbers_.data() + begin, 1);
    if (!missing_bits_.empty()) move(missing_bits_.data() + begin * n_words_, n_words_);
}

}  // namespace bough
