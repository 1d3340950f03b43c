// Everything below a node of a tree that is grown from drawn rows: the loop of the grower without what a node of a few
// rows does not need. Nothing is allocated for a node, a split moves only rows, and columns that have one value at a
// node are not looked at below it.
#pragma once

#include <algorithm>
#include <utility>

#include "base/threshold.hpp"
#include "families/drawn_rows.hpp"
#include "grow/worth.hpp"

namespace bough {

// search(node, group, best) offers cuts of a group of columns: rows of rank `Payload::a` and below go left; cut(x,
// values, low, high) is the threshold of one with `Payload::x`, between two neighbouring ranks if it looks at them
// (kBeside).
template <class Search, class Cut>
class DrawnSubtree {
   public:
    DrawnSubtree(const Problem& problem, DrawnRows& rows, const StopRules& stop, Worker& worker, TreeWriter& out,
                 Search& search, const Cut& cut)
        : problem_(problem),
          rows_(rows),
          stop_(stop),
          worker_(worker),
          out_(out),
          search_(search),
          cut_(cut),
          numbers_(problem.target->numbers.data()),
          k_(std::max(1u, problem.target->n_classes)),
          d_(problem.table->n_columns()),
          words_((d_ + 63) / 64),
          here_(words_),
          left_(2 * k_) {}

    // The entries of the root are those from `begin`.
    void grow(const Node& root, u32 begin, u32 size) {
        keys_.grow_to(std::max(size + 1, kKeys));
        kept_.grow_to(size + 1);
        node_ = root;
        constant_.assign(words_, 0);
        counts_.assign(root.counts.begin(), root.counts.end());
        stack_.assign(1, {begin, size, root.n_rows, root.depth, root.path, root.mean, root.spread, root.pure});
        if (problem_.target->regression()) drawn_numbers_.grow_to(root.n_rows + std::size_t{DrawnRows::kMostTimes});
        while (!stack_.empty()) {
            const Waiting at = stack_.back();
            stack_.pop_back();
            enter(at);
            if (stop_.why_stop(node_, problem_.limits) || !split(at)) {
                out_.leaf({node_.n_rows, node_.weights, {}, node_.mean, node_.spread}, {});
                finished_ += node_.n_rows;
            }
        }
        problem_.budget->done(finished_);
        // All thresholds at once: many looks wait for memory together.
        for (std::size_t i = 0; i < made_.size(); ++i) {
            const Made& m = made_[i];
            out_.set_cut(i, cut_(m.x, rows_.ranks().values(m.column), m.low, m.high));
        }
    }

    // Some columns of the node at hand.
    struct Group final : RankSource {
        DrawnSubtree& tree;
        const u32* entries;
        u32 size;      // entries of the node
        u32 used = 0;  // keys that are to stay

        Group(DrawnSubtree& of, const u32* from, u32 n) : tree(of), entries(from), size(n) {}

        const std::vector<u32>& columns() const { return tree.columns_; }  // ascending
        // Is there room for the keys of another column behind those that stay?
        bool room() const { return used + std::size_t{size} <= tree.keys_.size(); }
        u32* space() const { return tree.keys_.data() + used; }
        // The keys of one of them; false if it has one value here.
        bool keys(u32 column, CountedColumn& to) {
            return look_up(column,
                           [&] { return tree.rows_.keys_of(column, entries, size, space(), tree.kept_.data(), to); });
        }
        // The numbers themselves in one of the columns; false if they are all one.
        bool values(u32 column, double* to, double& low, double& high) {
            const Column x = tree.problem_.table->columns[column];
            return look_up(column, [&] {
                low = kInf;
                high = -kInf;
                for (u32 i = 0; i < size; ++i) {
                    const double v = to[i] = x.value(tree.rows_.row(entries[i]));
                    low = v < low ? v : low;
                    high = v > high ? v : high;
                }
                return low < high;
            });
        }
        // Of a numeric target: the rows, and their ranks in one of the columns.
        NumberedRows numbered() const {
            return {size, tree.numbers_here_.data(), tree.times_here_.data(), tree.stop_.count_constant};
        }
        bool ranks(u32 column, u32* to, Found& found) override {
            return look_up(column, [&] { return tree.rows_.ranks_of(column, entries, size, to, found); });
        }

       private:
        template <class Look>
        bool look_up(u32 column, Look look) {
            u64& word = tree.here_[column / 64];
            const u64 bit = u64{1} << (column % 64);
            if (word & bit) return false;
            tree.look_at_clock(size);
            if (look()) return true;
            word |= bit;
            return false;
        }
    };

   private:
    struct Waiting {
        u32 begin, size, n_rows, depth;
        u64 path;
        double mean, spread;  // of a numeric target
        bool pure;
    };
    struct Made {               // a split
        u32 column, low, high;  // the ranks beside its threshold
        double x;
    };
    static constexpr u32 kKeys = 1u << 14;  // that may stay, at least
    static constexpr u64 kPoll = 1u << 16;  // entries read between two looks at the clock, some 0.3 ms

    void enter(const Waiting& at) {
        const std::size_t level = stack_.size();
        node_.n_rows = at.n_rows;
        node_.total = at.n_rows;
        node_.depth = at.depth;
        node_.path = at.path;
        node_.mean = at.mean;
        node_.spread = at.spread;
        node_.pure = at.pure;
        std::copy_n(counts_.data() + level * k_, k_, node_.counts.data());
        std::copy_n(counts_.data() + level * k_, k_, node_.weights.data());
        list_present(node_, *problem_.target);
        look_at_clock(at.size);
    }
    void look_at_clock(u32 read) {
        if ((read_ += read) <= kPoll) return;
        read_ = 0;
        problem_.budget->poll();
        problem_.budget->done(std::exchange(finished_, 0.0));
    }

