// What criteria share whose leaves predict a quantile: what a split saves is what the losses of its sides leave of the
// node's.
#pragma once

#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct OrderedLoss {
    static constexpr Traits traits{.regression = true, .ordered = true};
    template <class R>
    static R impurity(const SideOf<R>& s) {
        return s.loss / s.total;
    }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        return (l.before - l.loss - r.loss) / (l.total + r.total);
    }
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        R saved = children[0].before, total = 0;
        for (const auto& c : children) saved -= c.loss, total += c.total;
        return saved / total;
    }
    static Gain unit(const Node& node) { return node.total > 0 ? node.loss / node.total : 0; }
};

}  // namespace bough
