// Predictions that only rise, or only fall, with a column, as in scikit-learn: a cut of such a column may not go the
// other way, and what is below it stays on its side of the midpoint between both sides: cuts of such columns have to,
// and leaves are clipped.
#pragma once

#include "data/target.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "tree/split.hpp"

namespace bough {

// What a node and all below it may predict: numbers, or the share of the second of two classes.
struct ValueRange {
    double low = -kInf, high = kInf;
    bool holds(double value) const { return low <= value && value <= high; }
};

// The rule at one node.
class Monotone final : public SplitRule {
   public:
    // `signs`: per column 1, −1, or 0 where predictions may do as they like; empty: there is no rule.
    explicit Monotone(std::span<const int> signs) : signs_(signs) {}
    bool any() const { return !signs_.empty(); }
    void enter(const ValueRange& range) { range_ = range; }
    const ValueRange& range() const { return range_; }

    bool allows(const Candidate& c) const override {
        return keeps(c.key.column, c.sides.left.value, c.sides.right.value);
    }
    // The same of the children as they are kept.
    bool allows(const Split& split, std::span<const Node> children) const {
        return signs_[split.column] == 0 || keeps(split.column, value_of(children[0]), value_of(children[1]));
    }
    ValueRange below(const Split& split, std::span<const Node> children, u32 child) const {
        const int sign = signs_[split.column];
        if (sign == 0) return range_;
        const double left = value_of(children[0]), middle = left + (value_of(children[1]) - left) / 2;
        ValueRange range = range_;
        ((child == 0) == (sign > 0) ? range.high : range.low) = middle;
        return range;
    }
    // The node as a leaf.
    Node clipped(Node node, const Target& target) const {
        const double found = value_of(node), value = std::clamp(found, range_.low, range_.high);
        if (value == found) return node;
        if (node.weights.size() == 1) {
            node.value = value;
            if (!target.leaf.ordered()) {  // what all rows lose is what their mean does
                node.loss += node.total * target.leaf.of(found, value);
            } else {
                node.loss = 0;
                for (u32 row : node.rows) node.loss += target.weight(row) * target.leaf.of(target.numbers[row], value);
            }
        } else {
            node.weights = {(1 - value) * node.total, value * node.total};
        }
        return node;
    }

   private:
    bool keeps(u32 column, double left, double right) const {
        return signs_[column] == 0 ||
               (range_.holds(left) && range_.holds(right) && (right - left) * signs_[column] >= 0);
    }
    static double value_of(const Node& node) {
        return node.weights.size() == 1 ? node.value : node.weights[1] / node.total;
    }

    std::span<const int> signs_;
    ValueRange range_;
};

}  // namespace bough
