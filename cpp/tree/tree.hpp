// A grown tree: immutable arrays in preorder. `TreeParts` is what a file holds; a `Tree` exists only
// if fault() found nothing wrong with its parts.
#pragma once

#include <optional>

#include "base/budget.hpp"
#include "data/class_weights.hpp"
#include "data/table.hpp"
#include "tree/lines.hpp"
#include "tree/split.hpp"

namespace bough {

struct TreeParts {
    u32 n_columns = 0;
    u32 n_classes = 0;            // 0: regression
    std::vector<u32> n_values;    // per column: number of nominal values, 0 for a numeric one
    std::vector<double> centers;  // per column, for linear nodes; empty: all 0
    std::vector<double> spreads;  // per column, for linear nodes: standard deviation in training; empty: all 1

    std::vector<u8> kinds;         // per node, in preorder
    std::vector<double> gains;     // per inner node
    std::vector<u32> columns;      // per axis, subset and multiway node
    std::vector<double> cuts;      // per axis and linear node
    std::vector<u8> missing;       // per axis and linear node: bit 0, missing goes left; bit 1, training saw some;
                                   // bit 2, of a linear node: it counts as the column's center;
                                   // bit 3, of a tree with surrogates: such rows end there
    std::vector<u32> term_counts;  // per linear node
    std::vector<u32> term_columns;
    std::vector<double> term_weights;
    std::vector<u32> term_values;   // kNone, or the code that a term asks of a nominal column; empty: all are numeric
    std::vector<u32> value_counts;  // per subset and multiway node
    std::vector<u32> values;        // codes seen at the node, ascending; multiway: one child each
    std::vector<u8> value_left;     // per value of a subset node: does it go left?
    std::vector<u32> others;        // per subset and multiway node: child of other codes, or kStopHere

    // Per leaf, and per inner node of a tree with surrogates where rows end: in preorder.
    std::vector<u32> leaf_rows;
    std::vector<double> leaf_weights;  // of each class, or class listed; regression: of all
    std::vector<u32> leaf_counts;      // of many classes: how many are listed
    std::vector<u32> leaf_classes;     // ... which, ascending
    std::vector<double> leaf_means;    // regression: what is predicted
    std::vector<double> leaf_spreads;  // regression: what that costs, Σ w·(y − mean)² or another loss
    // Per inner node, where its prediction and loss do not follow from those of its children; empty: they do.
    std::vector<double> inner_means, inner_spreads;

    // Of a tree of linear leaves, per node: what it adds to the model of the node above it (tree/lines.hpp).
    std::vector<u32> line_counts;      // terms
    std::vector<u32> line_columns;     // per term
    std::vector<double> line_slopes;   // per term, of column − center
    std::vector<double> line_gains;    // per term
    std::vector<double> line_offsets;  // per node
    std::vector<double> line_lows, line_highs, line_errors;

    std::vector<double> log_p;  // per node and column: log of a test's p-value, NaN: not tested; empty: no tests

    std::vector<u8> routing;             // one entry, a `Missing`; empty: either
    std::vector<u32> inner_rows;         // per inner node, where rows are shared; empty: those of its children together
    std::vector<u8> surrogate_counts;    // per inner node; empty: there are none
    std::vector<u32> surrogate_columns;  // per surrogate, the best of a node first
    std::vector<double> surrogate_agreements;  // per surrogate
    std::vector<double> surrogate_adjusted;    // per surrogate
    std::vector<double> surrogate_cuts;        // per surrogate of a numeric column
    std::vector<u8> surrogate_low_left;        // ... does value <= cut go left?
    std::vector<u32> surrogate_value_counts;   // per surrogate of a nominal column
    std::vector<u32> surrogate_values;         // codes, ascending
    std::vector<u8> surrogate_value_left;      // ... does it go left?

