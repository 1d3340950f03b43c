// Everything below a node of a tree that is grown from drawn rows: the loop of the grower without what a node of a few
// rows does not need. Nothing is allocated for a node, a split moves only rows, and columns that have one value at a
// node are not looked at below it.
#pragma once

#include <algorithm>
#include <utility>

#include "base/threshold.hpp"
#include "families/drawn_rows.hpp"

namespace bough {

// search(node, group, best) offers cuts of a group of columns: rows of rank `Payload::a` and below go left;
// cut(candidate, low, high) is the threshold of one between two neighbouring numbers.
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
          k_(problem.target->n_classes),
          d_(problem.table->n_columns()),
          words_((d_ + 63) / 64),
          here_(words_),
          left_(k_) {}

    // The entries of the root are those from `begin`.
    void grow(const Node& root, u32 begin, u32 size) {
        keys_.grow_to(std::max(size + 1, kKeys));
        kept_.grow_to(size + 1);
        node_ = root;
        constant_.assign(words_, 0);
        counts_.assign(root.counts.begin(), root.counts.end());
        stack_.assign(1, {begin, size, root.n_rows, root.depth, root.path});
        while (!stack_.empty()) {
            const Waiting at = stack_.back();
            stack_.pop_back();
            enter(at);
            if (stop_.why_stop(node_, problem_.limits) || !split(at)) {
                out_.leaf({node_.n_rows, node_.weights}, {});
                finished_ += node_.n_rows;
            }
        }
        problem_.budget->done(finished_);
    }

    // Some columns of the node at hand.
    struct Group {
        DrawnSubtree& tree;
        const u32* entries;
        u32 size;  // entries of the node

        u32 used = 0;  // keys that are to stay

        const std::vector<u32>& columns() const { return tree.columns_; }  // ascending
        // Is there room for the keys of another column behind those that stay?
        bool room() const { return used + std::size_t{size} <= tree.keys_.size(); }
        // The keys of one of them; false if it has one value here.
        bool keys(u32 column, CountedColumn& to) {
            u64& word = tree.here_[column / 64];
            const u64 bit = u64{1} << (column % 64);
            if (word & bit) return false;
            tree.read_ += size;
            u32* const keys = tree.keys_.data() + used;
            if (tree.rows_.keys_of(column, entries, size, keys, tree.kept_.data(), to)) return true;
            word |= bit;
            return false;
        }
    };

   private:
    struct Waiting {
        u32 begin, size, n_rows, depth;
        u64 path;
    };
    static constexpr u32 kKeys = 1u << 14;  // that may stay, at least
    static constexpr u64 kPoll = 1u << 16;  // entries read between two looks at the clock, some 0.3 ms

    void enter(const Waiting& at) {
        const std::size_t level = stack_.size();
        node_.n_rows = at.n_rows;
        node_.total = at.n_rows;
        node_.depth = at.depth;
        node_.path = at.path;
        std::copy_n(counts_.data() + level * k_, k_, node_.counts.data());
        std::copy_n(counts_.data() + level * k_, k_, node_.weights.data());
        list_present(node_, *problem_.target);
        if ((read_ += at.size) > kPoll) {
            read_ = 0;
            problem_.budget->poll();
            problem_.budget->done(std::exchange(finished_, 0.0));
        }
    }

    bool split(const Waiting& at) {
        const std::size_t level = stack_.size();
        std::copy_n(constant_.data() + level * words_, words_, here_.data());
        u32* entries = rows_.from(at.begin);
        best_.begin(problem_.scorer->unit(node_), node_.total);
        worker_.columns.each_group(d_, stop_, problem_.seed, at.path, best_, [&](std::span<const u32> drawn, Best& to) {
            columns_.assign(drawn.begin(), drawn.end());
            std::sort(columns_.begin(), columns_.end());
            Group group{*this, entries, at.size, 0};
            search_(node_, group, to);
            return true;
        });
        if (best_.empty()) return false;
        divide(at, best_.winner());
        return true;
    }

    void divide(const Waiting& at, const Candidate& made) {
        const u32 column = made.key.column;
        const DrawnRows::Parted parted =
            rows_.part(column, made.payload.a, rows_.from(at.begin), at.size, keys_.data(), left_);
        u32 rows_left = 0;
        for (u32 n : left_) rows_left += n;
        const u32 rows_right = node_.n_rows - rows_left;
        const std::vector<double>& values = rows_.ranks().values(column);
        out_.axis(column, cut_(made, values[parted.low], values[parted.high]), left_is_heavier(rows_left, rows_right),
                  static_cast<double>(made.gain));
        const std::size_t level = stack_.size();
        counts_.resize((level + 2) * k_);
        constant_.resize((level + 2) * words_);
        for (u32 c = 0; c < k_; ++c) {
            counts_[level * k_ + c] = node_.counts[c] - left_[c];
            counts_[(level + 1) * k_ + c] = left_[c];
        }
        for (std::size_t l : {level, level + 1}) std::copy_n(here_.data(), words_, constant_.data() + l * words_);
        stack_.push_back(
            {at.begin + parted.size, at.size - parted.size, rows_right, at.depth + 1, child_path(at.path, 1)});
        stack_.push_back({at.begin, parted.size, rows_left, at.depth + 1, child_path(at.path, 0)});
    }

    const Problem& problem_;
    DrawnRows& rows_;
    const StopRules& stop_;
    Worker& worker_;
    TreeWriter& out_;
    Search& search_;
    const Cut& cut_;
    const u32 k_, d_;
    const std::size_t words_;
    std::vector<Waiting> stack_;
    std::vector<double> counts_;  // of each that waits, by class
    std::vector<u64> constant_;   // ... one bit for each column that has one value there
    Node node_;                   // the one at hand
    std::vector<u64> here_;       // its constant columns
    std::vector<u32> columns_, left_;
    Best best_{0, 0};
    RawBuffer<u32> keys_, kept_;
    u64 read_ = 0;         // entries, since the last look at the clock
    double finished_ = 0;  // rows in leaves, since then
};

}  // namespace bough
