// Predictions that only rise, or only fall, with a column, as in scikit-learn: a cut of such a column may not go the
// other way, and what is below it stays on its side of the midpoint between both sides: cuts of such columns have to,
// and leaves are clipped. A linear split is a cut of all its columns at once, which have to pull the same way.
#pragma once

#include "data/target.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "tree/split.hpp"

namespace bough {

// What a node and all below it may predict: numbers, or the share of one class.
struct ValueRange {
    double low = -kInf, high = kInf;
};

class Monotone {
   public:
    Monotone() = default;
    // `signs`: per column 1, −1, or 0 where predictions may do as they like; empty: there is no rule. `ruled`: the
    // class.
    Monotone(std::span<const int> signs, u32 ruled) : signs_(signs), ruled_(ruled) {}
    bool any() const { return !signs_.empty(); }

    int sign(u32 column) const { return signs_.empty() ? 0 : signs_[column]; }
    // Of a sum of columns; false: they pull different ways.
    bool sign(std::span<const u32> columns, std::span<const double> weights, int& found) const {
        found = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const int one = weights[i] == 0 ? 0 : weights[i] > 0 ? sign(columns[i]) : -sign(columns[i]);
            if (one * found < 0) return false;
            found = one != 0 ? one : found;
        }
        return true;
    }
    // Do the children, as they are kept, keep the rule?
    bool keeps(const ValueRange& range, const Split& split, std::span<const Node> children) const {
        Standing standing{0, 0, range.low, range.high};
        if (!of(split, standing.sign)) return false;
        return standing.sign == 0 || standing.keeps(value_of(children[0]), value_of(children[1]));
    }
    ValueRange below(ValueRange range, const Split& split, std::span<const Node> children, u32 child) const {
        int sign = 0;
        of(split, sign);
        if (sign == 0) return range;
        const double left = value_of(children[0]), middle = left + (value_of(children[1]) - left) / 2;
        ((child == 0) == (sign > 0) ? range.high : range.low) = middle;
        return range;
    }
    // The node as a leaf.
    Node clipped(Node node, const ValueRange& range, const Target& target) const {
        const double found = value_of(node), value = std::clamp(found, range.low, range.high);
        if (value == found) return node;
        if (node.weights.size() == 1) {
            node.value = value;
            if (!target.leaf.ordered()) {  // what all rows lose is what their mean does
                node.loss += node.total * target.leaf.of(found, value);
            } else {
                node.loss = 0;
                for (u32 row : node.rows) node.loss += target.weight(row) * target.leaf.of(target.numbers[row], value);
            }
            return node;
        }
        const double rest = node.total - node.weights[ruled_], others = static_cast<double>(node.weights.size() - 1);
        for (double& w : node.weights) {  // the others keep their proportions
            const double share = rest > 0 ? w / rest : 1 / others;
            w = (1 - value) * node.total * share;
        }
        node.weights[ruled_] = value * node.total;
        return node;
    }

   private:
    bool of(const Split& split, int& sign) const {
        if (split.kind == NodeKind::linear) return this->sign(split.term_columns, split.term_weights, sign);
        sign = this->sign(split.column);
        return true;
    }
    double value_of(const Node& node) const {
        return node.weights.size() == 1 ? node.value : node.weights[ruled_] / node.total;
    }

    std::span<const int> signs_;
    u32 ruled_ = 1;
};

}  // namespace bough
