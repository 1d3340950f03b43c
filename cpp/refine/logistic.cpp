#include "refine/logistic.hpp"

#include <algorithm>
#include <bit>

#include "base/dot.hpp"

namespace bough {

namespace {

constexpr u32 kNewtonSteps = 8;          // of one fit
constexpr double kSettledFit = 0x1p-20;  // a fit ends when a step would better its objective by less than this a row
constexpr double kLargest = 40;          // logits beyond this are 0 and 1

// exp(x) for moderate x, without branches: 2^n · e^r, the series of e^r.
inline double exponential(double x) {
    constexpr double kRound = 0x1.8p52, kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33;
    const double shifted = x * 0x1.71547652b82fep0 + kRound, n = shifted - kRound;
    const double r = (x - n * kHigh) - n * kLow;
    double sum = 1.0 / 479001600;
    for (double c : {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                     1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
        sum = sum * r + c;
    return std::bit_cast<double>(std::bit_cast<u64>(sum) + (std::bit_cast<u64>(shifted) << 52));
}

// Solves a·x = b for a symmetric positive matrix by rows; false if it is not one.
bool solve(std::vector<double>& a, std::vector<double>& b, u32 n) {
    for (u32 i = 0; i < n; ++i)
        for (u32 j = 0; j <= i; ++j) {
            double s = a[i * n + j];
            for (u32 k = 0; k < j; ++k) s -= a[i * n + k] * a[j * n + k];
            if (i == j && s <= 0) return false;
            a[i * n + j] = i == j ? std::sqrt(s) : s / a[j * n + j];
        }
    for (u32 i = 0; i < n; ++i) {
        for (u32 k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (u32 i = n; i-- > 0;) {
        for (u32 k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

}  // namespace

double dot_of(u32 n, const double* x, const double* y) { return dot(n, x, y); }
double sum_of(u32 n, const double* x) {
    return dot(n, x, [](u32) { return 1.0; });
}

Logistic::Logistic(std::span<const u32> rows, const RowGains& gains)
    : weight(rows.size()), right(n()), slope(n()), curve(n()), product_(n()) {
    double mean = 0;
    for (u32 row : rows) mean += std::fabs(gains.gain[row]) / n();
    for (u32 i = 0; i < n(); ++i) {
        weight[i] = std::fabs(gains.gain[rows[i]]) / mean;
        right[i] = gains.gain[rows[i]] < 0 ? 1 : 0;
    }
    const double share = dot_of(n(), weight.data(), right.data()) / n();
    coefficients.push_back(std::log(share / (1 - share)));
    for (u32 i = 0; i < n(); ++i) {
        slope[i] = weight[i] * (right[i] - share);
        curve[i] = weight[i] * share * (1 - share);
    }
}

double Logistic::variance_of(const double* value, double* product) const {
    for (u32 i = 0; i < n(); ++i) product[i] = weight[i] * value[i];
    const double mean = sum_of(n(), product) / n();
    return std::max(dot_of(n(), product, value) / n() - mean * mean, 0.0);
}

void Logistic::add(std::vector<double> value) {
    const double variance = variance_of(value.data(), product_.data());
    terms_.push_back({std::move(value), variance});
    coefficients.push_back(0.0);
}

double Logistic::ridge(u32 k) const { return kRidge * n() * std::max(terms_[k - 1].variance, kNoSpread); }

void Logistic::fit(Budget& budget) {
    const u32 s = static_cast<u32>(coefficients.size());
    std::vector<double> h(s * s), g(s), move(s, 0.0);
    double promised = kInf;  // by the last step, twice
    for (u32 step = 0; step <= kNewtonSteps; ++step) {
        budget.poll();
        look();
        g[0] = sum_of(n(), slope.data());
        h[0] = sum_of(n(), curve.data());
        for (u32 k = 1; k < s; ++k) {
            const double* x = terms_[k - 1].value.data();
            for (u32 i = 0; i < n(); ++i) product_[i] = curve[i] * x[i];
            g[k] = dot_of(n(), slope.data(), x) - ridge(k) * coefficients[k];
            h[k * s] = sum_of(n(), product_.data());
            for (u32 l = 1; l <= k; ++l) h[k * s + l] = dot_of(n(), product_.data(), terms_[l - 1].value.data());
            h[k * s + k] += ridge(k);
        }
        if (step == kNewtonSteps) return;
        double further = 0;
        for (u32 k = 0; k < s; ++k) further += g[k] * move[k];
        if (further < -promised) {
            for (u32 k = 0; k < s; ++k) coefficients[k] -= move[k] /= 2;
            promised /= 2;
            continue;
        }
        for (u32 k = 0; k < s; ++k) h[k * s + k] += kLeastDiagonal * n();
        move = g;
        if (!solve(h, move, s)) return;
        promised = 0;
        for (u32 k = 0; k < s; ++k) promised += g[k] * move[k];
        if (promised < 2 * kSettledFit * n()) return;
        for (u32 k = 0; k < s; ++k) coefficients[k] += move[k];
    }
}

// Slopes and curvatures as the coefficients are.
void Logistic::look() {
    std::fill(product_.begin(), product_.end(), coefficients[0]);
    for (u32 k = 1; k < coefficients.size(); ++k) {
        const double b = coefficients[k], *x = terms_[k - 1].value.data();
        for (u32 i = 0; i < n(); ++i) product_[i] += b * x[i];
    }
    for (u32 i = 0; i < n(); ++i) {
        const double e = std::min(std::max(product_[i], -kLargest), kLargest), p = 1 / (1 + exponential(-e));
        slope[i] = weight[i] * (right[i] - p);
        curve[i] = weight[i] * std::max(p * (1 - p), kLeastCurve);
    }
}

}  // namespace bough
