// How the counts of a node lie in memory where a table is in portions on several machines: the cells of every column
// one after the other, each with a count for every class. Cells of a numeric column are bins between edges and, last,
// the rows that lack a value; those of a nominal column are its values. Where a tree cuts along directions, numeric
// columns have no cells: there are columns behind those of the table, for the positions along the directions that each
// node has of its own, and so their edges. Counts of the same layout add up. A target of
// numbers is one class, and each cell has two sums besides: of the distances from a center, and of their squares.
#pragma once

#include <algorithm>

#include "base/integers.hpp"

namespace bough {

struct Layout {
    std::vector<u32> n_values;               // per column; 0: numeric
    std::vector<std::vector<double>> edges;  // per column, ascending: bin b holds edges[b − 1] < x <= edges[b]
    u32 n_classes = 0;
    bool regression = false;
    u32 n_table = 0;         // columns of the table
    std::vector<u64> begin;  // the first cell of each column, and behind the last one

    static constexpr std::size_t kMostEdges = 65533;  // bins and the missing ones are 16 bits

    // 0 classes: a number is predicted. At most `along` directions of so many bins, where there are any.
    Layout(std::vector<u32> values, std::vector<std::vector<double>> cuts, u32 classes, u32 along = 0, u32 bins = 0)
        : n_values(std::move(values)),
          edges(std::move(cuts)),
          n_classes(std::max(1u, classes)),
          regression(classes == 0),
          n_table(static_cast<u32>(n_values.size())),
          begin{0} {
        if (edges.size() != n_values.size()) throw std::invalid_argument("a layout has edges for each column");
        for (u32 c = 0; c < n_columns(); ++c) {
            if (edges[c].size() > kMostEdges || !std::is_sorted(edges[c].begin(), edges[c].end()))
                throw std::invalid_argument("the edges of a column ascend, and are at most 65,533");
            begin.push_back(begin.back() + (!numeric(c) ? n_values[c] : along > 0 ? 0 : edges[c].size() + 2));
        }
        if (along > 0 && (bins < 2 || bins > kMostEdges)) throw std::invalid_argument("directions have 2 bins or more");
        n_values.resize(n_values.size() + along, 0);
        edges.resize(n_values.size());
        for (u32 a = 0; a < along; ++a) begin.push_back(begin.back() + bins + 1);
        if (begin.back() >= kNone) throw std::invalid_argument("more cells than there are numbers for");
    }

    u32 n_columns() const { return static_cast<u32>(n_values.size()); }
    bool numeric(u32 column) const { return n_values[column] == 0; }
    bool has_cells(u32 column) const { return begin[column] < begin[column + 1]; }
    u32 n_along() const { return n_columns() - n_table; }
    u32 column_of(u64 cell) const {
        return static_cast<u32>(std::upper_bound(begin.begin(), begin.end(), cell) - begin.begin()) - 1;
    }
    u64 n_cells() const { return begin.back(); }
    std::size_t size() const { return n_cells() * n_classes; }  // counts of one node
    // Sums beside each count: distances and squares, and weights where they are not all 1.
    u32 fields(bool weighted) const { return (regression ? 2u : 0u) + (weighted ? 1u : 0u); }
    // Sums of one node: those, and last, where rows do not all weigh 1, the sum of the squares of their weights.
    std::size_t n_sums(bool weighted) const { return size() * fields(weighted) + (weighted ? 1 : 0); }
    u32 n_bins(u32 column) const { return static_cast<u32>(begin[column + 1] - begin[column]) - 1; }
    // The least and the greatest position in each bin of each direction: −least, greatest.
    std::size_t n_ends() const { return n_along() > 0 ? 2 * std::size_t{n_along()} * n_bins(n_table) : 0; }
    u64 missing(u32 column) const { return begin[column + 1] - 1; }  // its cell
    // Can a bin hold one number only?
    bool single(u32 column, u32 bin) const {
        const auto& e = edges[column];
        return bin > 0 && bin < e.size() && std::nextafter(e[bin - 1], kInf) >= e[bin];
    }
};

}  // namespace bough
