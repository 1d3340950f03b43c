// The losses, as in scikit-learn's histogram boosting.
#include <algorithm>

#include "base/slack.hpp"
#include "grow/loss.hpp"

namespace bough {

namespace {

constexpr double kMostPower = 700;  // e to it is still a number

double weight_at(const Target& t, u32 row) { return t.weight(row); }

template <class At>
double each(const LossRows& r, std::size_t begin, std::size_t end, At at) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const u32 row = r.rows[i];
        const double w = weight_at(r.target, row);
        const LossPoint p = at(row, r.raw[row]);
        sum += w * p.loss;
        if (!r.slopes) continue;
        r.slopes[i] = w * p.slope;
        r.curves[i] = w * p.curvature;
    }
    return sum;
}

double mean_of(const Target& t, std::span<const u32> rows) {
    double sum = 0, weight = 0;
    for (u32 row : rows) sum += t.weight(row) * (t.numbers[row] - t.numbers[rows[0]]), weight += t.weight(row);
    return t.numbers[rows[0]] + sum / weight;
}

double squared_error(const LossRows& r, std::size_t begin, std::size_t end) {
    return each(r, begin, end, [&](u32 row, double raw) {
        const double d = raw - r.target.numbers[row];
        return LossPoint{d * d / 2, d, 1};
    });
}

double absolute_error(const LossRows& r, std::size_t begin, std::size_t end) {
    return each(r, begin, end, [&](u32 row, double raw) {
        const double d = raw - r.target.numbers[row];
        return LossPoint{std::fabs(d), d > 0 ? 1.0 : d < 0 ? -1.0 : 0.0, 1};
    });
}

double quantile(const LossRows& r, std::size_t begin, std::size_t end) {
    return each(r, begin, end, [&](u32 row, double raw) {
        const double d = r.target.numbers[row] - raw;
        return LossPoint{d >= 0 ? r.alpha * d : (r.alpha - 1) * d, d >= 0 ? -r.alpha : 1 - r.alpha, 1};
    });
}

double poisson(const LossRows& r, std::size_t begin, std::size_t end) {
    return each(r, begin, end, [&](u32 row, double raw) {
        const double y = r.target.numbers[row], e = std::exp(std::min(raw, kMostPower));
        return LossPoint{e - y * raw, e - y, e};
    });
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

double log_loss(const LossRows& r, std::size_t begin, std::size_t end) {
    const u32 k = r.target.n_classes;
    if (k <= 2)
        return each(r, begin, end, [&](u32 row, double raw) {
            const double y = r.target.classes[row], e = std::exp(-std::fabs(raw));
            const double p = (raw >= 0 ? 1 : e) / (1 + e);  // of the second class
            return LossPoint{std::log1p(e) + (y > 0 ? std::max(-raw, 0.0) : std::max(raw, 0.0)), p - y,
                             e / ((1 + e) * (1 + e))};
        });
    double sum = 0;
    std::vector<double> p(k);
    for (std::size_t i = begin; i < end; ++i) {
        const u32 row = r.rows[i], y = r.target.classes[row];
        const double w = weight_at(r.target, row), *raw = r.raw + std::size_t{row} * k;
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
         .step = log_loss},
        {.info = {"squared_error", "half the squared error", "Friedman 2001"},
         .constant = true,
         .start = start_at_mean,
         .step = squared_error},
        {.info = {"absolute_error", "absolute error; leaves predict a median", "Friedman 2001"},
         .refits = true,
         .constant = true,
         .start = start_at_median,
         .step = absolute_error},
        {.info = {"quantile", "pinball loss; leaves predict a quantile", "Koenker and Bassett 1978"},
         .refits = true,
         .constant = true,
         .start = start_at_quantile,
         .step = quantile},
        {.info = {"poisson", "half the Poisson deviance, for counts; the trees add up to a logarithm", "common"},
         .lowest = 0,
         .start = start_at_log,
         .step = poisson},
    };
    return all;
}

}  // namespace bough
