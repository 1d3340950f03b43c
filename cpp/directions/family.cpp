// The family behind every finder of directions: asks it, makes the split of its winner, moves the rows.
#include <algorithm>
#include <atomic>

#include "base/per_thread.hpp"
#include "directions/engine.hpp"
#include "directions/positions.hpp"
#include "grow/simplify.hpp"

namespace bough {

namespace {

class DirectionFamily final : public Family {
   public:
    DirectionFamily(const Problem& problem, DirectionFinder find, bool gaps_at_center, bool at_value)
        : problem_(problem),
          find_(std::move(find)),
          at_value_(at_value),
          gaps_at_center_(gaps_at_center && problem.missing == Missing::either),
          dense_(*problem.table, *problem.target, problem.moments, *problem.budget) {}

    bool needs_rows() const override { return false; }

    std::unique_ptr<NodeState> root() override { return state(0); }

    void propose(const Node& node, NodeState* state, Worker& worker, Best& best) override {
        DirectionNode view(problem_, dense_, node, static_cast<DirectionState&>(*state), index, gaps_at_center_, worker,
                           best);
        if (view.n_columns() > 0) find_(view);
    }

    // The cut lies in a gap that is wider than rounding, so that positions summed in the order of prediction
    // fall on the same sides.
    Split resolve(const Node& node, const NodeState* state, const Candidate& c) const override {
        const auto& own = static_cast<const DirectionState&>(*state);
        const std::vector<double>& w = weights_of(own, c);
        Split split;
        split.kind = NodeKind::linear;
        split.cut = c.payload.x;
        split.missing_left = c.payload.b != 0;
        for (u32 j = 0; j < w.size(); ++j)
            if (w[j] != 0) {
                split.term_columns.push_back(dense_.columns[j]);
                split.term_weights.push_back(w[j]);
            }
        split.gaps_at_center = gaps_at_center_ && dense_.has_missing();
        const bool one = split.term_columns.size() == 1;
        if (!one && !at_value_ && !dense_.has_missing()) return split;
        const double* z = positions(node, own, c);
        for (u32 i = 0; i < node.n_rows; ++i) split.saw_missing |= is_missing(z[i]);
        const std::span rows(dense_.table_rows() + own.begin, node.n_rows);
        if (one)
            to_axis(split, *problem_.table, problem_.moments, rows,
                    [z, cut = split.cut](std::size_t i) { return z[i] <= cut; });
        if (!at_value_) return split;
        double low = -kInf, reach = 0;
        for (u32 i = 0; i < node.n_rows; ++i) {
            const double x = one ? problem_.table->columns[split.column].value(rows[i]) : z[i];
            if (x <= split.cut) low = std::max(low, x);
        }
        for (u32 j = 0; j < w.size() && !one; ++j) reach += std::fabs(w[j]) * dense_.magnitudes[j];
        split.cut = low + blur_of(dense_.n_columns(), reach) / 2;
        return split;
    }

    // The smaller side.
    bool side(const Node& node, const NodeState* state, const Candidate& c, std::vector<u32>& rows,
              u32& child) override {
        const auto& own = static_cast<const DirectionState&>(*state);
        const double *z = positions(node, own, c), cut = c.payload.x;
        const bool missing_left = c.payload.b != 0;
        const u32 n = node.n_rows, *from = dense_.table_rows() + own.begin;
        u32 left = 0;
        for (u32 i = 0; i < n; ++i) left += (z[i] <= cut) | (missing_left & (z[i] != z[i]));
        child = 2 * left <= n ? 0 : 1;
        rows.resize(child == 0 ? left : n - left);
        u32 at = 0;
        for (u32 i = 0; i < n && at < rows.size(); ++i) {
            rows[at] = from[i];
            at += ((z[i] <= cut) | (missing_left & (z[i] != z[i]))) == (child == 0);
        }
        return true;
    }

    void divide(const Node& node, NodeState* state, const Candidate&, const Division& division, Worker&,
                std::span<std::unique_ptr<NodeState>> children) override {
        auto& own = static_cast<DirectionState&>(*state);
        u32 begin = own.begin;
        for (u32 c = 0; c < division.n_children(); ++c) {
            children[c] = this->state(begin);
            begin += division.n_rows[c];
        }
        if (!own.sums.empty() && !division.many()) pass_sums(node, own, division, children);
        move_rows(own.begin, node.n_rows, division);
        own.weights = {};
        own.numbers = {};
    }

