// What leaves cost: smoothly, by the squared distance of a row from what its leaf predicts (its class shares, or its
// mean), or sharply, by what wrong predictions cost.
#pragma once

#include <algorithm>

#include "base/per_thread.hpp"
#include "base/slack.hpp"
#include "data/stakes.hpp"
#include "data/target.hpp"

namespace bough {

// What a leaf predicts, as a loss reads it.
struct LeafValue {
    std::vector<double> shares;  // of the classes
    double squares = 0;          // Σ shares²
    double mean = 0;             // of a numeric target
    u32 label = 0;               // the class that is predicted
    bool operator==(const LeafValue&) const = default;
};

class Losses {
   public:
    Losses(const Target& target, u32 n_rows) : target_(target), stakes_(target) {
        double total = 0, worst = 0, spread = 0, mean = 0;
        for (u32 row = 0; row < n_rows; ++row) total += target.weight(row);
        for (u32 row = 0; row < n_rows && target.regression(); ++row)
            mean += target.weight(row) * target.numbers[row] / total;
        for (u32 row = 0; row < n_rows; ++row) {
            if (target.regression())
                spread += target.weight(row) * square(target.numbers[row] - mean);
            else
                worst += own(row) * most(target.classes[row]);
        }
        smooth_unit_ = (target.regression() ? spread : total) / n_rows;
        sharp_unit_ = worst / n_rows;
    }

    void use_sharp(bool sharp) { sharp_ = sharp; }
    bool sharp() const { return sharp_; }
    bool regression() const { return target_.regression(); }
    // What one row costs at most (of a numeric target: where nothing is split), on average.
    double unit() const { return sharp_ ? sharp_unit_ : smooth_unit_; }

    double of(u32 row, const LeafValue& leaf) const {
        if (target_.regression()) return target_.weight(row) * square(target_.numbers[row] - leaf.mean);
        return weight(row) * of_class(target_.classes[row], leaf);
    }
    // A row is its weight times what one of its class costs.
    double weight(u32 row) const { return sharp_ ? own(row) : target_.weight(row); }
    double of_class(u32 c, const LeafValue& leaf) const {
        return sharp_ ? stakes_.cost(c, leaf.label) : 1 - 2 * leaf.shares[c] + leaf.squares;
    }

    // What the leaf of these rows predicts at best, and what it costs. Without rows it stays as it is; so does a label
    // that no other one is better than.
    double fit(LeafValue& leaf, std::span<const u32> rows) const {
        if (rows.empty()) return 0;
        if (target_.regression()) return fit_mean(leaf, rows);
        auto& weights = per_thread<std::vector<double>, struct WeightsHere>();
        weights.assign(target_.n_classes, 0.0);
        double total = 0;
        for (u32 row : rows) {
            const double w = weight(row);
            weights[target_.classes[row]] += w;
            total += w;
        }
        const ClassWeights all{std::span<const double>(weights)};
        if (sharp_) {
            const u32 best = static_cast<u32>(stakes_.of(all));
            const double cost = stakes_.cost(all, best), now = stakes_.cost(all, leaf.label);
            if (cost < now - kErrors * sharp_unit_ * static_cast<double>(rows.size())) leaf.label = best;
            return std::min(cost, now);
        }
        leaf.shares = weights;
        leaf.squares = 0;
        for (double& share : leaf.shares) share /= total, leaf.squares += share * share;
        double sum = 0;
        for (std::size_t c = 0; c < weights.size(); ++c) sum += weights[c] * (1 - 2 * leaf.shares[c] + leaf.squares);
        return sum;
    }

    // A row's weight without what its class weighs in splits, in the range of the others.
    double own(u32 row) const {
        return target_.own.empty() ? target_.weight(row) : std::ldexp(target_.own[row], -target_.exponent);
    }
    // What it costs to predict `a` for a row of class `c` that weighs 1.
    double cost_of_class(u32 c, u32 a) const { return stakes_.cost(c, a); }

   private:
    static double square(double x) { return x * x; }
    double most(u32 c) const {
        double worst = 0;
        for (u32 a = 0; a < target_.n_classes && stakes_.losses(); ++a) worst = std::max(worst, stakes_.cost(c, a));
        return stakes_.losses() ? worst : stakes_.scale(c);
    }
    double fit_mean(LeafValue& leaf, std::span<const u32> rows) const {
        const double origin = target_.numbers[rows[0]];
        double sum = 0, total = 0, spread = 0;
        for (u32 row : rows) {
            sum += target_.weight(row) * (target_.numbers[row] - origin);
            total += target_.weight(row);
        }
        leaf.mean = origin + sum / total;
        for (u32 row : rows) spread += target_.weight(row) * square(target_.numbers[row] - leaf.mean);
        return spread;
    }

    const Target& target_;
    const Stakes stakes_;
    bool sharp_ = false;
    double smooth_unit_ = 1, sharp_unit_ = 1;
};

}  // namespace bough
