// Sums over rows, eight side by side: of eight rows in an order that never changes (base/dot.hpp), or of the rows of
// eight nodes. One variant for each kernel set; all give the same numbers.
#pragma once

#include "base/dot.hpp"

namespace bough {

// Rows of a logistic model, so many that they fill eights: those behind the last one weigh 0.
struct LogitRows {
    u32 n = 0;
    const double *weight = nullptr, *right = nullptr;
    const std::vector<const double*>* terms = nullptr;
    const double* coefficients = nullptr;  // of the constant and of the terms
    double *slope = nullptr, *curve = nullptr;
};
struct Two {
    double a = 0, b = 0;
    Two& operator+=(const Two& o) { return a += o.a, b += o.b, *this; }
    Two& operator-=(const Two& o) { return a -= o.a, b -= o.b, *this; }
};
// Slopes and curvatures as the coefficients are; returns their sums.
Two logit_rows(const LogitRows& rows);

// Where rows are along the terms; returns the least and the largest (of all that fill eights).
Two positions(const LogitRows& rows, double* to);

// Σ a·x, Σ b·x and, for each y, Σ b·x·y, over a multiple of eight rows.
inline constexpr u32 kMostProducts = 4;
struct Products {
    double a = 0, b = 0, of[kMostProducts] = {};
};
Products products(u32 n, const double* a, const double* b, const double* x, const double* const* y, u32 n_y);

// Rows in order of their values: row << 1 | is it the last one of its value? Each gains something in one of eight
// nodes, or in none (8).
struct GainLists {
    const u32* entries;
    u32 begin, end;
    const double* gain;  // per row
    const u8* node;      // per row
};
// Of each node, the most that the first rows gain up to the end of a value, and the least up to there from behind.
void most_before(const GainLists& list, double* to);
void least_behind(const GainLists& list, double* to);
// What the rows of each value gain in each node, and how many of the node's they are.
void sums_of_values(const GainLists& list, double* gains, double* counts);

}  // namespace bough