   private:
    std::unique_ptr<DirectionState> state(u32 begin) {
        auto s = std::make_unique<DirectionState>();
        s->begin = begin;
        s->id = ++states_;
        return s;
    }
    void move_rows(u32 begin, u32 n, const Division& division) {
        const u32* rows = dense_.table_rows() + begin;
        if (division.many()) {
            std::vector<u32> child(n);
            for (u32 i = 0; i < n; ++i) child[i] = division.child(rows[i]);
            dense_.divide_in_many(begin, n, child.data(), division.n_rows);
            return;
        }
        auto& right = per_thread<std::vector<u8>, struct RightHere>();
        right.resize(n);
        for (u32 i = 0; i < n; ++i) right[i] = static_cast<u8>(division.side(rows[i]));
        dense_.divide_in_two(begin, n, right.data(), division.open[0], division.open[1]);
    }
    static const std::vector<double>& weights_of(const DirectionState& own, const Candidate& c) {
        const auto at = std::find(own.numbers.begin(), own.numbers.end(), c.payload.a);
        return own.weights[static_cast<std::size_t>(at - own.numbers.begin())];
    }
    // Positions of the node's rows along the direction of a candidate.
    const double* positions(const Node& node, const DirectionState& own, const Candidate& c) const {
        Bench& b = bench();
        if (const double* z = b.find(own.id, c.payload.a, node.n_rows)) return z;
        const std::vector<double>& w = weights_of(own, c);
        b.z.resize(std::max<std::size_t>(b.z.size(), node.n_rows));
        project(dense_, own.begin, node.n_rows, w.data(), 1, b.z.data());
        if (!gaps_at_center_) blank_missing(dense_, own.begin, node.n_rows, w.data(), b.z.data());
        b.owner = own.id;
        b.numbers = {c.payload.a};
        return b.z.data();
    }
    // Sums of the smaller child anew, those of the larger by subtraction, while that costs few digits.
    void pass_sums(const Node& node, DirectionState& own, const Division& division,
                   std::span<std::unique_ptr<NodeState>> children) const {
        const u32 small = division.n_rows[0] <= division.n_rows[1] ? 0 : 1, large = 1 - small;
        auto wanted = [&](u32 c) { return division.open[c] && keeps_sums(problem_, dense_, division.n_rows[c]); };
        const bool subtract = wanted(large) && u64{division.n_rows[large]} * 16 >= own.fresh;
        if (!subtract) return;
        auto& of_small = static_cast<DirectionState&>(*children[small]);
        auto& of_large = static_cast<DirectionState&>(*children[large]);
        of_small.sums.assign(own.sums.size(), 0.0);
        for (u32 i = 0; i < node.n_rows; ++i)
            if (division.side(dense_.table_rows()[own.begin + i]) == small)
                dense_.add_class_sums(own.begin + i, 1, of_small.sums.data());
        of_large.sums = std::move(own.sums);
        of_large.fresh = own.fresh;
        for (std::size_t j = 0; j < of_large.sums.size(); ++j) of_large.sums[j] -= of_small.sums[j];
        of_small.fresh = division.n_rows[small];
        if (!wanted(small)) of_small.sums = {};
    }

    const Problem problem_;
    DirectionFinder find_;
    bool at_value_;  // cuts lie at the largest position on the left
    bool gaps_at_center_;
    DenseRows dense_;
    static inline std::atomic<u64> states_{0};  // of all families: a thread keeps positions from one to the next
};

}  // namespace

FamilyPlugin direction_plugin(Info info, std::function<DirectionFinder(const Problem&, const Params&)> make,
                              bool gaps_at_center) {
    FamilyPlugin plugin;
    plugin.info = std::move(info);
    const auto& known = plugin.info.params;
    const bool chooses = std::any_of(known.begin(), known.end(), [](const Param& p) { return p.name == "cut"; });
    plugin.make = [make, gaps_at_center, chooses](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
        const bool at_value = chooses && params.get("cut") != 0;
        return std::make_unique<DirectionFamily>(p, make(p, params), gaps_at_center, at_value);
    };
    plugin.several = plugin.needs_moments = true;
    return plugin;
}

}  // namespace bough
