#include "refine/logistic.hpp"

#include <algorithm>

#include "base/slack.hpp"

namespace bough {

namespace {

constexpr u32 kNewtonSteps = 8;          // of one fit
constexpr double kSettledFit = 0x1p-20;  // a fit ends when a step would better its objective by less than this a row

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

Logistic::Logistic(std::span<const u32> rows, const RowGains& gains)
    : weight((rows.size() + kDotLanes - 1) / kDotLanes * kDotLanes, 0.0),
      right(size()),
      slope(size()),
      curve(size()),
      n_(static_cast<u32>(rows.size())) {
    double mean = 0;
    for (u32 i = 0; i < n_; ++i) {
        const double gain = gains.gain[rows[i]];
        weight[i] = std::fabs(gain);
        right[i] = gain < 0 ? 1 : 0;
        mean += weight[i] / n_;
    }
    for (double& w : weight) w /= mean;
    const double share = dot(n_, weight.data(), std::as_const(right).data()) / n_;
    coefficients.push_back(std::log(share / (1 - share)));
    for (u32 i = 0; i < n_; ++i) {
        slope[i] = weight[i] * (right[i] - share);
        curve[i] = weight[i] * share * (1 - share);
    }
    const auto one = [](u32) { return 1.0; };
    sums = {dot(n_, slope.data(), one), dot(n_, curve.data(), one)};
}

double Logistic::variance_of(const double* value) const {
    const Products sum = products(size(), weight.data(), weight.data(), value, &value, 1);
    const double mean = sum.b / n_;
    return std::max(sum.of[0] / n_ - mean * mean, 0.0);
}

void Logistic::add(std::vector<double> value) {
    variances_.push_back(variance_of(value.data()));
    values_.push_back(std::move(value));
    terms_.push_back(values_.back().data());
    coefficients.push_back(0.0);
}

double Logistic::ridge(u32 k) const { return kRidge * n_ * std::max(variances_[k - 1], kNoSpread); }

Two Logistic::positions(std::vector<double>& to) {
    to.resize(size());
    return bough::positions(here(), to.data());
}

void Logistic::fit(Budget& budget) {
    const u32 s = static_cast<u32>(coefficients.size());
    std::vector<double> h(s * s), g(s), move(s, 0.0);
    double promised = kInf;  // by the last step, twice
    for (u32 step = 0; step <= kNewtonSteps; ++step) {
        budget.poll();
        sums = logit_rows(here());
        g[0] = sums.a;
        h[0] = sums.b;
        for (u32 k = 1; k < s; ++k) {
            for (u32 l = 1; l <= k; l += kMostProducts) {
                const u32 some = std::min(kMostProducts, k + 1 - l);
                const Products p =
                    products(size(), slope.data(), curve.data(), terms_[k - 1], terms_.data() + l - 1, some);
                g[k] = p.a - ridge(k) * coefficients[k];
                h[k * s] = p.b;
                std::copy_n(p.of, some, &h[k * s + l]);
            }
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
        for (u32 k = 0; k < s; ++k) h[k * s + k] += kLeastDiagonal * n_;
        move = g;
        if (!solve(h, move, s)) return;
        promised = 0;
        for (u32 k = 0; k < s; ++k) promised += g[k] * move[k];
        if (promised < 2 * kSettledFit * n_) return;
        for (u32 k = 0; k < s; ++k) coefficients[k] += move[k];
    }
}

}  // namespace bough
