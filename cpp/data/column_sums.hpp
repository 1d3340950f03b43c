// What the rows of one of several tables add to the moments of the columns: sums about the same origins add up.
#pragma once

#include "data/moments.hpp"

namespace bough {

struct ColumnSums {
    std::vector<double> origin;                // per column
    std::vector<double> weight, sum, squares;  // of rows that have a number: w, w·step, w·step²
    std::vector<double> most;                  // the largest |step|
    double total = 0;                          // weight of all rows

    explicit ColumnSums(std::vector<double> about)
        : origin(std::move(about)),
          weight(origin.size(), 0.0),
          sum(origin.size(), 0.0),
          squares(origin.size(), 0.0),
          most(origin.size(), 0.0) {}
    void add(const Table& table, const Target& target);
    // Of numbers whose squares are numbers; nominal columns, all of whose steps are 0, have mean 0 and spread 1.
    Moments moments() const;
};

}  // namespace bough