    Missing missing_mode() const { return routing.empty() ? Missing::either : static_cast<Missing>(routing[0]); }
    // Of many classes those that are there are listed.
    bool lists_classes() const { return n_classes > kManyClasses; }
    u32 n_outputs() const { return n_classes > 0 ? n_classes : 1; }
};

// How many there are in a tree of what its arrays have an entry for.
struct PartCounts {
    u64 tree = 0, column = 0, node = 0, inner = 0, asking = 0, cut = 0, linear = 0, term = 0, nominal = 0, value = 0;
    u64 sided_value = 0, end = 0, weight = 0, end_of_numbers = 0, listing_end = 0, listed_weight = 0;
    u64 inner_of_numbers = 0, inner_mean = 0, cell = 0, shared_inner = 0, surrogate_inner = 0, surrogate = 0;
    u64 surrogate_of_numbers = 0, surrogate_of_values = 0, surrogate_value = 0, lined = 0, line = 0;
};

// What an entry of an array has to be: in words, and whether x is that in a tree of parts p.
namespace rule {
template <class Right>
struct Rule {
    const char* what;
    Right right;
};
inline constexpr Rule any{"anything", [](auto&, double) { return true; }};
inline constexpr Rule finite{"a finite number", [](auto&, double x) { return std::isfinite(x); }};
inline constexpr Rule number{"a number", [](auto&, double x) { return x < kInf; }};
inline constexpr Rule positive{"a positive number", [](auto&, double x) { return x > 0 && x < kInf; }};
inline constexpr Rule from_0{"a number from 0 on", [](auto&, double x) { return x >= 0 && x < kInf; }};
inline constexpr Rule threshold{"a threshold", [](auto&, double x) { return x > -kInf; }};
inline constexpr Rule share{"a share", [](auto&, double x) { return x >= 0 && x <= 1; }};
inline constexpr Rule log_p{"the log of a p-value", [](auto&, double x) { return !(x > 0 || x == -kInf); }};
inline constexpr Rule side{"a side", [](auto&, u32 x) { return x <= 1; }};
inline constexpr Rule few{"0 to 5", [](auto&, u32 n) { return n <= kMostSurrogates; }};
inline constexpr Rule column{"a column that exists", [](auto& p, u32 c) { return c < p.n_columns; }};
inline constexpr Rule numeric{"a numeric column", [](auto& p, u32 c) { return c < p.n_columns && p.n_values[c] == 0; }};
inline constexpr Rule summed{"a numeric column", [](auto& p, u32 c) {
                                 return c < p.n_columns && (p.n_values[c] == 0 || !p.term_values.empty());
                             }};
inline constexpr Rule class_number{"a class that exists", [](auto& p, u32 c) { return c < p.n_classes; }};
}  // namespace rule

// Calls visit(name, array, count, rule, may_lack) for every array of the parts: its name in the file, what it has
// entries for, what they have to be, and whether it is empty where there is nothing to say.
template <class Parts, class Visit>
void each_part(Parts& p, Visit visit) {
    using N = PartCounts;
    visit("n_values", p.n_values, &N::column, rule::any, false);
    visit("centers", p.centers, &N::column, rule::finite, true);
    visit("spreads", p.spreads, &N::column, rule::positive, true);
    visit("kinds", p.kinds, &N::node, rule::any, false);
    visit("gains", p.gains, &N::inner, rule::number, false);
    visit("columns", p.columns, &N::asking, rule::column, false);
    visit("cuts", p.cuts, &N::cut, rule::threshold, false);
    visit("missing", p.missing, &N::cut, rule::any, false);
    visit("term_counts", p.term_counts, &N::linear, rule::any, false);
    visit("term_columns", p.term_columns, &N::term, rule::summed, false);
    visit("term_weights", p.term_weights, &N::term, rule::finite, false);
    visit("value_counts", p.value_counts, &N::nominal, rule::any, false);
    visit("values", p.values, &N::value, rule::any, false);
    visit("value_left", p.value_left, &N::sided_value, rule::side, false);
    visit("others", p.others, &N::nominal, rule::any, false);
    visit("leaf_rows", p.leaf_rows, &N::end, rule::any, false);
    visit("leaf_weights", p.leaf_weights, &N::weight, rule::from_0, false);
    visit("leaf_means", p.leaf_means, &N::end_of_numbers, rule::finite, false);
    visit("leaf_spreads", p.leaf_spreads, &N::end_of_numbers, rule::from_0, false);
    visit("log_p", p.log_p, &N::cell, rule::log_p, true);
    visit("routing", p.routing, &N::tree, rule::any, false);
    visit("inner_rows", p.inner_rows, &N::shared_inner, rule::positive, true);
    visit("surrogate_counts", p.surrogate_counts, &N::surrogate_inner, rule::few, false);
    visit("surrogate_columns", p.surrogate_columns, &N::surrogate, rule::column, false);
    visit("surrogate_agreements", p.surrogate_agreements, &N::surrogate, rule::share, false);
    visit("surrogate_adjusted", p.surrogate_adjusted, &N::surrogate, rule::share, false);
    visit("surrogate_cuts", p.surrogate_cuts, &N::surrogate_of_numbers, rule::finite, false);
    visit("surrogate_low_left", p.surrogate_low_left, &N::surrogate_of_numbers, rule::side, false);
    visit("surrogate_value_counts", p.surrogate_value_counts, &N::surrogate_of_values, rule::any, false);
    visit("surrogate_values", p.surrogate_values, &N::surrogate_value, rule::any, false);
    visit("surrogate_value_left", p.surrogate_value_left, &N::surrogate_value, rule::side, false);
    visit("leaf_counts", p.leaf_counts, &N::listing_end, rule::any, false);
    visit("leaf_classes", p.leaf_classes, &N::listed_weight, rule::class_number, false);
    visit("term_values", p.term_values, &N::term, rule::any, true);
    visit("inner_means", p.inner_means, &N::inner_of_numbers, rule::finite, true);
    visit("inner_spreads", p.inner_spreads, &N::inner_mean, rule::from_0, false);
    visit("line_counts", p.line_counts, &N::lined, rule::any, false);
    visit("line_columns", p.line_columns, &N::line, rule::numeric, false);
    visit("line_slopes", p.line_slopes, &N::line, rule::finite, false);
    visit("line_gains", p.line_gains, &N::line, rule::finite, false);
    visit("line_offsets", p.line_offsets, &N::lined, rule::finite, false);
    visit("line_lows", p.line_lows, &N::lined, rule::finite, false);
    visit("line_highs", p.line_highs, &N::lined, rule::finite, false);
    visit("line_errors", p.line_errors, &N::lined, rule::from_0, false);
}

// The first rule that the parts break, or an empty string.
std::string fault(const TreeParts& parts, Budget& budget);

// What is known of the training rows that ended at a node.
struct EndSums {
    u32 rows = 0;
    std::span<const double> weights = {};  // per class; regression: of the node
    std::span<const u32> classes = {};     // whose weights these are; empty: of all, in order
    double mean = 0, spread = 0;           // regression: the prediction, and what it costs
};

// A node that some of a row comes to.
struct Reached {
    u32 node;
    double share;
    bool ends;  // goes no further
};

class Tree {
   public:
    Tree(TreeParts parts, Budget& budget);  // throws std::invalid_argument with the fault

