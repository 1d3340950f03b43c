// ridge: the direction of a ridge regression in the node; of classes, of each one's indicator. Columns join it one at a
// time, the one that lowers the squared error most first, as long as each is worth its price.
#include <algorithm>

#include "base/linalg.hpp"
#include "base/scale.hpp"
#include "base/slack.hpp"
#include "directions/engine.hpp"

namespace bough {

namespace {

struct RidgeOptions {
    double price, shrink;
    u32 terms;  // at most
};

// Normal equations of columns that vary, in units of their deviation, with the target in the last row and column.
class NormalEquations {
   public:
    NormalEquations(std::vector<double> gram, std::vector<double> with_target, double square, double shrink)
        : n_(static_cast<u32>(with_target.size()) + 1), a_(std::size_t{n_} * n_), in_(n_ - 1, 0), start_(n_ - 1) {
        const u32 d = n_ - 1;
        for (u32 i = 0; i < d; ++i) {
            std::copy_n(gram.data() + std::size_t{i} * d, d, &at(i, 0));
            at(i, i) += shrink;
            start_[i] = at(i, i);
            at(i, d) = at(d, i) = with_target[i];
        }
        at(d, d) = square;
    }
    double error() const { return a_.back(); }
    double coefficient(u32 i) const { return in_[i] ? a_[std::size_t{i} * n_ + n_ - 1] : 0.0; }

    // Takes the column in that lowers the error most, if it does so by more than `least(error)`.
    template <class Least>
    bool step(Least least) {
        const u32 d = n_ - 1;
        u32 best = kNone;
        double most = 0;
        for (u32 i = 0; i < d; ++i) {
            if (in_[i] || !(at(i, i) > kWithin * start_[i])) continue;
            const double lower = at(i, d) * at(i, d) / at(i, i);
            if (lower > most * (1 + kTie)) most = lower, best = i;
        }
        if (best == kNone || !(most > least(std::max(error() - most, 0.0)))) return false;
        sweep(best);
        in_[best] = 1;
        return true;
    }

   private:
    double& at(u32 i, u32 j) { return a_[std::size_t{i} * n_ + j]; }
    void sweep(u32 k) {
        const double pivot = at(k, k);
        for (u32 j = 0; j < n_; ++j) at(k, j) /= pivot;
        for (u32 i = 0; i < n_; ++i) {
            if (i == k) continue;
            const double b = at(i, k);
            for (u32 j = 0; j < n_; ++j) at(i, j) -= b * at(k, j);
            at(i, k) = -b / pivot;
        }
        at(k, k) = 1 / pivot;
    }

    u32 n_;
    std::vector<double> a_;
    std::vector<u8> in_;
    std::vector<double> start_;
};

void find_ridge(DirectionNode& node, const RidgeOptions& options) {
    const NodeMatrix x = node.matrix();
    const bool numbers = node.problem.target->regression();
    std::vector<double> values(x.n), weights(x.n), deviations;
    std::vector<u32> columns;
    double total = 0;
    for (u32 i = 0; i < x.n; ++i) total += weights[i] = node.weight(i);
    for (u32 c = 0; c < x.d; ++c) {
        for (u32 i = 0; i < x.n; ++i) values[i] = x.row(i)[c];
        const double deviation = root_mean_square(values, weights);
        if (!(deviation > kOfMean * std::fabs(x.mean[c])) || !std::isfinite(deviation)) continue;
        columns.push_back(c);
        deviations.push_back(deviation);
    }
    const u32 d = static_cast<u32>(columns.size());
    if (d == 0) return;
    std::vector<double> scaled(std::size_t{x.n} * d), gram(std::size_t{d} * d);
    for (u32 i = 0; i < x.n; ++i) {
        const double root = std::sqrt(weights[i] / total);
        for (u32 c = 0; c < d; ++c) scaled[std::size_t{i} * d + c] = root * (x.row(i)[columns[c]] / deviations[c]);
    }
    linalg::gram_of_columns(scaled.data(), d, x.n, d, gram.data(), *node.problem.budget);
    const std::vector<u32>& present = node.node.present;
    const std::size_t targets = numbers ? 1 : present.size() == 2 ? 1 : present.size();
    for (std::size_t g = 0; g < targets; ++g) {
        auto y = [&](u32 i) {
            return numbers ? node.number(i) - node.node.mean : node.cls(i) == present[g] ? 1.0 : 0.0;
        };
        double mean = 0, square = 0;
        for (u32 i = 0; i < x.n; ++i) mean += weights[i] / total * y(i);
        std::vector<double> with_target(d, 0.0), direction(x.d, 0.0);
        for (u32 i = 0; i < x.n; ++i) {
            const double root = std::sqrt(weights[i] / total), v = root * (y(i) - mean);
            square += v * v;
            for (u32 c = 0; c < d; ++c) with_target[c] += v * scaled[std::size_t{i} * d + c];
        }
        NormalEquations equations(gram, std::move(with_target), square, options.shrink);
        for (u32 t = 0; t < options.terms; ++t) {
            node.problem.budget->poll();
            if (!equations.step([&](double left) { return t == 0 ? 0.0 : options.price * left / total; })) break;
        }
        for (u32 c = 0; c < d; ++c) direction[columns[c]] = equations.coefficient(c) / deviations[c];
        node.offer(direction);
    }
}

}  // namespace

void register_ridge(Registry& r) {
    FamilyPlugin plugin = direction_plugin(
        {"ridge",
         "the direction of a ridge regression of the target, or of each class's indicator; columns join it one by one",
         "Hoerl & Kennard 1970",
         {{"price", "what a further column must save, in units of one row's mean squared error; 0: all columns join",
           Param::Type::real, 2, 0, 1e9},
          {"terms", "most columns in a direction", Param::Type::integer, -1, 1, 1e6, {"None"}},
          {"shrink", "added to the variance of every column, as a share of it", Param::Type::real, 1e-3, 0, 1e6}}},
        [](const Problem&, const Params& params) -> DirectionFinder {
            const double terms = params.get("terms");
            const RidgeOptions options{params.get("price"), params.get("shrink"),
                                       terms < 0 ? kNone : static_cast<u32>(terms)};
            return [options](DirectionNode& node) { find_ridge(node, options); };
        });
    plugin.joined_by = "axis";
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
