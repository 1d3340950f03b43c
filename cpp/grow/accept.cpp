#include "grow/accept.hpp"
#include "base/per_thread.hpp"

#include <algorithm>
#include <limits>

#include "base/slack.hpp"
#include "grow/registry.hpp"

namespace bough {

SplitAcceptance::SplitAcceptance(const Target& target, const Scorer& scorer, const Plan& plan, double total_weight)
    : target_(&target),
      scorer_(&scorer),
      stop_(&plan.stop),
      plan_(&plan),
      total_weight_(total_weight),
      no_gain_(target.weighted() && !target.wild() ? kNoGain : 0.0) {
    if (stop_->min_info_gain > 0) entropy_ = Registry::find(Registry::get().criteria, "entropy").make(target);
}

bool SplitAcceptance::accepts(const Node& node, std::span<const Node> children, double price,
                              double& improvement) const {
    u32 taken = 0;  // a branch for a value that is not here is empty
    for (const auto& child : children) taken += child.n_rows > 0;
    if (taken < 2 || !reads_children()) return taken >= 2;
    double decrease = impurity(node) - price;
    for (const auto& child : children)
        if (child.n_rows > 0) decrease -= child.total / node.total * impurity(child);
    improvement = node.total / total_weight_ * decrease;
    if (stop_->min_impurity_decrease > 0 && improvement < stop_->min_impurity_decrease * (1 - kTie)) return false;
    if (target_->regression() || stop_->min_info_gain < 0) return true;
    if (stop_->min_info_gain == 0) return tells_anything(node, children);
    return information(node, children) > stop_->min_info_gain;
}

double recorded_gain(const Scorer& scorer, const Node& node, std::span<const Node> children, Gain found) {
    const Traits& traits = scorer.traits();
    // Distances between numbers near the largest add up to more than a float64 holds.
    if (traits.projection || traits.ordered || !traits.sums)
        return found == found ? static_cast<double>(std::min<Gain>(found, std::numeric_limits<double>::max())) : 0.0;
    const std::size_t k = node.present.size();
    auto& weights = per_thread<std::vector<double>, struct WeightsHere>();
    auto& sums = per_thread<std::vector<double>, struct SumsHere>();
    auto& sides = per_thread<std::vector<Side>, struct SidesHere>();
    weights.resize(children.size() * k);
    sums.resize(traits.regression ? children.size() : 0);
    sides.clear();
    for (const auto& child : children) {
        if (child.n_rows == 0) continue;
        double* at = weights.data() + sides.size() * k;
        if (traits.regression) {
            double& sum = sums[sides.size()];
            *at = child.total;
            sum = child.total * (child.mean - node.mean);
            sides.push_back(Side({at, 1}, {&sum, 1}).about(node.mean));
            continue;
        }
        for (std::size_t d = 0; d < k; ++d) at[d] = child.weights[node.present[d]];
        sides.push_back(Side(std::span<const double>(at, k)).of(node.present));
    }
    const Gain plain = sides.size() == 2 ? scorer.gain(sides[0], sides[1]) : scorer.gain_of_many(sides);
    const double slack = traits.regression ? kRunning : traits.ratio ? kRatioClosed : kTie;
    const bool same = !(std::fabs(plain - found) > slack * scorer.unit(node));
    return static_cast<double>(same ? plain : found);
}

double SplitAcceptance::impurity(const Node& node) const {
    if (target_->regression()) return node.loss / node.total;
    return scorer_->impurity(Side(node.present_weights).of(node.present));
}

bool SplitAcceptance::tells_anything(const Node& node, std::span<const Node> children) const {
    u64 rows = 0;  // more than the node has where some are shared
    for (const auto& child : children) rows += child.n_rows;
    if (!target_->weighted() && rows == node.n_rows) {  // whole numbers: exact, and the first difference is enough
        for (const auto& child : children)
            for (u32 c : node.present)
                if (child.counts[c] * node.n_rows != node.counts[c] * child.n_rows) return true;
        return false;
    }
    for (const auto& child : children) {  // its Gini gain against the rest of the node
        Gain rest = 0, squares = 0;
        for (const auto& other : children)
            if (&other != &child) rest += other.total;
        for (u32 c : node.present) {
            Gain out = 0;
            for (const auto& other : children)
                if (&other != &child) out += other.weights[c];
            const Gain apart = child.weights[c] / static_cast<Gain>(child.total) - out / rest;
            squares += apart * apart;
        }
        const Gain total = child.total + rest;
        if (child.total / total * (rest / total) * squares > no_gain_) return true;
    }
    return false;
}

double SplitAcceptance::information(const Node& node, std::span<const Node> children) const {
    double bits = entropy_->impurity(Side(node.present_weights));
    for (const auto& child : children)
        bits -= child.total / node.total * entropy_->impurity(Side(child.present_weights));
    return bits;
}

}  // namespace bough
