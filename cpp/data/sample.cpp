#include "data/sample.hpp"

#include <algorithm>

namespace bough {

namespace {

template <class T>
std::span<const T> picked(std::span<const T> from, std::span<const u32> rows, std::vector<T>& to) {
    if (from.empty()) return {};
    to.reserve(rows.size());
    for (u32 row : rows) to.push_back(from[row]);
    return to;
}

}  // namespace

SampledData::SampledData(const Data& data, const Sample& sample, Budget& budget) : data_(data) {
    if (sample.all_rows) return;
    const std::size_t n = sample.rows.size();
    Table& table = data_.table;
    table.n_rows = static_cast<u32>(n);
    const std::size_t numeric = table.of(ColumnKind::numeric).size(), nominal = table.n_columns() - numeric;
    values_ = RawBuffer<double>(n * numeric);
    codes_ = RawBuffer<i32>(n * nominal);
    if (const double* matrix = first_row(data.table.columns)) {
        constexpr std::size_t kNumbers = 1u << 18;  // between two looks at the clock
        double* to = values_.data();
        for (std::size_t i = 0, copied = kNumbers; i < n; ++i, copied += numeric) {
            if (copied >= kNumbers) {
                budget.poll();
                copied = 0;
            }
            to = std::copy_n(matrix + static_cast<i64>(sample.rows[i]) * table.columns[0].stride, numeric, to);
        }
        for (std::size_t c = 0; c < numeric; ++c) {
            table.columns[c].values = values_.data() + c;
            table.columns[c].stride = static_cast<i64>(numeric);
        }
    } else {
        double* values = values_.data();
        i32* codes = codes_.data();
        for (Column& c : table.columns) {
            const Column from = c;
            budget.poll();
            if (c.kind == ColumnKind::numeric) {
                c.values = values;
                c.stride = 1;
                for (u32 row : sample.rows) *values++ = from.value(row);
            } else {
                c.codes = codes;
                for (u32 row : sample.rows) *codes++ = from.codes[row];
            }
        }
    }
    table.sorted = nullptr;
    constexpr u64 kWorthPassing = 8;  // a smaller part of the table is sorted sooner than its lists are read
    if (data.table.sorted && n <= data.table.n_rows && kWorthPassing * n >= data.table.n_rows &&
        std::is_sorted(sample.rows.begin(), sample.rows.end())) {
        table.sorted = data.table.sorted;  // rows in order: a part of the sorted table
        places_.assign(data.table.n_rows + 1, 0);
        for (u32 row : sample.rows) ++places_[row + 1];
        for (u32 row = 0; row < data.table.n_rows; ++row) places_[row + 1] += places_[row];
        table.places = places_;
    }
    if (!table.origins.empty())
        table.origins = picked(table.origins, sample.rows, origins_);
    else if (std::adjacent_find(sample.rows.begin(), sample.rows.end()) != sample.rows.end())
        table.origins = origins_ = {sample.rows.begin(), sample.rows.end()};
    Target& target = data_.target;
    target.classes = picked(target.classes, sample.rows, classes_);
    target.numbers = picked(target.numbers, sample.rows, numbers_);
    target.weights = sample.weights.empty() ? picked(target.weights, sample.rows, weights_) : sample.weights;
    target.own = {};  // of all rows of the data
}

}  // namespace bough
