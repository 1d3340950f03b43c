// Positions of a node's rows along directions.
#pragma once

#include <algorithm>

#include "data/dense.hpp"

namespace bough {

// Room that a thread keeps from node to node, and the positions it computed last.
struct Bench {
    std::vector<double> w, z;
    std::vector<u64> mask;
    u64 owner = 0;             // state whose positions are in z
    std::vector<u32> numbers;  // of their directions
    // Positions that are still there, or null.
    const double* find(u64 id, u32 number, u32 n) const {
        if (owner != id) return nullptr;
        const auto at = std::find(numbers.begin(), numbers.end(), number);
        return at == numbers.end() ? nullptr : z.data() + static_cast<std::size_t>(at - numbers.begin()) * n;
    }
};
Bench& bench();

// Positions of n rows along p directions of a coefficient for each dense column, direction by direction.
void project(const DenseRows& dense, u32 begin, u32 n, const double* w, u32 p, double* z);
// The same of rows of d numbers each that lie side by side; those along the next direction begin `apart` places further
// on.
void project(const double* x, u32 n, u32 d, const double* w, u32 p, double* z, std::size_t apart);

// Positions of rows that lack a number of the direction become NaN; returns how many they are.
u32 blank_missing(const DenseRows& dense, u32 begin, u32 n, const double* w, double* z);

}  // namespace bough
