// The numbers of a table as ranks: made once, shared by all trees of a forest, never changed. By column for large
// nodes, by row for small ones, whose few rows are then read where all their columns lie together. A column of two
// numbers is one bit a row.
#pragma once

#include <algorithm>

#include "base/budget.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "data/table.hpp"

namespace bough {

class Ranks {
   public:
    Ranks(const Table& table, Team& team, Budget& budget);

    // False if a number is missing: then nothing else is to be asked.
    bool complete() const { return complete_; }
    u64 bytes_of_row() const { return u64{n_coded_} * static_cast<u64>(width_); }
    u64 bytes() const { return bytes_of_row() * n_rows_; }
    // The distinct numbers of a column, ascending.
    const std::vector<double>& values(u32 column) const { return columns_[column].values; }
    // Ranks between which x lies: the number of the first is at most x, that of the last is not, and they are close to
    // each other. Given are two such ranks.
    struct Cell {
        u32 low, high;
    };
    Cell cell(u32 column, double x, u32 low, u32 high) const {
        const Ranked& c = columns_[column];
        if (c.grid.empty()) return {low, high};
        // one cell more on each side than rounding could need
        const auto at = static_cast<std::size_t>((x - c.values[0]) * c.cells_per_unit);
        return {std::max(low, c.grid[at > 0 ? at - 1 : 0]),
                std::min(high, c.grid[std::min<std::size_t>(at + 2, c.grid.size() - 1)] + 1)};
    }
    // The greatest rank whose number is at most x.
    u32 rank_at_most(u32 column, double x, Cell cell) const {
        const std::vector<double>& values = columns_[column].values;
        const double* at = values.data() + cell.low;
        for (u32 n = cell.high - cell.low; n > 1;) {  // halves without branches, which nobody foresees
            const u32 half = n / 2;
            at += at[half] <= x ? half : 0;
            n -= half;
        }
        return static_cast<u32>(at - values.data());
    }
    // Are there two numbers at most?
    bool two(u32 column) const { return columns_[column].two(); }
    // One bit for each row whose number is not the least of its column; null where too few of more than two have the
    // least.
    const u32* others(u32 column) const {
        const Ranked& c = columns_[column];
        return c.sparse || c.two() ? bits(c) : nullptr;
    }
    // Calls read(rank_of), where rank_of(row) is the rank of a row's number among the distinct ones of a column;
    // rank_of.soon(row) says that it will be asked for.
    template <class Read>
    void read(u32 column, bool by_row, Read read) const {
        if (columns_[column].two()) return read(OfBit{bits(columns_[column])});
        if (width_ == 1) return read_as<u8>(column, by_row, read);
        if (width_ == 2) return read_as<std::uint16_t>(column, by_row, read);
        read_as<u32>(column, by_row, read);
    }

   private:
    static constexpr std::size_t kPerCell = 1;  // numbers for each cell of a grid
    struct Ranked {
        u32 place = 0;  // among the numeric columns
        u32 coded = 0;  // ... those of more than two numbers
        std::vector<double> values;
        std::vector<u32> grid;  // the last rank at or below the lower edge of each cell, and below the last edge
        double cells_per_unit = 0;
        void make_grid();
        bool sparse = false;
        bool two() const { return values.size() <= 2; }
    };
    const u32* bits(const Ranked& c) const { return others_.data() + std::size_t{c.place} * words_; }
    struct OfBit {
        const u32* bits;
        u32 operator()(u32 row) const { return bits[row / 32] >> (row % 32) & 1; }
        void soon(u32 row) const { fetch_soon(bits + row / 32); }
    };
    template <class Code, bool Dense = false>
    struct OfRow {
        const Code* from;
        std::size_t stride;
        const Code* at(u32 row) const { return from + (Dense ? row : row * stride); }
        u32 operator()(u32 row) const { return *at(row); }
        void soon(u32 row) const { fetch_soon(at(row)); }
    };
    template <class Code, class Read>
    void read_as(u32 column, bool by_row, Read read) const {
        const Code* all = reinterpret_cast<const Code*>(codes_.data());
        const std::size_t place = columns_[column].coded, d = n_coded_;
        if (by_row)
            read(OfRow<Code>{all + d * n_rows_ + place, d});
        else
            read(OfRow<Code, true>{all + place * n_rows_, 1});
    }
    template <class Code>
    void keep(const std::vector<u32>& numeric, const std::vector<std::vector<u32>>& codes, Team& team);

    u32 n_rows_, n_coded_ = 0;  // columns of more than two numbers
    std::size_t words_;
    bool complete_ = true;
    int width_ = 1;  // bytes of a rank
    std::vector<Ranked> columns_;
    RawBuffer<u64> codes_;  // by column, then by row
    std::vector<u32> others_;
};

}  // namespace bough
