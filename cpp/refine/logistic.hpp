// The logistic model of the better side of some rows, weighted by what they gain there, of the constant and some terms.
#pragma once

#include "base/budget.hpp"
#include "refine/eight.hpp"
#include "refine/row_gains.hpp"

namespace bough {

class Logistic {
   public:
    Logistic(std::span<const u32> rows, const RowGains& gains);

    u32 n() const { return n_; }
    // Rows that fill eights: values of those behind the last one are 0.
    u32 size() const { return static_cast<u32>(weight.size()); }
    // Of a value of each row, beyond rounding.
    double variance_of(const double* value) const;
    void add(std::vector<double> value);
    // Newton's steps; leaves the slopes and curvatures at the rows. A step that lands where the way back is steeper
    // than the way was is halved.
    void fit(Budget& budget);
    // Of the rows along the terms, but for rounding; returns the range.
    Two positions(std::vector<double>& to);

    std::vector<double> weight;        // mean 1
    std::vector<double> right;         // 1 where that is the better side, else 0
    std::vector<double> slope, curve;  // of the model at each row
    Two sums;                          // of both
    std::vector<double> coefficients;  // the constant, and one for each term

   private:
    double ridge(u32 k) const;
    LogitRows here() {
        return {size(), weight.data(), right.data(), &terms_, coefficients.data(), slope.data(), curve.data()};
    }

    u32 n_;
    std::vector<std::vector<double>> values_;  // of each term
    std::vector<const double*> terms_;
    std::vector<double> variances_;
};

// Of a coefficient, as a share of the rows times the variance of its term.
inline constexpr double kRidge = 1e-3;

}  // namespace bough
