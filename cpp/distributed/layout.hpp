// How the counts of a node lie in memory where a table is in portions on several machines: the cells of every column
// one after the other, each with a count for every class. Cells of a numeric column are bins between edges and, last,
// the rows that lack a value; those of a nominal column are its values. Where a tree cuts along directions, numeric
// columns have no cells: there are columns behind those of the table, for the positions along the directions that each
// node has of its own, and so their edges. Counts of the same layout add up. A target of
// numbers is one class, and each cell has two sums besides: of the distances from a center, and of their squares.
#pragma once

#include <algorithm>

#include "distributed/messages.hpp"
#include "grow/plan.hpp"

namespace bough {

struct Layout {
    static constexpr u32 kMessage = 0x7479616c;

    std::vector<u32> n_values;               // per column of the table; 0: numeric
    std::vector<std::vector<double>> edges;  // likewise, ascending: bin b holds edges[b − 1] < x <= edges[b]
    u32 n_classes = 0;                       // 1 where a number is predicted
    bool regression = false;
    u32 criterion = 0;                           // its number in the registry
    u32 n_directions = 0, n_direction_bins = 0;  // directions of a node, at most, and their bins
    std::vector<u64> begin;                      // the first cell of each column, and behind the last one

    Layout() = default;
    // As a plan asks for it, with at most about so many bins of a column; `numbers`: some of each numeric column,
    // ascending; 0 classes: a number is predicted.
    Layout(const Plan& plan, std::vector<u32> values, const std::vector<std::span<const double>>& numbers, u32 classes,
           u32 most);
    static Layout from(std::string_view bytes);
    void each_field(auto&& f) { f(n_values, edges, n_classes, regression, criterion, n_directions, n_direction_bins); }
    // What leaves predict of numbers.
    LeafRule leaf() const;

    u32 n_groups() const { return regression ? 2 : n_classes; }  // in sums of directions
    u32 n_table() const { return static_cast<u32>(n_values.size()); }
    u32 n_columns() const { return n_table() + n_directions; }
    bool numeric(u32 column) const { return column >= n_table() || n_values[column] == 0; }
    bool has_cells(u32 column) const { return begin[column] < begin[column + 1]; }
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
    std::size_t n_ends() const { return 2 * std::size_t{n_directions} * n_direction_bins; }
    // What an answer has for each node.
    AnswerSize size_of(Ask ask, bool weighted) const;
    u64 missing(u32 column) const { return begin[column + 1] - 1; }  // its cell
    // Can a bin hold one number only?
    bool single(u32 column, u32 bin) const {
        if (column >= n_table()) return false;
        const auto& e = edges[column];
        return bin > 0 && bin < e.size() && std::nextafter(e[bin - 1], kInf) >= e[bin];
    }

   private:
    void lay_out();  // finds the cells
};

}  // namespace bough
