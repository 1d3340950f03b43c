// What a leaf answers: the class whose answer costs least, by the costs and priors of the target; and what that costs.
#pragma once

#include <algorithm>

#include "base/slack.hpp"
#include "data/class_weights.hpp"
#include "data/target.hpp"

namespace bough {

class Stakes {
   public:
    explicit Stakes(const Target& target) : k_(target.n_classes), scale_(target.scale), losses_(target.losses) {}

    // Does every wrong answer cost the same?
    bool plain() const { return losses_.empty() && scale_.empty(); }
    bool losses() const { return !losses_.empty(); }
    // What the worst answer costs: differences of costs are nothing by this.
    double unit() const { return losses_.empty() ? 1.0 : *std::max_element(losses_.begin(), losses_.end()); }
    // One number for each class: what the rows of a class weigh in answers besides their own weight.
    double scale(std::size_t c) const { return scale_.empty() ? 1.0 : scale_[c]; }
    double loss(std::size_t truth, std::size_t answer) const {
        return losses_.empty() ? static_cast<double>(truth != answer) : losses_[truth * k_ + answer];
    }
    // What a row of weight 1 costs.
    double cost(std::size_t truth, std::size_t answer) const { return scale(truth) * loss(truth, answer); }
    // What class weights cost if `answer` is said of all of them.
    double cost(const ClassWeights& w, std::size_t answer) const {
        double sum = 0;
        for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * scale(w.id(i)) * loss(w.id(i), answer);
        return sum;
    }
    // The class that is answered: of least cost, of equals the first.
    std::size_t of(const ClassWeights& w) const {
        if (w.empty()) return 0;
        if (plain()) return w.id(static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin()));
        const std::size_t n = losses_.empty() ? w.size() : k_;  // by costs, the best answer may be a class not there
        auto answer = [&](std::size_t i) { return losses_.empty() ? w.id(i) : i; };
        std::size_t best = 0;
        double least = kInf, total = 0;
        for (std::size_t i = 0; i < n; ++i) total = std::max(total, cost(w, answer(i)));
        for (std::size_t i = 0; i < n; ++i)
            if (const double here = cost(w, answer(i)); here < least - kTie * total) best = answer(i), least = here;
        return best;
    }
    double risk(const ClassWeights& w) const { return cost(w, of(w)); }
    // Shares of all classes by their weights and scales; returns what they are shares of.
    double shares(const ClassWeights& w, std::span<double> to) const {
        double sum = 0;
        std::fill(to.begin(), to.end(), 0.0);
        for (std::size_t i = 0; i < w.size(); ++i) sum += to[w.id(i)] = w[i] * scale(w.id(i));
        for (std::size_t i = 0; i < w.size() && sum > 0; ++i) to[w.id(i)] /= sum;
        return sum;
    }
    // The class that is answered where shares are mixed: equal ones are so up to rounding.
    std::size_t of_shares(std::span<const double> share) const {
        std::size_t best = 0;
        double least = kInf;
        for (std::size_t a = 0; a < share.size(); ++a) {
            double sum = losses_.empty() ? -std::max(0.0, share[a]) : 0.0;
            for (std::size_t c = 0; c < share.size() && losses(); ++c) sum += std::max(0.0, share[c]) * loss(c, a);
            if (sum < least - kCount) best = a, least = sum;
        }
        return best;
    }

   private:
    u32 k_;
    std::span<const double> scale_, losses_;
};

// What the rows of each class weigh where splits are chosen, besides their weight: priors, and by altered priors
// (Breiman et al. 1984) the costs of a class, all its wrong answers together; unless the criterion weighs pairs of
// classes itself (Target::costs). Empty: nothing. A class that matters nowhere still weighs enough to be counted.
inline std::vector<double> weights_in_splits(const Target& target) {
    constexpr double kHardly = 0x1p-40;
    const std::size_t k = target.n_classes;
    const bool altered = target.costs.empty() && !target.losses.empty();
    if (!altered && target.scale.empty()) return {};
    // All by powers of two, near 1: no product leaves the range of a double.
    const auto near_1 = [](std::vector<double>& v) {
        const double top = *std::max_element(v.begin(), v.end());
        for (double& x : v)
            x = top > 0 ? std::ldexp(x, -std::ilogb(top)) : 1.0;  // where no error costs anything: alike
    };
    std::vector<double> alter(target.scale.begin(), target.scale.end()), sums(k, 0.0);
    alter.resize(k, 1.0);
    near_1(alter);
    if (altered) {
        std::vector<double> losses(target.losses.begin(), target.losses.end());
        near_1(losses);
        for (std::size_t i = 0; i < losses.size(); ++i) sums[i / k] += i / k == i % k ? 0.0 : losses[i];
        near_1(sums);
        for (std::size_t c = 0; c < k; ++c) alter[c] *= sums[c];
        near_1(alter);
    }
    const double top = *std::max_element(alter.begin(), alter.end());
    for (double& a : alter) a = std::max(a, kHardly * top);
    return alter;
}

}  // namespace bough
