// The logistic model of the better side of some rows, weighted by what they gain there, of the constant and some terms.
#pragma once

#include "base/budget.hpp"
#include "refine/row_gains.hpp"

namespace bough {

double dot_of(u32 n, const double* x, const double* y);
double sum_of(u32 n, const double* x);

class Logistic {
   public:
    Logistic(std::span<const u32> rows, const RowGains& gains);

    u32 n() const { return static_cast<u32>(weight.size()); }
    // Of a value of each row, beyond rounding; `product` is overwritten.
    double variance_of(const double* value, double* product) const;
    void add(std::vector<double> value);
    // Newton's steps; leaves the slopes and curvatures at the rows. A step that lands where the way back is steeper
    // than the way was is halved.
    void fit(Budget& budget);

    std::vector<double> weight;        // mean 1
    std::vector<double> right;         // 1 where that is the better side, else 0
    std::vector<double> slope, curve;  // of the model at each row
    std::vector<double> coefficients;  // the constant, and one for each term

   private:
    struct Term {
        std::vector<double> value;
        double variance;
    };
    void look();
    double ridge(u32 k) const;

    std::vector<Term> terms_;
    std::vector<double> product_;
};

// Of a coefficient, as a share of the rows times the variance of its term.
inline constexpr double kRidge = 1e-3;

}  // namespace bough
