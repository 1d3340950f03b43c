// What is to be predicted, and how much each row weighs.
#pragma once

#include "base.hpp"

namespace bough {

struct Target {
    u32 n_classes = 0;                // 0: a number is predicted
    std::span<const u32> classes;     // class of every row
    std::span<const double> numbers;  // number of every row, its overall mean already taken off
    std::span<const double> weights;  // empty: every row weighs 1

    bool regression() const { return n_classes == 0; }
    bool weighted() const { return !weights.empty(); }
    double weight(u32 row) const { return weighted() ? weights[row] : 1.0; }

    // Weights so far apart that sums taken by subtraction would lose the light rows.
    bool wild() const {
        double low = kInf, high = 0;
        for (double w : weights) {
            low = w < low ? w : low;
            high = w > high ? w : high;
        }
        return high > low * 0x1p30;
    }
};

}  // namespace bough
