// P(χ² > x) = Γ(a, t) / Γ(a) with a = df/2, t = x/2: below the mean by the series of the lower part,
// above it by the continued fraction of the upper part (both take about √a steps near the mean).
#include "base/chi2.hpp"

#include <algorithm>

#include "base/integers.hpp"
#include "base/slack.hpp"

namespace bough {

namespace {

constexpr double kLogTwoPi = 1.8378770664093454836;

// log Γ(a) − ((a − ½)·log a − a + ½·log 2π), for a >= 10: Stirling's series.
double stirling_rest(double a) {
    const double r = 1 / (a * a);
    return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / a;
}

// λ − 1 − log λ, without cancellation around λ = 1.
double excess(double lambda) {
    const double d = lambda - 1;
    if (std::fabs(d) > 0.1) return d - std::log(lambda);
    double sum = 0, power = d * d;
    for (int n = 2; n < 40; ++n, power *= -d) sum += power / n;
    return sum;
}

// log(t^a·e^−t / Γ(a)).
double log_front(double a, double t) {
    if (a >= 10) return -a * excess(t / a) + 0.5 * (std::log(a) - kLogTwoPi) - stirling_rest(a);
    double product = 1, b = a;  // Γ(a) = Γ(b) / (a·(a+1)···(b−1))
    for (; b < 10; ++b) product *= b;
    const double log_gamma = (b - 0.5) * std::log(b) - b + 0.5 * kLogTwoPi + stirling_rest(b) - std::log(product);
    return a * std::log(t) - t - log_gamma;
}

}  // namespace

double chi2_log_tail(double x, double df) {
    const double a = df / 2, t = x / 2;
    if (!(t > 0)) return 0.0;
    if (t < a + 1) {
        double term = 1 / a, sum = term;
        for (double n = a + 1; term > kTerm * sum; ++n) sum += term *= t / n;
        return std::log1p(-std::exp(log_front(a, t)) * sum);
    }
    // Lentz's way with a continued fraction that has positive terms throughout.
    double b = t + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (double i = 1;; ++i) {
        const double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        const double step = c * d;
        h *= step;
        if (std::fabs(step - 1) < kStep) break;
    }
    return std::min(0.0, log_front(a, t) + std::log(h));
}

}  // namespace bough
