// What boosting makes small: the loss of a row by what the trees say of it together so far, and its two derivatives.
#pragma once

#include "base/info.hpp"
#include "data/target.hpp"

namespace bough {

// What one row of the training table says of the next tree.
struct LossPoint {
    double loss, slope, curvature;  // of a row of weight 1
};

// Rows of the table, and where what is found of them goes.
struct LossRows {
    const Target& target;
    std::span<const u32> rows;
    const double* raw;        // of every row of the table: one number for each output
    double alpha;             // parameter of the quantile loss
    double *slopes, *curves;  // for each of the rows, each output; null: only the loss is asked for
};

struct LossPlugin {
    Info info;
    bool classes = false;   // else numbers
    bool refits = false;    // a leaf says the quantile `alpha` of what is left there, not a Newton step
    bool constant = false;  // its curvature is 1
    double lowest = -kInf;  // of the target
    std::vector<double> (*start)(const Target&, std::span<const u32> rows, double alpha) = nullptr;
    // Of a number, or of 1 for the second of two classes, where the trees say `raw`.
    LossPoint (*point)(double y, double raw, double alpha) = nullptr;
};
// Takes rows begin … end − 1; gives the sum of weight × loss.
double add_losses(const LossPlugin& loss, const LossRows& rows, std::size_t begin, std::size_t end);

const std::vector<LossPlugin>& boosting_losses();

// Numbers that trees predict for a row: one, or one for each class where there are more than two.
inline u32 n_outputs_of(const LossPlugin& loss, u32 n_classes) { return loss.classes && n_classes > 2 ? n_classes : 1; }

// The number at or below which a share of the weight lies; between two, their middle. Reorders the places.
double quantile_of(std::span<const double> numbers, std::span<const double> weights, std::vector<u32>& places,
                   double share);

}  // namespace bough
