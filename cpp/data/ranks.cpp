#include "data/ranks.hpp"
#include "base/per_thread.hpp"

#include <algorithm>
#include <atomic>

#include "base/memory.hpp"
#include "base/order.hpp"
#include "data/gather.hpp"

namespace bough {

namespace {

constexpr double kSmallNumbers = 65536;
constexpr u32 kPoll = 1u << 18;  // rows between two looks at the clock

// The ranks of n numbers among the distinct ones; false if one is missing.
bool rank(const double* x, u32 n, std::vector<u32>& codes, std::vector<double>& values, Budget& budget) {
    codes.resize(n);
    double low = kInf, high = -kInf;
    u32 known = 0, integral = 0;
    for (u32 i = 0; i < n; ++i) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        known += x[i] == x[i];
        integral += (x[i] + 0x1.8p52) - 0x1.8p52 == x[i];
    }
    if (known < n) return false;
    if (integral == n && low >= 0 && high < kSmallNumbers) {  // a table of the numbers that occur
        std::vector<u32> place(static_cast<std::size_t>(high) + 1, 0);
        for (u32 i = 0; i < n; ++i) place[static_cast<u32>(x[i])] = 1;
        for (u32 v = 0; v < place.size(); ++v)
            if (place[v]) {
                place[v] = static_cast<u32>(values.size());
                values.push_back(v);
            }
        for (u32 i = 0; i < n; ++i) codes[i] = place[static_cast<u32>(x[i])];
        return true;
    }
    auto& scratch = per_thread<OrderScratch, struct ScratchHere>();
    const u64* order = order_rows(x, n, low, high, scratch, budget, known);
    for (u32 i = 0; i < n; ++i) {
        if (i % kPoll == 0) budget.poll();
        const u32 row = static_cast<u32>(order[i]);
        if (values.empty() || x[row] != values.back()) values.push_back(x[row]);
        codes[row] = static_cast<u32>(values.size()) - 1;
    }
    return true;
}

}  // namespace

// Cells of equal width from the least number to the greatest.
void Ranks::Ranked::make_grid() {
    constexpr std::size_t kMany = 64;  // fewer are as quickly halved
    if (values.size() < kMany) return;
    const std::size_t cells = values.size() / kPerCell;
    const double width = (values.back() - values.front()) / static_cast<double>(cells);
    if (!(width > 0) || !std::isfinite(1 / width) || !std::isfinite(width)) return;
    cells_per_unit = 1 / width;
    grid.resize(cells + 1);
    u32 rank = 0;
    for (std::size_t cell = 0; cell <= cells; ++cell) {
        const double edge = values.front() + static_cast<double>(cell) * width;
        while (rank + 1 < values.size() && values[rank + 1] <= edge) ++rank;
        grid[cell] = rank;
    }
    grid[cells] = static_cast<u32>(values.size()) - 1;
}

Ranks::Ranks(const Table& table, Team& team, Budget& budget)
    : n_rows_(table.n_rows), words_((table.n_rows + 31) / 32), columns_(table.n_columns()) {
    const std::vector<u32> numeric = table.of(ColumnKind::numeric);
    const std::size_t n_numeric = numeric.size();
    std::vector<std::vector<u32>> codes(n_numeric);
    std::atomic<bool> complete{true};
    team.each((n_numeric + kColumnsAtOnce - 1) / kColumnsAtOnce, [&](std::size_t block, int) {
        const std::size_t begin = block * kColumnsAtOnce, end = std::min(begin + kColumnsAtOnce, n_numeric);
        if (!complete.load()) return;
        RawBuffer<double> numbers(std::size_t{n_rows_} * (end - begin));
        gather(table, {numeric.data() + begin, end - begin}, numbers.data(), budget);
        for (std::size_t i = begin; i < end; ++i) {
            budget.poll();
            Ranked& c = columns_[numeric[i]];
            c.place = static_cast<u32>(i);
            const double* x = numbers.data() + (i - begin) * n_rows_;
            if (!rank(x, n_rows_, codes[i], c.values, budget)) return complete.store(false);
            budget.poll();
            c.make_grid();
            std::vector<u32> times(c.values.size(), 0);
            for (u32 code : codes[i]) ++times[code];
            c.sparse = !times.empty() && times[0] > n_rows_ / 3;
        }
    });
    complete_ = complete;
    if (!complete_) return;
    std::size_t most = 0;
    for (u32 column : numeric) {
        Ranked& c = columns_[column];
        most = std::max(most, c.values.size());
        c.coded = n_coded_;
        n_coded_ += c.two() ? 0 : 1;
    }
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
    const std::size_t n = n_rows_, d = n_coded_;
    codes_ = RawBuffer<u64>((2 * n * d * sizeof(Code) + 7) / 8);
    prefer_large_pages(codes_.data(), codes_.size() * sizeof(u64));
    others_.assign(words_ * numeric.size(), 0);
    Code* by_column = reinterpret_cast<Code*>(codes_.data());
    Code* by_row = by_column + n * d;
    team.each(numeric.size(), [&](std::size_t i, int) {
        const Ranked& c = columns_[numeric[i]];
        if (!c.two()) std::copy(codes[i].begin(), codes[i].end(), by_column + c.coded * n);
        if (!c.two() && !c.sparse) return;
        u32* bits = others_.data() + i * words_;
        for (std::size_t row = 0; row < n; ++row) bits[row / 32] |= u32{codes[i][row] != 0} << (row % 32);
    });
    constexpr std::size_t kTile = 64;
    team.each((n + kTile - 1) / kTile, [&](std::size_t tile, int) {
        const std::size_t begin = tile * kTile, end = std::min(n, begin + kTile);
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t row = begin; row < end; ++row) by_row[row * d + i] = by_column[i * n + row];
    });
}

}  // namespace bough
