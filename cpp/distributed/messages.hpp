// What the driver asks of the portions of a table, and what they send back. Answers to the same request add up.
#pragma once

#include "data/exact_sum.hpp"
#include "data/moments.hpp"
#include "distributed/bytes.hpp"
#include "tree/tree.hpp"

namespace bough {

enum class Ask : u32 {
    splits,    // sends rows on to the children of their nodes; there is nothing to send back
    moments,   // of all columns
    measure,   // rows and weights of nodes by class, or the ends of their numbers to be predicted
    total,     // the exact sums of these
    spread,    // ... of their squared distances from the mean
    sums,      // of the numbers of nodes, where the tree cuts along directions
    products,  // likewise
    count,     // by cell and class
    find,      // the numbers in some bins
    rows,      // of nodes that are moved
};

// A bin of a numeric column at a node. All its numbers are wanted, or the least and the greatest.
struct WantedBin {
    u32 node = 0, column = 0, bin = 0, all = 0;
    double center = 0;  // of the node, where numbers are predicted
    u32 rows = 0;       // that it has, or that are sent of it

    void each_field(auto&& f) { f(node, column, bin, all, center, rows); }
};

// A number at a node, and how many rows of a class have it. No rows: it is there, and that is all that was asked.
struct FoundNumber {
    u32 node = 0, column = 0, cls = 0, rows = 0;
    double number = 0;
};

// A direction at a node: the position of a row is Σ weight·(x − center), and NaN if it lacks a number; see Layout.
struct SentDirection {
    std::vector<u32> columns;
    std::vector<double> weights, centers;
    std::vector<double> edges;  // fewer than there are bins, ascending

    void each_field(auto&& f) { f(columns, weights, centers, edges); }
};

// A split that was found: rows of the node go on to children that are numbered from `first` on.
struct SentSplit {
    u32 node = 0, first = 0;
    Split split;

    void each_field(auto&& f) {
        f(node, first, split.kind, split.column, split.cut, split.missing_left, split.other, split.values,
          split.goes_left, split.term_columns, split.term_weights);
    }
};

// A node that waits to be grown in one place.
struct MovedNode {
    u32 id = 0, depth = 0, n_rows = 0;
    u64 path = 0;

    void each_field(auto&& f) { f(id, depth, n_rows, path); }
};

// The rows of a node, copied: numeric columns one after the other, and nominal ones.
struct TakenRows {
    u64 n_rows = 0;
    std::vector<double> numbers;
    std::vector<i32> codes;
    std::vector<u32> classes;     // empty where numbers are predicted
    std::vector<double> targets;  // empty where classes are
    std::vector<double> weights;  // empty: every row weighs 1

    void each_field(auto&& f) { f(n_rows, numbers, codes, classes, targets, weights); }
};

// A subtree.
struct SentTree {
    TreeParts parts;

    void each_field(auto&& f) {
        f(parts.n_columns, parts.n_classes);
        each_part(parts, [&](const char*, auto& list, auto...) { f(list); });
    }
};

struct Request {
    static constexpr u32 kMessage = 0x71736572;

    Ask ask = Ask::splits;
    u32 aim = 0;                // the number of the directions below
    std::vector<u32> nodes;     // that it is about
    std::vector<double> means;  // of their numbers to be predicted
    std::vector<NumberEnds> ends;
    std::vector<double> centers;  // per column: of directions and of linear splits; origins of moments
    std::vector<u32> steps;       // sums: every so many rows of each node are sent
    std::vector<double> points;   // products are about these
    std::vector<std::vector<SentDirection>> directions;  // of the nodes
    std::vector<WantedBin> bins;                         // sorted by node and column
    std::vector<SentSplit> splits;
    std::vector<MovedNode> moved;  // nodes: their rows are wanted
    double weight = 0;             // of all rows
    double min_weight = 0;         // of a leaf
    Moments moments;               // of all rows, where there are directions

    void each_field(auto&& f) {
        f(ask, aim, nodes, means, ends, centers, steps, points, directions, bins, splits, moved, weight, min_weight,
          moments.means, moments.spreads, moments.magnitudes, moments.centers, moments.centered);
    }
};

// How many numbers an answer has for each node.
struct AnswerSize {
    u64 counts = 0, sums = 0, exact = 0, ends = 0;
};

struct Answer {
    static constexpr u32 kMessage = 0x72776e61;

    Ask ask = Ask::splits;
    std::vector<u32> counts;                // added
    std::vector<double> sums;               // added
    std::vector<i128> exact;                // added
    std::vector<double> ends;               // the larger one counts
    std::vector<std::vector<double>> some;  // rows of each node; put side by side, as is what follows
    std::vector<FoundNumber> found;
    std::vector<double> found_sums;  // of each: distances from the center where numbers are predicted, then weights
    std::vector<TakenRows> taken;    // of each node; not added
    std::vector<SentTree> grown;     // the subtrees below moved nodes; not added

    void add(const Answer& more);
    void begin(Ask what, std::size_t nodes, const AnswerSize& of);  // with nothing
    bool fits(std::size_t nodes, const AnswerSize& of) const;
    void each_field(auto&& f) { f(ask, counts, sums, exact, ends, some, found, found_sums, taken, grown); }
};

}  // namespace bough
