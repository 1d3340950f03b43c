// Everything below a node of not too many rows, from its sorted lists: rows are numbered anew and the lists are copied
// side by side, into a cache, where the loop of the grower goes on without what such nodes do not need. A node is the
// same range of every list, nothing is allocated for it, and columns that have one value are not looked at below it.
#pragma once

#include <functional>

#include "grow/family.hpp"
#include "score/few.hpp"

namespace bough {

class ListedSubtree {
   public:
    // `modes`: per column the value that its lists leave out; `below`: cuts lie just below the midpoint; `split`: what
    // a cut of a column is where columns are positions along directions.
    ListedSubtree(const Problem& problem, u32 family, bool below, std::function<Split(u32 column, double cut)> split,
                  std::span<const double> modes, const StopRules& stop, Worker& worker, TreeWriter& out);
    // Is there room for this many rows?
    static bool fits(const Problem& problem, u32 n_rows);

    // First the rows of the node, ascending; then each column that has more than one value there.
    void take(std::span<const u32> rows);
    // Its lists hold the rows low_row(i) and high_row(i), from the outermost value on; the other rows have the value
    // that is left out. low_differ(i) says whether the values of i and i + 1 do.
    template <class LowRow, class LowDiffer, class HighRow, class HighDiffer>
    void take(u32 column, u32 n_low, u32 n_high, LowRow low_row, LowDiffer low_differ, HighRow high_row,
              HighDiffer high_differ) {
        u32 *low = list(column), *high = low + n_ - n_high;
        u64 rank = 0;
        for (u32 i = 0; i < n_low; ++i) {
            low[i] = entry(numbering_[low_row(i)], rank);
            rank += i + 1 == n_low || low_differ(i) ? 1 : 0;
        }
        const u64 mode = rank;
        rank = (u64{1} << packing_.rank_bits) - 1;  // from the top: none is that of the value left out
        for (u32 i = 0; i < n_high; ++i) {
            high[i] = entry(numbering_[high_row(i)], rank);
            rank -= i + 1 < n_high && high_differ(i) ? 1 : 0;
        }
        modes_here_[column] = n_low < n_ ? packing_.rank(mode) : kNone;
        constant_[column / 64] &= ~(u64{1} << (column % 64));
        if (n_low + n_high < n_) take_others(column, n_low, n_high, mode);
    }
    void grow(const Node& root);

   private:
    struct Waiting {
        u32 begin, size, depth;
        bool open;  // may be split
        u64 path;
        double mean, spread;
    };
    struct Memory;
    static constexpr u64 kPoll = 1u << 17;  // entries read between two looks at the clock, some 0.3 ms
    static Memory& memory();

    u32* list(u32 column) { return lists_ + std::size_t{column} * n_; }
    u32 entry(u32 id, u64 rank) const { return packing_.pack(id, k_ > 1 ? classes_[id] : 0) | packing_.rank(rank); }
    void take_others(u32 column, u32 n_low, u32 n_high, u64 rank);
    void toggle(const u32* entries, u32 size);
    double value(u32 column, u32 entry) const;

    void enter(const Waiting& at);
    bool split(const Waiting& at);
    template <class Visit>
    void each_column(const Waiting& at, std::span<const u32> columns, Visit visit);
    void look_at_few(const Waiting& at, std::span<const u32> columns, bool all, Best& best);
    void look(const Waiting& at, std::span<const u32> columns, Best& best);
    struct Halves {
        u32 low, high;  // entries of the list from the low end and of that from the high end
    };
    Halves halves(u32 column, const u32* entries, u32 size) const;
    void divide(const Waiting& at, const Candidate& made);
    void write(u32 column, double cut, double gain);
    void measure_children(const Waiting& at, std::span<const u32> outer, u32 front);
    void part(const Waiting& at, u32 but, bool keep_marked, bool keep_others);

    const Problem& problem_;
    const u32 family_;
    const bool below_;
    const std::function<Split(u32, double)> split_;
    const std::span<const double> modes_;
    const StopRules& stop_;
    Worker& worker_;
    TreeWriter& out_;
    const FewCuts* few_;
    const u32 d_;
    const std::size_t k_, words_;
    Memory& m_;
    Packing<u32> packing_;
    u32 n_ = 0;                     // rows of the root
    u32* lists_ = nullptr;          // of each column: its low list, rows that have the value left out, its high list
    u32* numbering_ = nullptr;      // of the rows of the table, while they are taken
    const u32* classes_ = nullptr;  // of the rows as they are numbered here
    std::vector<u32> modes_here_;   // per column the rank of the value left out, kNone: there is one list only
    std::vector<Waiting> stack_;
    std::vector<double> counts_;  // of each that waits, by class
    std::vector<u64> constant_;   // ... one bit for each column that has one value there
    std::vector<u64> here_;       // those of the node at hand
    std::vector<u32> columns_;
    std::vector<FewLists::One> few_lists_;
    Node node_, child_[2];
    Best best_{0, 0};
    u64 read_ = 0;         // entries, since the last look at the clock
    double finished_ = 0;  // rows in leaves, since then
};

}  // namespace bough
