// The loops over rows that a search through cells of hyperplanes spends its time in. A cell holds the
// hyperplanes z_0 = b + Σ s_t·z_t (t = 1 … r−1) with |s_t − center_t| <= half_t and low <= b <= high; a row is
// above, below, or open: some of them have it on one side and some on the other.
#pragma once

#include "elc/exact.hpp"

namespace bough::elc {

inline constexpr u32 kPad = 8;  // numbers that may be read or written beyond the end of a list

// Two cells that differ in b or in one center.
struct Pair {
    u32 r = 1;
    double center[kMostTerms];
    double half[kMostTerms];  // [0]: what z_0 adds to the rounding error; the others include theirs
    u32 moved = 0;            // the term whose center differs; 0: none
    double move = 0;          // by which the second cell's center is larger
    double low[2], high[2];
};

// Rows in a few columns; w null: every row weighs 1.
struct Rows {
    const double* z[kMostTerms];
    const double* w;
    const u32* entry;
};
struct KeptRows {
    double* z[kMostTerms];
    double* w;
    u32* entry;
};

// Of rows begin … end: the weight above and the weight open, and how many are open, in both cells.
struct Tally {
    double above[2], open[2];
    u32 n_open[2];
};

struct CellKernels {
    void (*tally)(const Rows& rows, u32 begin, u32 end, const Pair& pair, Tally& out);
    // Copies the rows that are open in one of the two cells to `out` from place `at` on; returns the new end.
    u32 (*keep)(const Rows& rows, u32 begin, u32 end, const Pair& pair, u32 which, const KeptRows& out, u32 at);
    // For at most 64 rows at x (row q of column t at x[t·64 + q]): is Σ normal_t·(x_t − from_t) larger than
    // its rounding error, and is it within the error?
    void (*sides)(const double* x, u32 n, u32 r, const double* from, const double* normal, const double* size,
                  double error, double tiny, u64& above, u64& doubt);
};

const CellKernels& cell_kernels();

}  // namespace bough::elc
