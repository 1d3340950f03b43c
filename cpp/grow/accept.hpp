// Is the best split of a node accepted? The one place for what looks at both of its sides.
#pragma once

#include "data/target.hpp"
#include "grow/rules.hpp"
#include "score/scorer.hpp"

namespace bough {

// The gain that is kept with a split: the plain one of the children from left to right, by their class weights or
// their means, whatever order the family found it in; where a family has its own idea of a gain (C4.5's price of a
// cut) or the criterion looks at more than that, that which it found; NaN: nobody has judged it.
double recorded_gain(const Scorer& scorer, const Node& node, std::span<const Node> children, Gain found);

class SplitAcceptance {
   public:
    SplitAcceptance() = default;
    SplitAcceptance(const Target& target, const Scorer& scorer, const Plan& plan, double total_weight);

    // Tells also by how much the split improves the tree: weighted decrease of impurity, less its price.
    bool accepts(const Node& node, std::span<const Node> children, double price, double& improvement) const;
    // What the splits of a node have to keep; each loop has its own.
    Rules rules() const { return plan_->ruled_splits() ? Rules(*plan_) : Rules(); }
    // Does it ask for more than rows in two children? Then it reads counts and present classes of children.
    bool reads_children() const {
        return stop_->min_impurity_decrease > 0 || stop_->max_leaf_nodes > 0 ||
               (!target_->regression() && stop_->min_info_gain >= 0);
    }

   private:
    double impurity(const Node& node) const;
    // Does the class mix of any child differ from that of the node?
    bool tells_anything(const Node& node, std::span<const Node> children) const;
    double information(const Node& node, std::span<const Node> children) const;

    const Target* target_ = nullptr;
    const Scorer* scorer_ = nullptr;
    const StopRules* stop_ = nullptr;
    const Plan* plan_ = nullptr;
    double total_weight_ = 0;
    std::unique_ptr<Scorer> entropy_;  // where an information gain is asked for
    Gain no_gain_ = 0;                 // what rounding makes of no gain
};

}  // namespace bough