    bool split(const Waiting& at) {
        const std::size_t level = stack_.size();
        std::copy_n(constant_.data() + level * words_, words_, here_.data());
        u32* entries = rows_.from(at.begin);
        if (problem_.target->regression()) rows_.list_numbers(entries, at.size, numbers_, numbers_here_, times_here_);
        best_.begin(problem_.scorer->unit(node_), node_.total);
        worker_.columns.each_group(d_, stop_, problem_.seed, at.path, best_, [&](std::span<const u32> drawn, Best& to) {
            columns_.assign(drawn.begin(), drawn.end());
            std::sort(columns_.begin(), columns_.end());
            Group group(*this, entries, at.size);
            search_(node_, group, to);
            return true;
        });
        if (best_.empty()) return false;
        divide(at, best_.winner());
        return true;
    }

    void divide(const Waiting& at, const Candidate& made) {
        const u32 column = made.key.column;
        const DrawnRows::Parted parted = rows_.template part<Cut::kBeside>(column, made.payload.a, rows_.from(at.begin),
                                                                           at.size, keys_.data(), left_);
        u32 rows_left = 0;
        for (u32 c = 0; c < k_; ++c) rows_left += left_[c];
        const u32 rows_right = node_.n_rows - rows_left;
        const u32 rows[2] = {rows_left, rows_right}, sizes[2] = {parted.size, at.size - parted.size},
                  begins[2] = {at.begin, at.begin + parted.size};
        double gain = static_cast<double>(made.gain);
        if (problem_.target->regression()) {
            measure_children(begins, sizes, rows);
            gain = recorded_gain(*problem_.scorer, node_, child_, made.gain);
        }
        made_.push_back({column, parted.low, parted.high, made.payload.x});
        out_.axis(column, 0.0, left_is_heavier(rows_left, rows_right), gain);
        const std::size_t level = stack_.size();
        counts_.resize((level + 2) * k_);
        constant_.resize((level + 2) * words_);
        for (u32 c = 0; c < k_; ++c) {
            counts_[level * k_ + c] = node_.counts[c] - left_[c];
            counts_[(level + 1) * k_ + c] = left_[c];
        }
        for (std::size_t l : {level, level + 1}) std::copy_n(here_.data(), words_, constant_.data() + l * words_);
        for (u32 c : {1u, 0u})
            stack_.push_back({begins[c], sizes[c], rows[c], at.depth + 1, child_path(at.path, c), child_[c].mean,
                              child_[c].spread, child_[c].pure});
    }

    // Of a numeric target, as measure_numbers does, both side by side: neither waits for its own sums alone.
    void measure_children(const u32* begins, const u32* sizes, const u32* rows) {
        const double* numbers[2];
        double* to = drawn_numbers_.data();
        for (u32 c : {0u, 1u}) {
            numbers[c] = to;
            to = expand(rows_.from(begins[c]), sizes[c], to);
        }
        NumberSum sums[2] = {NumberSum(numbers[0][0]), NumberSum(numbers[1][0])};
        double means[2], spreads[2] = {0, 0};
        each_of_two(rows, [&](u32 c, u32 i) { sums[c].add(numbers[c][i], 1.0); });
        for (u32 c : {0u, 1u}) means[c] = sums[c].mean(rows[c]);
        each_of_two(rows, [&](u32 c, u32 i) {
            const double d = numbers[c][i] - means[c];
            spreads[c] += d * d;
        });
        for (u32 c : {0u, 1u}) {
            child_[c].n_rows = rows[c];
            child_[c].total = rows[c];
            child_[c].mean = means[c];
            child_[c].spread = spreads[c];
            child_[c].pure = sums[c].low == sums[c].high;
        }
    }
    template <class Visit>
    static void each_of_two(const u32* rows, Visit visit) {
        const u32 both = std::min(rows[0], rows[1]);
        for (u32 i = 0; i < both; ++i) {
            visit(0, i);
            visit(1, i);
        }
        for (u32 i = both; i < rows[0]; ++i) visit(0, i);
        for (u32 i = both; i < rows[1]; ++i) visit(1, i);
    }
    // The numbers of entries in their order, each as often as it was drawn.
    double* expand(const u32* entries, u32 size, double* to) const {
        constexpr u32 kAhead = 4;  // that are written before it is known how many there are
        for (u32 i = 0; i < size; ++i) {
            const double y = numbers_[rows_.row(entries[i])];
            const u32 times = rows_.times(entries[i]);
            for (u32 t = 0; t < kAhead; ++t) to[t] = y;
            for (u32 t = kAhead; t < times; ++t) to[t] = y;
            to += times;
        }
        return to;
    }

    const Problem& problem_;
    DrawnRows& rows_;
    const StopRules& stop_;
    Worker& worker_;
    TreeWriter& out_;
    Search& search_;
    const Cut& cut_;
    const double* const numbers_;  // of the target
    const u32 k_, d_;
    const std::size_t words_;
    std::vector<Waiting> stack_;
    std::vector<Made> made_;
    std::vector<double> counts_;  // of each that waits, by class
    std::vector<u64> constant_;   // ... one bit for each column that has one value there
    Node node_, child_[2];        // the one at hand, and its children where the target is numeric
    std::vector<u64> here_;       // its constant columns
    std::vector<u32> columns_;
    std::vector<u32> left_;  // rows in front of its cut by class, and room for as many
    Best best_{0, 0};
    RawBuffer<u32> keys_, kept_;
    std::vector<double> numbers_here_;  // of the entries at hand
    std::vector<u32> times_here_;
    RawBuffer<double> drawn_numbers_;
    u64 read_ = 0;         // entries, since the last look at the clock
    double finished_ = 0;  // rows in leaves, since then
};

}  // namespace bough