    const TreeParts& parts() const { return parts_; }
    u32 n_nodes() const { return static_cast<u32>(parts_.kinds.size()); }
    u32 n_leaves() const { return n_nodes() - n_inner_; }
    u32 max_depth() const;
    NodeKind kind(u32 node) const { return static_cast<NodeKind>(parts_.kinds[node]); }

    // Children of a node in order; empty for a leaf.
    std::span<const u32> children(u32 node) const {
        return {children_.data() + child_begin_[node], child_begin_[node + 1] - child_begin_[node]};
    }
    u32 parent(u32 node) const { return parents_[node]; }
    SplitView view(u32 node) const;  // of an inner node
    Split split(u32 node) const;     // likewise
    double gain(u32 node) const { return parts_.gains[order_[node]]; }
    u32 rows(u32 node) const { return rows_[node]; }
    // Class weights, or the one weight of a regression node. Listed ones of an inner node are added up when asked for:
    // kept for all nodes they would take the rows times the depth.
    ClassWeights weights(u32 node) const;
    double mean(u32 node) const { return means_[node]; }
    double spread(u32 node) const { return spreads_[node]; }
    bool linear() const { return !parts_.line_counts.empty(); }  // do leaves predict sums of lines?
    // What a node of a tree of linear leaves adds to the model of the node above it.
    std::optional<NodeLines> lines(u32 node) const;
    // The number that a node predicts of a row: its mean, or its lines.
    double predicted(u32 node, std::span<const Column> columns, u64 row) const;
    // Of the rows that ended at an inner node; nothing, and no weights, where none can.
    EndSums stayed(u32 node) const;
    // What was found out about the columns: log p-values; empty: no tests.
    std::span<const double> tests(u32 node) const {
        const std::size_t n = parts_.log_p.empty() ? 0 : parts_.n_columns;
        return {parts_.log_p.data() + node * n, n};
    }

