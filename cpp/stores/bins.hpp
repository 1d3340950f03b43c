// The numbers of a table as codes of one byte, and the rows of a tree by histograms of them: a node adds up what its
// rows weigh in each bin, and the larger of two children is the node less the smaller one. Sums are integers, so that
// neither the order of rows nor the number of threads changes one. Cuts lie between bins only.
#pragma once

#include "score/problem.hpp"
#include "stores/decision.hpp"
#include "stores/slots.hpp"

namespace bough {

inline constexpr u32 kMostBins = 255;

// Made once, shared by all trees.
class BinnedTable {
   public:
    // At most so many bins for each column; the last one is of rows without a value.
    BinnedTable(const Table& table, u32 most, Team& team, Budget& budget);
    struct Bins {
        u32 first = 0;                                          // of its cells in a histogram
        std::vector<double> low, high;                          // the least and the greatest number of each
        u32 n() const { return static_cast<u32>(low.size()); }  // the code of rows without a value, too
    };
    u32 n_rows() const { return n_rows_; }
    u32 n_columns() const { return static_cast<u32>(bins_.size()); }
    u32 n_cells() const { return n_cells_; }
    const Bins& bins(u32 column) const { return bins_[column]; }
    const u8* row(u32 row) const { return by_row_.data() + std::size_t{row} * bins_.size(); }
    const u8* column(u32 column) const { return by_column_.data() + std::size_t{column} * n_rows_; }

   private:
    void make_bins(Bins& to, std::vector<double>& sorted, u32 most);

    u32 n_rows_, n_cells_ = 0;
    std::vector<Bins> bins_;
    RawBuffer<u8> by_row_, by_column_;
};

class BinStore {
   public:
    using Decision = bough::Decision;
    struct Handle {
        u32 begin, n_rows, depth, slot;  // of its histogram; kNone: it has none yet
        bool open;
        u64 path;
        double total, mean, spread;
    };

    BinStore(const Problem& problem, const BinnedTable& table, std::span<const u32> rows);
    Handle root(u32 depth, u64 path);

    u32 n_columns() const { return table_.n_columns(); }
    const Problem& problem() const { return problem_; }
    const Node& enter(Handle& at);
    bool search(Handle& at, std::span<const u32> columns, bool only, Pace& pace, Best& best);
    void resolve(Handle& at, Decision& d);
    void divide(Handle& at, Decision& d, std::vector<Handle>& children);
    void close(Handle& at) {
        if (at.slot != kNone) cells_.give_back(at.slot);
        at.slot = kNone;
    }
    std::span<const u32> classes(const Handle&) const { return {}; }
    std::span<const double> tests(const Handle&) const { return {}; }
    double work(const Node& node) const { return node.n_rows; }
    double tie_weight(const Node& node) const { return node.total; }

   private:
    // What rows weigh: weight × number, and weight and how many they are, in one word.
    struct alignas(16) Cell {
        i64 sum, weight;
        Cell& operator+=(const Cell& more) {
            sum += more.sum;
            weight += more.weight;
            return *this;
        }
        friend Cell operator-(const Cell& a, const Cell& b) { return {a.sum - b.sum, a.weight - b.weight}; }
    };
    // The rows of bins before the end, added to some.
    static Cell added_up(const Cell* cells, u32 end, Cell some) {
        for (u32 b = 0; b < end; ++b) some += cells[b];
        return some;
    }
    struct Sums {
        double sum = 0, weight = 0;
        u32 rows = 0;
    };
    Sums sums_of(const Cell& cell) const {
        return {static_cast<double>(cell.sum) * sum_unit_,
                static_cast<double>(cell.weight >> count_bits_) * weight_unit_,
                static_cast<u32>(cell.weight & ((i64{1} << count_bits_) - 1))};
    }
    void take_rows(std::span<const u32> rows);
    void fill(Cell* to, u32 begin, u32 n);
    void search_column(const Handle& at, u32 column, Best& best);
    void measure(Handle& at) const;

    const Problem& problem_;
    const BinnedTable& table_;
    const double *numbers_, *weights_;  // of the target; null: rows weigh 1
    double sum_unit_ = 1, weight_unit_ = 1;
    int count_bits_ = 0;
    RawBuffer<Cell> images_;  // of each row of the table
    RawBuffer<u32> rows_, spare_;
    Slots<Cell> cells_;                   // histograms of open nodes
    std::vector<RawBuffer<Cell>> parts_;  // of other threads
    std::vector<double> gains_;
    Node node_;
};

}  // namespace bough
