// The rules that the splits of a plan have to keep, at one node: what they forbid, what they take off a gain, and what
// they hand on to the children.
#pragma once

#include "base/slack.hpp"
#include "grow/interactions.hpp"
#include "grow/monotone.hpp"
#include "grow/plan.hpp"

namespace bough {

// What the rules know of the way to a node.
struct Way {
    ValueRange range;
    std::shared_ptr<const std::vector<u32>> asked;  // columns, ascending; null: none, or nobody wants to know
    u32 first = kNone;                              // the split that it has to begin with, among the plan's
};

class Rules final : public SplitRule {
   public:
    Rules() = default;
    explicit Rules(const Plan& plan)
        : plan_(&plan),
          monotone_(plan.monotonic, plan.ruled),
          interactions_(plan.interactions, plan.split_asks_several()),
          paid_(plan.prices.size(), 0) {}
    bool any() const { return plan_ != nullptr; }
    // Does every candidate have to be asked about?
    bool judges() const { return monotone_.any() || !paid_.empty(); }

    Way root() const {
        Way way;
        if (plan_ && !plan_->first.empty()) way.first = 0;
        return way;
    }
    void enter(const Way& way) {
        if (!any()) return;
        for (u32 c : asked()) {
            if (!paid_.empty()) paid_[c] = 0;
        }
        way_ = way;
        for (u32 c : asked()) {
            if (!paid_.empty()) paid_[c] = 1;
        }
        open_.clear();
        if (const FirstSplit* first = due(); first && !first->given())
            open_.assign(1, {first->column});
        else if (interactions_.any())
            interactions_.open(asked(), open_);
    }
    const Way& way() const { return way_; }
    // The node does without the split that it should begin with: its rows do not have two sides there.
    void waive(const char* why) {
        if (plan_->first_or_fail) throw std::invalid_argument("first_split: " + due()->text + why);
        Way way = way_;
        way.first = kNone;
        enter(way);
    }
    const FirstSplit* due() const { return way_.first == kNone ? nullptr : &plan_->first[way_.first]; }
    // The columns that may be asked, in groups that are searched one by one; empty: all.
    const ColumnGroups& open() const { return open_; }

    Standing standing(u32 column) const override {
        return {monotone_.sign(column), price(column), way_.range.low, way_.range.high};
    }
    bool standing(std::span<const u32> columns, std::span<const double> weights, Standing& found) const override {
        found = {0, 0, way_.range.low, way_.range.high};
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (weights[i] != 0) found.price += price(columns[i]);
        return monotone_.sign(columns, weights, found.sign);
    }
    bool allows(const Candidate& c, const Standing& standing) const override {
        return standing.pays(static_cast<double>(c.gain)) && standing.keeps(c.sides.left.value, c.sides.right.value);
    }
    // The same of the children as they are kept.
    bool allows(const Split& split, std::span<const Node> children) const {
        return monotone_.keeps(way_.range, split, children);
    }
    Way below(const Split& split, std::span<const Node> children, u32 child) const {
        Way way;
        way.range = monotone_.below(way_.range, split, children, child);
        if (const FirstSplit* first = due(); first && child < 2) way.first = first->below[child];
        if (!watches()) return way;
        const std::span<const u32> before = asked(), now = columns_of(split);
        way.asked = way_.asked;
        std::vector<u32> all(before.begin(), before.end());
        for (u32 c : now)
            if (const auto at = std::lower_bound(all.begin(), all.end(), c); at == all.end() || *at != c)
                all.insert(at, c);
        if (all.size() > before.size()) way.asked = std::make_shared<const std::vector<u32>>(std::move(all));
        return way;
    }
    Node as_leaf(const Node& node, const Target& target) const {
        return monotone_.any() ? monotone_.clipped(node, way_.range, target) : node;
    }
    bool clips() const { return monotone_.any(); }

   private:
    // Does it matter which columns have been asked?
    bool watches() const { return interactions_.any() || !paid_.empty(); }
    std::span<const u32> asked() const {
        return way_.asked ? std::span<const u32>(*way_.asked) : std::span<const u32>();
    }
    double price(u32 column) const {
        return paid_.empty() || paid_[column] || (due() && due()->column == column) ? 0.0 : plan_->prices[column];
    }
    static std::span<const u32> columns_of(const Split& split) {
        if (split.kind == NodeKind::linear) return split.term_columns;
        return {&split.column, 1};
    }

    const Plan* plan_ = nullptr;
    Monotone monotone_;
    Interactions interactions_;
    std::vector<u8> paid_;  // per column, where columns have prices: has it been asked on the way?
    Way way_;
    ColumnGroups open_;
};

}  // namespace bough
