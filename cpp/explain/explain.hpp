// Shapley values of the rows of a table: what each column contributes to the mean of what trees say of them.
#pragma once

#include "explain/game.hpp"

namespace bough {

struct Explaining {
    std::span<const Tree* const> trees;
    std::span<const std::span<const double>> values;  // per tree: what every node says
    std::span<const Column> rows, background;
    u32 n_rows = 0, n_background = 0;  // no background: by weights
    int threads = 1;
};

// Added to; rows × columns × outputs, and what is said of a row of which nothing is known, by weights.
struct Explained {
    double *values, *base;
    u8* unclear;  // per row: a linear path, or one with surrogates, asks too many columns; its values are no use
};

void explain(const Explaining& of, const Explained& to, Budget& budget);

}  // namespace bough
