// Boosting: each tree is fitted to what the trees before it leave over. A Newton step is a weighted regression tree,
// whose rows weigh the curvature of the loss and whose target is its slope over its curvature.
#pragma once

#include <utility>

#include "data/draw.hpp"
#include "grow/grow.hpp"

namespace bough {

struct Rounds {
    std::string loss;
    double alpha = 0.5;    // parameter of the quantile loss
    double rate = 0.1;     // by which every step is shortened
    double l2 = 0;         // weight added to a leaf that says nothing
    double subsample = 1;  // share of the rows that each round grows from
    u32 bins = 0;          // of each column, at most; 0: its numbers are told apart
    u32 most = 100;        // rounds, those that there are counted
    // Stops once the last `patience` scores are no better than the one before them.
    bool stops = false;
    u32 patience = 10;
    double tolerance = 0;
    std::vector<u32> held;  // rows that are only scored
    // Where rounds were made before: what they say of every row, and their scores. Else it begins from `start`.
    std::vector<double> start, raw, train_scores, held_scores;
    // Scores of what is said so far of all rows, training and held ones; null: less loss is better.
    std::function<std::pair<double, double>(std::span<const double> raw)> judge;
};

struct Boosted {
    std::vector<Tree> trees;  // round by round, one for each output
    std::vector<double> start, train_scores, held_scores;
    std::string engine;
};

Boosted boost(const Data& data, const Sample& sample, const Plan& plan, Rounds rounds, Budget& budget);

}  // namespace bough
