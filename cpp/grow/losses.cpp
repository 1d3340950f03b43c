// The losses, as in scikit-learn's histogram boosting.
#include <algorithm>

#include "base/slack.hpp"
#include "grow/loss.hpp"

namespace bough {

namespace {

constexpr double kMostPower = 700;  // e to it is still a number

double mean_of(const Target& t, std::span<const u32> rows) {
    double sum = 0, weight = 0;
    for (u32 row : rows) sum += t.weight(row) * (t.numbers[row] - t.numbers[rows[0]]), weight += t.weight(row);
    return t.numbers[rows[0]] + sum / weight;
}

LossPoint squared_error(double y, double raw, double) { return {(raw - y) * (raw - y) / 2, raw - y, 1}; }

LossPoint absolute_error(double y, double raw, double) {
    const double d = raw - y;
    return {std::fabs(d), d > 0 ? 1.0 : d < 0 ? -1.0 : 0.0, 1};
}

LossPoint quantile(double y, double raw, double alpha) {
    const double d = y - raw;
    return {d >= 0 ? alpha * d : (alpha - 1) * d, d >= 0 ? -alpha : 1 - alpha, 1};
}

LossPoint poisson(double y, double raw, double) {
    const double e = std::exp(std::min(raw, kMostPower));
    return {e - y * raw, e - y, e};
}

LossPoint log_loss(double y, double raw, double) {
    const double e = std::exp(-std::fabs(raw)), p = (raw >= 0 ? 1 : e) / (1 + e);  // of the second class
    return {std::log1p(e) + (y > 0 ? std::max(-raw, 0.0) : std::max(raw, 0.0)), p - y, e / ((1 + e) * (1 + e))};
}

std::vector<double> start_at_quantile(const Target& t, std::span<const u32> rows, double share) {
    std::vector<u32> places(rows.begin(), rows.end());
    return {quantile_of(t.numbers, t.weights, places, share)};
}

std::vector<double> shares_of(const Target& t, std::span<const u32> rows) {
    std::vector<double> shares(t.n_classes, 0.0);
    double total = 0;
    for (u32 row : rows) shares[t.classes[row]] += t.weight(row), total += t.weight(row);
    for (double& s : shares) s = std::max(s / total, 0x1p-52);  // a class may be among other rows only
    return shares;
}

// Two classes: one number, the logarithm of the odds of the second. More: one for each, whose mean is 0 at the start.
std::vector<double> start_log_loss(const Target& t, std::span<const u32> rows, double) {
    std::vector<double> p = shares_of(t, rows);
    if (p.size() <= 2) return {p.size() < 2 ? 0.0 : std::log(p[1] / p[0])};
    double mean = 0;
    for (double& x : p) mean += x = std::log(x);
    for (double& x : p) x -= mean / static_cast<double>(p.size());
    return p;
}

// Log loss of more than two classes.
double add_softmax(const LossRows& r, std::size_t begin, std::size_t end) {
    const u32 k = r.target.n_classes;
    double sum = 0;
    std::vector<double> p(k);
    for (std::size_t i = begin; i < end; ++i) {
        const u32 row = r.rows[i], y = r.target.classes[row];
        const double w = r.target.weight(row), *raw = r.raw + std::size_t{row} * k;
        const double top = *std::max_element(raw, raw + k);
        double all = 0;
        for (u32 c = 0; c < k; ++c) all += p[c] = std::exp(raw[c] - top);
        sum += w * (top + std::log(all) - raw[y]);
        if (!r.slopes) continue;
        for (u32 c = 0; c < k; ++c) {
            const double share = p[c] / all;
            r.slopes[i * k + c] = w * (share - (c == y));
            r.curves[i * k + c] = w * share * (1 - share);
        }
    }
    return sum;
}

}  // namespace

double add_losses(const LossPlugin& loss, const LossRows& r, std::size_t begin, std::size_t end) {
    if (r.target.n_classes > 2) return add_softmax(r, begin, end);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const u32 row = r.rows[i];
        const double w = r.target.weight(row), y = loss.classes ? r.target.classes[row] : r.target.numbers[row];
        const LossPoint p = loss.point(y, r.raw[row], r.alpha);
        sum += w * p.loss;
        if (!r.slopes) continue;
        r.slopes[i] = w * p.slope;
        r.curves[i] = w * p.curvature;
    }
    return sum;
}

double quantile_of(std::span<const double> numbers, std::span<const double> weights, std::vector<u32>& places,
                   double share) {
    std::sort(places.begin(), places.end(),
              [&](u32 a, u32 b) { return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : a < b; });
    auto weight = [&](u32 at) { return weights.empty() ? 1.0 : weights[at]; };
    double total = 0, below = 0;
    for (u32 at : places) total += weight(at);
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
        below += weight(places[i]);
        const double over = below - share * total;
        if (over > kTie * total) return numbers[places[i]];
        if (over >= -kTie * total) return numbers[places[i]] / 2 + numbers[places[i + 1]] / 2;
    }
    return numbers[places.back()];
}

const std::vector<LossPlugin>& boosting_losses() {
    auto start_at_mean = [](const Target& t, std::span<const u32> rows, double) {
        return std::vector<double>{mean_of(t, rows)};
    };
    auto start_at_log = [](const Target& t, std::span<const u32> rows, double) {
        return std::vector<double>{std::log(mean_of(t, rows))};
    };
    auto start_at_median = [](const Target& t, std::span<const u32> rows, double) {
        return start_at_quantile(t, rows, 0.5);
    };
    static const std::vector<LossPlugin> all = {
        {.info = {"log_loss", "log loss: logistic for two classes, softmax for more", "Friedman 2001"},
         .classes = true,
         .start = start_log_loss,
         .point = log_loss},
        {.info = {"squared_error", "half the squared error", "Friedman 2001"},
         .constant = true,
         .start = start_at_mean,
         .point = squared_error},
        {.info = {"absolute_error", "absolute error; leaves predict a median", "Friedman 2001"},
         .refits = true,
         .constant = true,
         .start = start_at_median,
         .point = absolute_error},
        {.info = {"quantile", "pinball loss; leaves predict a quantile", "Koenker and Bassett 1978"},
         .refits = true,
         .constant = true,
         .start = start_at_quantile,
         .point = quantile},
        {.info = {"poisson", "half the Poisson deviance, for counts; the trees add up to a logarithm", "common"},
         .lowest = 0,
         .start = start_at_log,
         .point = poisson},
    };
    return all;
}

}  // namespace bough
