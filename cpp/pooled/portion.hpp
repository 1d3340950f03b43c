// One portion of a table whose rows lie on several machines: its numbers as bins, and its rows sorted by the node that
// they have come to. It counts, tells the numbers inside a few bins, and sends rows on; it decides nothing.
#pragma once

#include <map>
#include <memory>

#include "base/budget.hpp"
#include "base/dot.hpp"
#include "data/sample.hpp"
#include "pooled/layout.hpp"
#include "score/node.hpp"
#include "tree/split.hpp"

namespace bough {

// A bin of a numeric column at a node. All its numbers are wanted, or the least and the greatest.
struct WantedBin {
    u32 node = 0, column = 0, bin = 0;
    bool all = false;
    double center = 0;  // of the node, where numbers are predicted
    u32 rows = 0;       // that it has, or that are told of it
};

// Numbers at a node: how many rows of a class have it, and what they weigh. No rows: it is there, and that is all that
// was asked.
struct FoundNumbers {
    std::vector<u32> node, column, cls, rows;
    std::vector<double> number, weight;  // weight: empty where every row weighs 1
    std::vector<double> sum;             // of weight × distance from the node's center; empty for classes
};

// A direction at a node: the position of a row is Σ weight·(x − center), and NaN if it lacks a number; see Layout.
struct Along {
    std::vector<u32> columns;
    std::vector<double> weights, centers;
    std::vector<double> edges;  // fewer than there are bins, ascending
};

// What is known of the numbers to be predicted at a node, after some portions: in the order of the rows, so that
// what comes out in the end is what one machine makes of them.
struct NumbersSoFar {
    double rows = 0, weight = 0, origin = 0, shift = 0, low = 0, high = 0;

    double mean() const { return sum().mean(weight); }
    NumberSum sum() const {
        NumberSum s(origin);
        s.shift = shift;
        s.low = low;
        s.high = high;
        return s;
    }
};

// The rows of a node, copied: numeric columns one after the other, and nominal ones.
struct TakenRows {
    u32 n_rows = 0;
    std::vector<double> numbers;
    std::vector<i32> codes;
    std::vector<u32> classes;     // empty where numbers are predicted
    std::vector<double> targets;  // empty where classes are
    std::vector<double> weights;  // empty: every row weighs 1
};

class Portion {
   public:
    // Rows that weigh nothing are left out; all others are at node 0.
    Portion(const Data& data, Layout layout, Budget& budget);
    // Rows of a portion, ascending, which may repeat: they share its bins.
    Portion(const Portion& whole, std::span<const u32> rows);

    const Layout& layout() const { return *layout_; }
    bool weighted() const { return data_.target.weighted(); }
    u32 n_rows(u32 node) const { return node < segments_.size() ? segments_[node].size : 0; }
    u32 fields() const { return layout_->fields(weighted()); }
    std::size_t n_sums() const { return layout_->n_sums(weighted()); }
    // Adds the rows of a node, by cell and class, and what else is summed up about a center: `n_sums` numbers.
    void count(u32 node, double center, u32* rows, double* sums) const;
    // Goes on with the numbers to be predicted at a node; then with their squared distances from the mean.
    void measure(u32 node, NumbersSoFar& to) const;
    void add_spread(u32 node, double mean, double& spread) const;
    // Goes on with the weights of the classes at a node.
    void add_weights(u32 node, std::span<double> weights) const;
    // Gives nodes their directions: their rows are put into bins.
    void aim(std::span<const u32> nodes, std::vector<std::vector<Along>> along, Budget& budget);
    // Raises the ends of the bins of a node along its directions: Layout::n_ends() numbers.
    void add_ends(u32 node, double* ends) const;
    // Adds what the numbers of a node are about `centers`, per column of the table: for each class, or for numbers to
    // be predicted up to `mean` and above, its weight and Σ w·x and Σ w of the rows that have a number, per numeric
    // column; and raises −x and x. Appends the numbers of every step-th row.
    void add_sums(u32 node, double mean, std::span<const double> centers, u32 step, double* sums, double* ends,
                  std::vector<double>& some) const;
    // Adds products of the numbers about `about`, for each group and numeric column; a missing one is at `missing`.
    // Then, where numbers are predicted, their products with those.
    void add_scatter(u32 node, double mean, std::span<const double> centers, const double* about, const double* missing,
                     bool each, double* products) const;
    u32 n_groups() const { return layout_->regression ? 2 : layout_->n_classes; }
    u32 n_numeric() const { return static_cast<u32>(data_.table.of(ColumnKind::numeric).size()); }
    const Data& data() const { return data_; }
    // `wanted` is sorted by node and column.
    void find(std::span<const WantedBin> wanted, FoundNumbers& found, Budget& budget) const;
    // Sends the rows of a node on to its children, which are numbered from `first` on.
    void divide(u32 node, const SplitView& split, u32 first, u32 n_children);
    TakenRows take(u32 node) const;

   private:
    struct Segment {
        u32 begin = 0, size = 0;
    };
    using Bin = std::uint16_t;

    std::span<const u32> rows_of(u32 node) const {
        return node < segments_.size()
                   ? std::span<const u32>(rows_).subspan(segments_[node].begin, segments_[node].size)
                   : std::span<const u32>();
    }
    void put_into_bins(u32 column, std::vector<Bin>& bins, Budget& budget) const;
    double position(const Along& along, u32 row) const {
        return dot(static_cast<u32>(along.columns.size()), along.weights.data(),
                   [&](u32 t) { return data_.table.columns[along.columns[t]].value(row) - along.centers[t]; });
    }
    std::span<const Along> along(u32 node) const;
    u32 group(u32 row, double mean) const {
        return layout_->regression ? (data_.target.numbers[row] > mean ? 1 : 0) : data_.target.classes[row];
    }

    const Data data_;
    const std::shared_ptr<const Layout> layout_;
    std::shared_ptr<const std::vector<std::vector<Bin>>> bins_;  // per column and row; nominal: none
    std::vector<u32> rows_;                                      // of one node after the other, ascending inside a node
    std::vector<Segment> segments_;                              // per node
    std::map<u32, std::vector<Along>> along_;                    // of nodes that have directions
    std::vector<std::vector<Bin>> along_bins_;                   // per direction and row
};

}  // namespace bough
