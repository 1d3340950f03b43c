// The rows of a tree by the ranks of their numbers, for trees whose nodes look at few columns: a split moves only rows,
// and a node reads the ranks of the columns that it looks at.
#pragma once

#include "stores/decision.hpp"
#include "stores/open_nodes.hpp"
#include "stores/ranked_rows.hpp"

namespace bough {

// What one thread reads the ranks of a node into.
struct RankScratch {
    RawBuffer<u32> keys, kept;
    std::vector<u64> constant;  // one bit for each column that has one value at the node
    std::vector<double> numbers;
    std::vector<u32> times;
};

// Some columns of a node, to be searched.
class RankGroup final : public RankSource {
   public:
    RankGroup(const Problem& problem, const RankedRows& rows, const u32* entries, u32 n, std::span<const u32> columns,
              RankScratch& scratch, Pace* pace)
        : size(n),
          problem_(problem),
          rows_(rows),
          entries_(entries),
          columns_(columns),
          scratch_(scratch),
          pace_(pace) {
        scratch.keys.grow_to(std::max(n + 1, kKeys));
        scratch.kept.grow_to(n + 1);
    }

    const u32 size;  // entries of the node
    u32 used = 0;    // keys that are to stay

    std::span<const u32> columns() const { return columns_; }  // ascending
    // Is there room for the keys of another column behind those that stay?
    bool room() const { return used + std::size_t{size} <= scratch_.keys.size(); }
    u32* space() const { return scratch_.keys.data() + used; }
    // The keys of one of them; false if it has one value here.
    bool keys(u32 column, RankedClasses& to) {
        return look_up(column,
                       [&] { return rows_.keys_of(column, entries_, size, space(), scratch_.kept.data(), to); });
    }
    // The numbers themselves in one of the columns; false if they are all one.
    bool values(u32 column, double* to, double& low, double& high) {
        const Column x = problem_.table->columns[column];
        return look_up(column, [&] {
            low = kInf;
            high = -kInf;
            for (u32 i = 0; i < size; ++i) {
                const double v = to[i] = x.value(rows_.row(entries_[i]));
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
            return low < high;
        });
    }
    // Of a numeric target: the rows, and their ranks in one of the columns.
    RankedNumberRows ranked_numbers() const { return {size, scratch_.numbers.data(), scratch_.times.data()}; }
    bool ranks(u32 column, u32* to, Found& found) override {
        return look_up(column, [&] { return rows_.ranks_of(column, entries_, size, to, found); });
    }

   private:
    static constexpr u32 kKeys = 1u << 14;  // that may stay, at least

    template <class Look>
    bool look_up(u32 column, Look look) {
        u64& word = scratch_.constant[column / 64];
        const u64 bit = u64{1} << (column % 64);
        if (word & bit) return false;
        pace_ ? pace_->read(size) : problem_.budget->poll();
        if (look()) return true;
        word |= bit;
        return false;
    }

    const Problem& problem_;
    const RankedRows& rows_;
    const u32* entries_;
    std::span<const u32> columns_;
    RankScratch& scratch_;
    Pace* pace_;
};

// How the columns of a group are searched: rows of rank `Payload::a` and below go left.
class RankSearch {
   public:
    virtual ~RankSearch() = default;
    virtual void search(const Node& node, RankGroup& group, Best& best) = 0;
    // May the columns of a large node be searched by several threads, each column by itself?
    virtual bool by_column() const { return false; }
    // Is a threshold between the numbers beside it? Else it is Payload::x.
    virtual bool between() const { return true; }
};

class RankStore {
   public:
    using Decision = bough::Decision;
    struct Handle {
        u32 begin, size, n_rows, depth, slot;  // entries, rows
        bool open;
        u64 path;
    };

    // Searches columns of the table that all rows have numbers in.
    RankStore(const Problem& problem, RankedRows& rows, RankSearch& search);
    Handle root(const Node& node);

    u32 n_columns() const { return d_; }
    const Problem& problem() const { return problem_; }
    const Node& enter(Handle& at);
    bool search(Handle& at, std::span<const u32> columns, bool only, Pace& pace, Best& best);
    void resolve(Handle& at, Decision& d);
    void divide(Handle& at, Decision& d, std::vector<Handle>& children);
    void close(Handle& at) { nodes_.close(at); }
    std::span<const u32> classes(const Handle&) const { return {}; }
    std::span<const double> tests(const Handle&) const { return {}; }
    double work(const Node& node) const { return node.n_rows; }
    double tie_weight(const Node& node) const { return node.total; }
    // A store of another thread that goes on with nodes of this one.
    RankStore beside(RankSearch& search) const { return {problem_, rows_, search}; }
    Handle adopt(const Handle& at, RankStore& from);

   private:
    void search_side_by_side(const Handle& at, Best& best);
    NumberMeasure measure_entries(const u32* entries, u32 size);

    const Problem& problem_;
    RankedRows& rows_;
    RankSearch& search_;
    const double* const numbers_;  // of the target
    const u32 k_, d_;
    const std::size_t words_;
    OpenNodes nodes_;
    Node node_;
    std::vector<RankScratch> scratch_;  // of each thread
    std::vector<u32> columns_, numeric_;
    std::vector<u32> left_;        // rows in front of a cut by class, and room for as many
    RawBuffer<double> measuring_;  // the numbers of a child
};

}  // namespace bough