    Missing missing() const { return parts_.missing_mode(); }

    // The node where each row ends (of a row that is shared: where most of it does, the first of equals), for rows
    // begin … end−1; `missing` tells whether values may be missing.
    void apply(std::span<const Column> columns, u64 begin, u64 end, u32* out, bool missing) const;
    // Every node that a row comes to, parents first, with the share of it that does.
    void reach(std::span<const Column> columns, u64 row, std::vector<Reached>& found) const;

   private:
    struct Step {    // 16 bytes, in preorder: the left child is the next one, most often in the same cache line
        double cut;  // of a leaf: NaN, so that every number goes `right`, and stays
        u32 what;    // the column; the top bit is set where missing values go right, the next of a sum
        u32 right;   // how far away the right child is; of a leaf 0
    };
    struct Sum {              // of a linear step
        u32 first, n;         // terms
        bool gaps_at_center;  // missing numbers count as 0 there
    };
    struct Place {  // where the parts of an inner node begin in their pools
        u32 column, cut, term, value;
        u32 term_pool, value_pool, side_pool;
        u32 end;  // among leaves and the like; kNone: rows do not end there
    };
    Place place(u32 node) const {
        const u32 at = order_[node];
        return places_.empty() ? Place{at, at, 0, 0, 0, 0, 0, kNone} : places_[at];
    }
    void derive(Budget& budget);
    void make_steps();
    void apply_axis(std::span<const Column> columns, u64 begin, u64 end, u32* out, bool missing) const;
    void apply_linear(std::span<const Column> columns, u64 begin, u64 end, u32* out) const;
    u32 next(u32 node, std::span<const Column> columns, u64 row) const;
    void derive_missing();
    const double* weights_of(u32 node, u32 n_outputs) const {
        const auto& from = kind(node) == NodeKind::leaf ? parts_.leaf_weights : weights_;
        return from.data() + std::size_t{order_[node]} * n_outputs;
    }

    TreeParts parts_;
    std::vector<u32> child_begin_, children_, parents_, rows_;
    u32 n_inner_ = 0;
    std::vector<u32> order_;       // per node: its place among inner nodes, or among leaves and other ends
    std::vector<Place> places_;    // per inner node; none where all are axis splits: then they are known
    std::vector<double> weights_;  // per inner node; those of leaves are among the parts
    std::vector<double> means_, spreads_;
    std::vector<u32> line_begin_;        // per node, of linear leaves: its first term
    std::vector<u64> listed_before_;     // of many classes, per node and behind the last one: entries before its own
    std::vector<u32> behind_;            // ... per node: the first one that is not below it
    std::vector<Step> steps_;            // per node; none of a tree with nominal splits
    std::vector<Sum> sums_;              // per node, where there are linear splits
    std::vector<double> totals_;         // per node, where rows are shared: its weight
    std::vector<u32> surrogate_begin_;   // per inner node, and behind the last one; empty: no surrogates
    std::vector<Surrogate> surrogates_;  // of all nodes
};

}  // namespace bough
