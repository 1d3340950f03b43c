// The values of a nominal column in the order of what a leaf of each would predict, and every cut of that order.
#include <numeric>

#include "nominal/family.hpp"

namespace bough {

namespace {

// Offers every cut along the order of the values as a split of the values.
class AsSubsets final : public SplitRule {
   public:
    AsSubsets(Best& to, std::span<const u32> values, std::span<const double> place, bool stop_unseen)
        : to_(to), values_(values), place_(place), stop_unseen_(stop_unseen) {}

    Standing standing(u32) const override { return {}; }
    bool standing(std::span<const u32>, std::span<const double>, Standing&) const override { return false; }
    bool allows(const Candidate& cut, const Standing&) const override {
        if (!(cut.gain >= to_.floor())) return false;
        Candidate c = cut;
        auto split = std::make_shared<Split>();
        split->kind = NodeKind::subset;
        split->column = c.key.column;
        split->values.assign(values_.begin(), values_.end());
        const bool turned = place_[values_[0]] > c.payload.x;  // the first value is always on the left
        if (turned) std::swap(c.sides.left, c.sides.right);
        const bool heavier = left_is_heavier(c.sides.left.weight, c.sides.right.weight);
        split->other = stop_unseen_ ? kStopHere : heavier ? 0u : 1u;
        c.key = {c.key.column, 0, 0};
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const bool left = (place_[values_[i]] <= c.payload.x) != turned;
            split->goes_left.push_back(left);
            if (i < 63) c.key.place |= u64{left ? 0u : 1u} << (62 - i);
        }
        c.payload = {};
        c.payload.split = std::move(split);
        to_.offer(c);
        return false;
    }

   private:
    Best& to_;
    std::span<const u32> values_;
    std::span<const double> place_;
    bool stop_unseen_;
};

}  // namespace

void propose_in_order(const Problem& problem, const Node& node, u32 column, u32 family, bool stop_unseen, Best& best) {
    const Column& x = problem.table->columns[column];
    const Target& target = *problem.target;
    std::vector<u32> rows, values;
    std::vector<std::vector<u32>> rows_of(x.n_values);
    Node known;
    const Node* from = &node;
    if (std::any_of(node.rows.begin(), node.rows.end(), [&](u32 row) { return x.codes[row] < 0; })) {
        known = known_part(node, target, rows, [&](u32 row) { return x.codes[row] < 0; });
        from = &known;
    }
    for (u32 row : from->rows) rows_of[static_cast<u32>(x.codes[row])].push_back(row);
    std::vector<double> predicted(x.n_values), place(x.n_values);
    for (u32 v = 0; v < x.n_values; ++v) {
        if (rows_of[v].empty()) continue;
        Node alone;
        measure(alone, target, rows_of[v]);
        predicted[v] = alone.value;
        values.push_back(v);
    }
    if (values.size() < 2) return;
    std::vector<u32> order = values;
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return predicted[a] < predicted[b]; });
    for (u32 i = 0; i < order.size(); ++i) place[order[i]] = i;

    std::vector<double> positions, weights, numbers;
    for (u32 row : from->rows) {
        positions.push_back(place[static_cast<u32>(x.codes[row])]);
        numbers.push_back(target.numbers[row]);
        if (target.weighted()) weights.push_back(target.weights[row]);
    }
    Projection p{};
    p.size = from->n_rows;
    p.z = positions.data();
    p.weights = target.weighted() ? weights.data() : nullptr;
    p.numbers = numbers.data();
    p.high = static_cast<double>(order.size() - 1);
    p.budget = problem.budget;
    Best own(problem.scorer->unit(*from), from->total);
    const AsSubsets cuts(own, values, place, stop_unseen);
    Best unused(problem.scorer->unit(*from), from->total, {}, &cuts);
    problem.scorer->projected_cuts(*from, p, problem.limits, {&unused, column, family, true, 0, problem.budget});
    if (own.empty()) return;
    Candidate c = own.winner();
    const double sides[2] = {c.sides.left.weight, c.sides.right.weight};
    if (from != &node) c.gain = of_all(problem, c.gain, sides, node.total);
    best.offer(c);
}

}  // namespace bough
