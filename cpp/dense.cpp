#include "dense.hpp"

#include <algorithm>

namespace bough {

DenseRows::DenseRows(const Problem& problem) {
    const Table& table = *problem.table;
    const Target& target = *problem.target;
    for (u32 c = 0; c < table.n_columns(); ++c)
        if (table.columns[c].kind == ColumnKind::numeric) columns.push_back(c);
    const u32 n = table.n_rows, d = n_columns();
    n_words_ = (d + 63) / 64;
    x_ = RawBuffer<double>(std::size_t{n} * d);
    magnitudes.assign(d, 0.0);
    constexpr u32 kRows = 512;
    for (u32 begin = 0; begin < n; begin += std::min(kRows, n - begin)) {
        problem.budget->poll();
        const u32 end = begin + std::min(kRows, n - begin);
        for (u32 j = 0; j < d; ++j) {
            const Column& column = table.columns[columns[j]];
            const double center = problem.moments.centers[columns[j]];
            double* to = x_.data() + std::size_t{begin} * d + j;
            double most = magnitudes[j];
            for (u32 row = begin; row < end; ++row, to += d) {
                *to = column.value(row) - center;
                has_missing_ |= is_missing(*to);
                most = std::fabs(*to) > most ? std::fabs(*to) : most;
            }
            magnitudes[j] = most;
        }
    }
    if (has_missing_) {
        gaps_.assign(std::size_t{n} * n_words_, 0);
        for (u32 row = 0; row < n; ++row)
            for (u32 j = 0; j < d; ++j) {
                double& x = x_[std::size_t{row} * d + j];
                if (!is_missing(x)) continue;
                x = 0;
                gaps_[row * n_words_ + j / 64] |= u64{1} << (j % 64);
            }
    }
    rows_.resize(n);
    for (u32 row = 0; row < n; ++row) rows_[row] = row;
    classes_.assign(target.classes.begin(), target.classes.end());
    weights_.assign(target.weights.begin(), target.weights.end());
    numbers_.assign(target.numbers.begin(), target.numbers.end());
}

namespace {

// Stable: the rows of each child keep their order. `child(i)` tells where row i goes.
template <class T, class Child>
void divide_array(T* a, std::size_t width, u32 n, std::span<const u32> starts, Child child, std::vector<T>& spare) {
    spare.assign(a, a + std::size_t{n} * width);
    std::vector<u32> at(starts.begin(), starts.end());
    for (u32 i = 0; i < n; ++i)
        std::copy_n(spare.data() + std::size_t{i} * width, width, a + std::size_t{at[child(i)]++} * width);
}

}  // namespace

void DenseRows::divide(u32 begin, u32 n, const Division& division, const Workplace& place) {
    thread_local std::vector<u32> children, spare_u32;
    thread_local std::vector<double> spare;
    thread_local std::vector<u64> spare_bits;
    children.resize(n);
    const bool two = division.split->kind != NodeKind::multiway;
    const u32 m = division.marked_child;
    for (u32 i = 0; i < n; ++i) {
        const u32 row = rows_[begin + i];
        children[i] = two ? (place.marks.get(row) ? m : 1 - m) : place.child_of[row];
    }
    std::vector<u32> starts(division.n_children, 0);
    for (u32 c = 1; c < division.n_children; ++c) starts[c] = starts[c - 1] + division.n_rows[c - 1];
    auto child = [&](u32 i) { return children[i]; };
    divide_array(rows_.data() + begin, 1, n, starts, child, spare_u32);
    if (!classes_.empty()) divide_array(classes_.data() + begin, 1, n, starts, child, spare_u32);
    if (!weights_.empty()) divide_array(weights_.data() + begin, 1, n, starts, child, spare);
    if (!numbers_.empty()) divide_array(numbers_.data() + begin, 1, n, starts, child, spare);
    const std::size_t d = columns.size();
    divide_array(x_.data() + begin * d, d, n, starts, child, spare);
    if (has_missing_) divide_array(gaps_.data() + begin * n_words_, n_words_, n, starts, child, spare_bits);
}

}  // namespace bough
