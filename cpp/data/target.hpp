// What is to be predicted, and how much each row weighs.
#pragma once

#include <functional>
#include <utility>

#include "base/integers.hpp"
#include "base/scale.hpp"
#include "base/slack.hpp"

namespace bough {

// What a leaf predicts of a numeric target, and what predictions cost: the criterion says it. The mean and squares,
// unless more is said.
struct LeafRule {
    // The loss of one number: convex in it, nothing where it is what was predicted. Null: its squared distance.
    double (*loss)(double number, double predicted) = nullptr;
    // A quantile is predicted: the loss for each unit that a number is below and above it; 0: the mean is.
    double below = 0, above = 0;
    bool middle = false;  // half way where any prediction between two numbers would do; else the lower one

    bool squares() const { return !loss && !ordered(); }
    bool ordered() const { return below > 0; }
    double level() const { return above / (above + below); }
    int degree() const { return squares() ? 2 : 1; }  // how a loss grows with a common factor of all numbers
    double of(double number, double predicted) const {
        const double d = number - predicted;
        if (ordered()) return d < 0 ? -d * below : d * above;
        return loss ? loss(number, predicted) : d * d;
    }
    // The predicted quantile: does a side of this weight, of so much in all, reach it?
    bool reaches(long double part, long double all) const { return part >= level() * all * (1 - kSum); }
    bool passes(long double part, long double all) const { return part > level() * all * (1 + kSum); }
};

// What the edges between pairs of values weigh, by the class weights of either (pairs × classes), where a node has so
// many values: a function of the user's own.
using EdgeWeights = std::function<std::vector<double>(const std::vector<double>& left, const std::vector<double>& right,
                                                      u32 pairs, u32 n_classes, u32 n_values)>;

struct Target {
    u32 n_classes = 0;                // 0: a number is predicted
    std::span<const u32> classes;     // class of every row
    std::span<const double> numbers;  // number of every row, its overall mean already taken off
    std::span<const double> weights;  // empty: every row weighs 1
    std::span<const double> own;      // what rows weigh where `weights` count priors and costs, too; empty: the same
    std::span<const double> costs;    // n_classes × n_classes, what it costs to mix two classes; empty: no matter
    std::span<const double>
        losses;  // n_classes × n_classes [truth, answer], what an answer costs; empty: 1 if it is wrong
    std::span<const double> scale;       // per class, what its rows weigh in answers besides their weight; empty: 1
    const EdgeWeights* edges = nullptr;  // null: the criterion asks for none
    LeafRule leaf;                       // of a numeric target
    u32 ruled = 1;                       // the class whose share rules are about
    int exponent = 0;                    // the user's weights are these times 2^exponent
    int number_exponent = 0;             // the user's numbers are these times 2^number_exponent

    bool regression() const { return n_classes == 0; }
    bool weighted() const { return !weights.empty(); }
    double weight(u32 row) const { return weighted() ? weights[row] : 1.0; }
    double own_weight(u32 row) const { return own.empty() ? weight(row) : own[row]; }

    // Weights so far apart that sums taken by subtraction would lose the light rows.
    bool wild() const {
        const auto [low, high] = weight_range();
        return high > low * 0x1p30;
    }
    std::pair<double, double> weight_range() const {
        double low = kInf, high = 0;
        for (double w : weights) {
            low = w < low ? w : low;
            high = w > high ? w : high;
        }
        return {low, high};
    }
};

// Brings very small or very large weights, whose products no double holds, into the middle of the range by a power of
// two, and numbers whose squares no double holds near 1; `weights` and `numbers` keep them.
inline void rescale(Target& target, std::vector<double>& weights, std::vector<double>& numbers) {
    auto scaled = [](std::span<const double>& x, int exponent, std::vector<double>& kept) {
        kept.assign(x.begin(), x.end());
        for (double& v : kept) v = std::ldexp(v, -exponent);
        x = kept;
    };
    if (target.regression() && (target.number_exponent = wild_exponent(target.numbers)) != 0)
        scaled(target.numbers, target.number_exponent, numbers);
    if (!target.weighted()) return;
    const auto [low, high] = target.weight_range();
    if (high < 0x1p60 && low > 0x1p-60) return;
    target.exponent = (std::ilogb(low) + std::ilogb(high)) / 2;
    scaled(target.weights, target.exponent, weights);
}

}  // namespace bough
