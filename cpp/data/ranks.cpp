#include "data/ranks.hpp"

#include <algorithm>
#include <atomic>

#include "base/order.hpp"

namespace bough {

namespace {

constexpr u32 kSmallNumbers = 65536;

// Ranks by a table of the numbers that occur, where they are small and whole; false if they are not.
bool rank_small(const Column& column, u32 n, std::vector<u32>& codes, std::vector<double>& values) {
    for (u32 i = 0; i < n; ++i) {
        const double x = column.value(i);
        if (!(x >= 0) || x >= kSmallNumbers || x != static_cast<u32>(x)) return false;
    }
    std::vector<u32> place(kSmallNumbers, 0);
    for (u32 i = 0; i < n; ++i) place[static_cast<u32>(column.value(i))] = 1;
    for (u32 x = 0; x < kSmallNumbers; ++x)
        if (place[x]) {
            place[x] = static_cast<u32>(values.size());
            values.push_back(x);
        }
    for (u32 i = 0; i < n; ++i) codes[i] = place[static_cast<u32>(column.value(i))];
    return true;
}

// Ranks by sorting; false if a number is missing.
bool rank(const Column& column, u32 n, std::vector<u32>& codes, std::vector<double>& values, Budget& budget) {
    codes.resize(n);
    if (rank_small(column, n, codes, values)) return true;
    thread_local OrderScratch scratch;
    std::vector<double> x(n);
    double low = kInf, high = -kInf;
    for (u32 i = 0; i < n; ++i) {
        x[i] = column.value(i);
        if (is_missing(x[i])) return false;
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
    }
    u32 known;
    const u64* order = order_rows(x.data(), n, low, high, scratch, budget, known);
    for (u32 i = 0; i < n; ++i) {
        const u32 row = static_cast<u32>(order[i]);
        if (values.empty() || x[row] != values.back()) values.push_back(x[row]);
        codes[row] = static_cast<u32>(values.size()) - 1;
    }
    return true;
}

}  // namespace

Ranks::Ranks(const Table& table, Team& team, Budget& budget)
    : n_rows_(table.n_rows), words_((table.n_rows + 63) / 64), columns_(table.n_columns()) {
    const std::vector<u32> numeric = table.of(ColumnKind::numeric);
    n_numeric_ = static_cast<u32>(numeric.size());
    std::vector<std::vector<u32>> codes(n_numeric_);
    std::atomic<bool> complete{true};
    team.each(n_numeric_, [&](std::size_t i, int) {
        budget.poll();
        if (!complete.load()) return;
        Ranked& c = columns_[numeric[i]];
        c.place = static_cast<u32>(i);
        if (!rank(table.columns[numeric[i]], n_rows_, codes[i], c.values, budget)) return complete.store(false);
        c.sparse = std::count(codes[i].begin(), codes[i].end(), 0u) > n_rows_ / 3;
    });
    complete_ = complete;
    if (!complete_) return;
    std::size_t most = 0;
    for (const Ranked& c : columns_) most = std::max(most, c.values.size());
    width_ = most <= 256 ? 1 : most <= 65536 ? 2 : 4;
    if (width_ == 1)
        keep<u8>(numeric, codes, team);
    else if (width_ == 2)
        keep<std::uint16_t>(numeric, codes, team);
    else
        keep<u32>(numeric, codes, team);
}

template <class Code>
void Ranks::keep(const std::vector<u32>& numeric, const std::vector<std::vector<u32>>& codes, Team& team) {
    const std::size_t n = n_rows_, d = n_numeric_;
    codes_ = RawBuffer<u64>((2 * n * d * sizeof(Code) + 7) / 8);
    others_.assign(words_ * d, 0);
    Code* by_column = reinterpret_cast<Code*>(codes_.data());
    Code* by_row = by_column + n * d;
    team.each(d, [&](std::size_t i, int) {
        std::copy(codes[i].begin(), codes[i].end(), by_column + i * n);
        if (!columns_[numeric[i]].sparse) return;
        u64* bits = others_.data() + i * words_;
        for (std::size_t row = 0; row < n; ++row) bits[row / 64] |= u64{codes[i][row] != 0} << (row % 64);
    });
    constexpr std::size_t kTile = 64;
    team.each((n + kTile - 1) / kTile, [&](std::size_t tile, int) {
        const std::size_t begin = tile * kTile, end = std::min(n, begin + kTile);
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t row = begin; row < end; ++row) by_row[row * d + i] = by_column[i * n + row];
    });
}

}  // namespace bough
