// Sorted lists of the rows of one node, copied side by side into a cache: rows are numbered anew, a node is the same
// range of every list, nothing is allocated for it, and columns that have one value at a node are not searched below
// it.
#pragma once

#include <functional>

#include "score/few.hpp"
#include "score/problem.hpp"
#include "stores/decision.hpp"
#include "stores/open_nodes.hpp"

namespace bough {

class Lists {
   public:
    using Decision = bough::Decision;
    // An open node.
    struct Handle {
        u32 begin, n_rows, depth, slot;
        bool open;  // may be split
        u64 path;
    };

    // `modes`: per column the value that its lists leave out; `below`: cuts lie just below the midpoint; `split`: what
    // a cut of a column is where columns are positions along directions. Candidates are those of `family`.
    struct Source {
        const Problem* problem;
        u32 family;
        bool below;
        std::function<Split(u32 column, double cut)> split;
        std::span<const double> modes;
    };
    // Is there room for this many rows?
    static bool fits(const Problem& problem, u32 n_rows);

    // Begins anew in the memory that is there: first the rows of the node, ascending; then each column that has more
    // than one value there.
    void begin(const Source& source, std::span<const u32> rows);
    // The lists of a column hold the rows low_row(i) and high_row(i), from the outermost value on; the other rows have
    // the value that is left out. low_differ(i) says whether the values of i and i + 1 do.
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
        taken(column, n_low, n_high, mode);
    }
    // ... or hold entries that are packed as here, of rows that are numbered so.
    bool packs_as(const Packing& other) const { return packing_.row_bits == other.row_bits && other.has_classes; }
    void take(u32 column, std::span<const u32> low, std::span<const u32> high);
    // The node that the lists are of; `classes`: those of the data by their number here, empty: as in the data.
    Handle root(const Node& node, std::span<const u32> classes);

    // ---- what the loop asks a store

    u32 n_columns() const { return d_; }
    const Problem& problem() const { return *problem_; }
    const Node& enter(Handle& at);
    // Offers the best cuts of some columns; none: of all. `only`: no others will be searched.
    bool search(Handle& at, std::span<const u32> columns, bool only, Pace& pace, Best& best);
    // The split of a candidate, and its children.
    void resolve(Handle& at, Decision& d);
    // Moves the rows of the node to the children that stay open.
    void divide(Handle& at, Decision& d, std::vector<Handle>& children);
    void close(Handle& at) { nodes_.close(at); }
    std::span<const u32> classes(const Handle&) const { return class_numbers_; }
    std::span<const double> tests(const Handle&) const { return {}; }
    double work(const Node& node) const { return node.n_rows; }
    double tie_weight(const Node& node) const { return node.total; }

   private:
    u32* list(u32 column) { return lists_.data() + std::size_t{column} * n_; }
    u32 entry(u32 id, u64 rank) const { return packing_.pack(id, k_ > 1 ? classes_[id] : 0) | packing_.rank(rank); }
    void taken(u32 column, u32 n_low, u32 n_high, u64 mode);
    void toggle(std::span<const u32> entries);
    void mark(std::span<const u32> entries);
    double value(u32 column, u32 entry) const;

    void list_distances(const Handle& at);
    template <class Visit>
    void each_column(const Handle& at, std::span<const u32> columns, Visit visit);
    void search_few(const Handle& at, std::span<const u32> columns, bool only, Best& best);
    void search_each(const Handle& at, std::span<const u32> columns, Best& best);
    struct Halves {
        u32 low, high;  // entries of the list from the low end and of that from the high end
    };
    Halves halves(u32 column, const u32* entries, u32 size) const;
    // The entries that are on the outer side of a cut.
    std::span<u32> outside(const Handle& at, const Candidate& c);

    const Problem* problem_ = nullptr;
    Source source_{};
    std::span<const u32> class_numbers_;
    const FewCuts* few_ = nullptr;
    u32 d_ = 0;
    std::size_t k_ = 1, words_ = 0;
    Packing packing_;
    u32 n_ = 0;                 // rows of the root
    RawBuffer<u32> lists_;      // of each column: its low list, rows that have the value left out, its high list
    RawBuffer<u32> numbering_;  // of the rows of the table, while they are taken
    RawBuffer<u32> ids_, rows_, classes_, spare_;
    RawBuffer<double> numbers_;
    RawBuffer<i64> distances_;     // of few rows from the mean of the node at hand, as integers
    double distance_unit_ = 1;     // ... what one is
    std::vector<u32> marks_;       // one bit for each row
    std::span<const u32> marked_;  // the entries whose rows are marked
    std::vector<u32> modes_here_;  // per column the rank of the value left out, kNone: there is one list only
    OpenNodes nodes_;
    std::vector<u64> here_;        // one bit for each column that has one value at the node at hand
    std::vector<u32> outer_;       // rows on the outer side of a cut, by class
    std::vector<u32> all_, some_;  // columns, in the order in which they win ties
    std::vector<FewLists::One> few_lists_;
    Node node_;
};

}  // namespace bough
