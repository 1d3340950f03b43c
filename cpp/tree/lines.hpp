// Linear leaves: what a node adds to the model of the node above it.
#pragma once

#include "data/table.hpp"

namespace bough {

// A number predicted at a node is the sum of these, from the root on, held between `low` and `high` of the node.
struct NodeLines {
    double offset = 0;
    std::vector<u32> columns;         // of the terms, each once
    std::vector<double> slopes;       // ... times what the column is above its center; without a value: nothing
    std::vector<double> gains;        // ... by how much the term lowered the mean squared error of the node
    double low = -kInf, high = kInf;  // the range of predictions
    double error = 0;                 // Σ weight × residual² of its training rows

    void add(u32 column, double slope, double gain) {
        for (std::size_t t = 0; t < columns.size(); ++t)
            if (columns[t] == column) {
                slopes[t] += slope;
                gains[t] += gain;
                return;
            }
        columns.push_back(column);
        slopes.push_back(slope);
        gains.push_back(gain);
    }
};

}  // namespace bough
