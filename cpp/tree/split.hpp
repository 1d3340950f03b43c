// A split: how a node divides its rows.
#pragma once

#include "base/integers.hpp"

namespace bough {

enum class NodeKind : u8 { leaf = 0, axis = 1, linear = 2, subset = 3, multiway = 4 };

// Instead of a child: rows without a value, or with one that was not at the node, end there.
inline constexpr u32 kStopHere = kNone;

// Where rows go whose value is missing: to the side that the split names, to every child with their
// share, or where a surrogate split sends them. A nominal value that was not at the node counts as lacking, too.
enum class Missing : u8 { either = 0, shared = 1, surrogate = 2 };

inline constexpr u32 kMostSurrogates = 5;  // of one node

// A split of another column that sends most rows as the node's own split does.
struct Surrogate {
    u32 column = 0;
    double cut = 0;           // numeric: value <= cut goes to the left if `low_left`, else to the right
    bool low_left = true;     // numeric
    std::vector<u32> values;  // nominal: the codes it knows, ascending
    std::vector<u8> goes_left;
    double agreement = 0;  // share of the weight that both send alike
    double adjusted = 0;   // ... of what sending all rows to the larger side gets wrong

    static void each_field(auto& s, auto&& f) {
        f("column", s.column), f("cut", s.cut), f("low_left", s.low_left), f("values", s.values);
        f("goes_left", s.goes_left), f("agreement", s.agreement), f("adjusted", s.adjusted);
    }
};

struct Split {
    NodeKind kind = NodeKind::leaf;
    u32 column = 0;                 // axis, subset, multiway
    double cut = 0;                 // axis, linear: left when value <= cut
    bool missing_left = false;      // axis, linear
    bool stops = false;             // axis, linear: rows without a value end here unless a surrogate knows their way
    bool saw_missing = false;       // axis, linear: a row of the node had no value
    bool gaps_at_center = false;    // linear: a missing number counts as its column's center, so every row has a sum
    std::vector<u32> term_columns;  // linear: left when Σ weight·(x − center) <= cut
    std::vector<double> term_weights;
    std::vector<u32> term_values;  // linear: kNone, or the code that a term asks of a nominal column: 1 or 0; empty:
                                   // all columns are numeric
    std::vector<u32> values;       // subset, multiway: the codes seen at the node, ascending
    std::vector<u8> goes_left;     // subset: side of each of them
    u32 other = 0;                 // subset, multiway: the child of every other code, or kStopHere
    std::vector<Surrogate> surrogates;  // the best first

    static void each_field(auto& s, auto&& f) {
        f("kind", s.kind), f("column", s.column), f("cut", s.cut), f("missing_left", s.missing_left);
        f("stops", s.stops), f("saw_missing", s.saw_missing), f("gaps_at_center", s.gaps_at_center);
        f("term_columns", s.term_columns), f("term_weights", s.term_weights), f("term_values", s.term_values);
        f("values", s.values), f("goes_left", s.goes_left), f("other", s.other), f("surrogates", s.surrogates);
    }
    u32 n_children() const { return kind == NodeKind::multiway ? static_cast<u32>(values.size()) : 2u; }
};

// A split as it lies in memory, in a tree or by itself: what routing reads.
struct SplitView {
    NodeKind kind = NodeKind::leaf;
    u32 column = 0;
    double cut = 0;
    u32 without = 0;  // the child of rows without a value, or with one that was not at the node; or kStopHere
    std::span<const u32> term_columns;
    std::span<const double> term_weights;
    std::span<const u32> term_values;
    std::span<const double> centers;  // per column; empty: all 0
    bool gaps_at_center = false;
    std::span<const u32> values;
    std::span<const u8> goes_left;
    std::span<const Surrogate> surrogates;
};

inline SplitView view_of(const Split& s, std::span<const double> centers) {
    const bool nominal = s.kind == NodeKind::subset || s.kind == NodeKind::multiway;
    return {.kind = s.kind,
            .column = s.column,
            .cut = s.cut,
            .without = nominal   ? s.other
                       : s.stops ? kStopHere
                                 : (s.missing_left ? 0u : 1u),
            .term_columns = s.term_columns,
            .term_weights = s.term_weights,
            .term_values = s.term_values,
            .centers = centers,
            .gaps_at_center = s.gaps_at_center,
            .values = s.values,
            .goes_left = s.goes_left,
            .surrogates = s.surrogates};
}

}  // namespace bough
