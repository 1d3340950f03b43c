// The scorer of one criterion: chooses the sweep that fits the data. Included by criterion files
// only; everything else sees Scorer.
#pragma once

#include "base/order.hpp"
#include "base/per_thread.hpp"
#include "score/few_numbers.hpp"
#include "score/graph_bounds.hpp"
#include "score/ordered.hpp"
#include "score/projection.hpp"
#include "score/ranked_classes.hpp"
#include "score/sweep_exact.hpp"
#include "score/sweep_together.hpp"
#include "score/sweep_two.hpp"

namespace bough {

template <class C>
class RankedNumberSearch;  // score/ranked_numbers_search.hpp: for criteria that have Numbers

template <class C>
class CriterionScorer final : public Scorer {
   public:
    explicit CriterionScorer(const Target& target)
        : target_(target),
          wild_(target.wild()),
          criterion_(made(target)),
          graph_(criterion_, target),
          bounds_(criterion_, target),
          ranked_classes_(criterion_, target) {}

    double impurity(const Side& side) const override { return criterion_.impurity(side); }
    Gain gain(const Side& left, const Side& right) const override {
        if (!wild_) return criterion_.gain(left, right);
        const WideSide l(left), r(right);
        return criterion_.gain(l.side(), r.side());
    }
    Gain gain_of_many(std::span<const Side> children) const override {
        if constexpr (C::traits.multiway) {
            if (!wild_) return criterion_.gain_of_many(children);
            std::vector<WideSide> wide(children.begin(), children.end());
            std::vector<SideOf<Gain>> sides;
            for (const auto& w : wide) sides.push_back(w.side());
            return criterion_.gain_of_many(std::span<const SideOf<Gain>>(sides));
        } else {
            return kNaN;
        }
    }
    Gain unit(const Node& node) const override { return criterion_.unit(node); }
    Gain limit(const Node& node) const override {
        return C::traits.perfect < kInf ? C::traits.perfect * criterion_.unit(node) : static_cast<Gain>(kInf);
    }
    const Traits& traits() const override { return C::traits; }

    double gains(const LeftSides& s, double* out) const override {
        if constexpr (requires { C::gains(s, out); }) {
            if (!wild_) {
                C::gains(s, out);
                return kRunning;
            }
        }
        std::vector<double> right(s.n_classes);
        for (u32 i = 0; i < s.count; ++i) {
            const std::span<const double> left(s.left + std::size_t{i} * s.stride, s.n_classes);
            for (u32 c = 0; c < s.n_classes; ++c) right[c] = std::max(0.0, s.all[c] - left[c]);
            out[i] = static_cast<double>(gain(Side(left).of(s.classes), Side(right).of(s.classes)));
        }
        return wild_ ? kInf : kClosedForm;  // the right sides come from a subtraction
    }
    double gains(const Node& node, const Sums& start, const Moves& m, double* out) const override {
        if (wild_) return kInf;
        const double unit = static_cast<double>(criterion_.unit(node));
        double left = start.start_total;
        auto weight = [&](u32 row) { return m.to_left[row] > 0 ? m.weights[row] : -m.weights[row]; };
        if constexpr (kNumbers<C>) {
            const NumberGains<C> value(node);
            double sum = start.start_z[0];
            for (u32 i = 0; i < m.size; ++i) {
                const u32 row = static_cast<u32>(m.order[i]);
                left += weight(row);
                sum += weight(row) * m.numbers[row];
                out[i] = value(sum, left);
            }
            return value.slack(unit);
        } else if constexpr (!kZ && !C::traits.ordered) {
            auto many = make_many<C, double>(criterion_, node, start, false);
            for (u32 i = 0; i < m.size; ++i) {
                const u32 row = static_cast<u32>(m.order[i]);
                many.move(m.classes[row], weight(row));
                left += weight(row);
                double a, b;
                many.put(a, b);
                out[i] = many.value(a, b, left);
            }
            return many.slack(unit);
        }
        return kInf;
    }
    const ValueGraph* graph() const override {
        if constexpr (C::traits.graph) return &graph_;
        return nullptr;
    }
    const Bounds* bounds() const override {
        if constexpr (C::traits.box_corners) return &bounds_;
        return nullptr;
    }
    const RankedClassCuts* ranked_classes() const override {
        if constexpr (kRankedClasses) return &ranked_classes_;
        return nullptr;
    }

    const RankedNumberCuts* ranked_numbers() const override {
        if constexpr (requires { typename C::Numbers; }) {
            static const RankedNumberSearch<C> numbers;
            return &numbers;
        }
        return nullptr;
    }

    const FewCuts* few() const override {
        if constexpr (requires(double w) { C::Numbers::factor(w, w); }) {
            static const FewNumbers<C> few;
            return &few;
        }
        return nullptr;
    }

    void cuts(const Node& node, const PackedColumn& column, const LeafLimits& limits, CutSink sink) const override {
        const u32 n_missing = column.missing.size;
        if (node.n_rows == n_missing) return;
        if constexpr (C::traits.ordered)
            return ordered_cuts(target_.leaf, node, column, limits, limits.least_rows(target_.weighted()), sink);
        else if constexpr (C::traits.regression)
            return number_cuts(node, column, limits, sink);
        else
            class_cuts(node, column, limits, sink);
    }

    // Sorts the rows along a projection and sweeps them like a column.
    void projected_cuts(const Node& node, const Projection& p, const LeafLimits& limits, CutSink sink) const override {
        if constexpr (kHasWindow<C>)
            if (!wild_ && p.n_missing == 0 && window_cuts<C>(criterion_, node, p, limits, sink)) return;
        auto& scratch = per_thread<OrderScratch, struct ScratchHere>();
        auto& entries = per_thread<std::vector<u32>, struct EntriesHere>();
        const Packing packing(p.size, std::max<u32>(1, static_cast<u32>(node.weights.size())));
        u32 known;
        const u64* order = order_rows(p.z, p.size, p.low, p.high, scratch, *p.budget, known);
        entries.resize(p.size);
        const u64 ranks = pack_order<C>(packing, p, order, known, entries.data());
        if (ranks == 0) return;
        Column positions{ColumnKind::numeric};
        positions.values = p.z;
        PackedColumn column = packed_projection(packing, positions, p, ranks);
        column.low = {entries.data(), known, 0};
        u32 at = known;
        for (u32 row = 0; row < p.size && at < p.size; ++row)
            if (is_missing(p.z[row])) entries[at++] = packing.pack(row, C::traits.regression ? 0 : p.classes[row]);
        column.missing = {entries.data() + known, p.size - known, 0};
        cuts(node, column, limits, sink);
    }

   private:
    static constexpr bool kZ = C::traits.projection;
    static constexpr bool kStatic = requires(const Side& s) { C::gain(s, s); };
    // Many cuts are weighed in one call.
    static constexpr bool kTogether = requires(const C& c, std::vector<double> side) { c.gains_of(side, side, u32{}); };
    static constexpr bool kRankedClasses = !kZ && !kTogether && !C::traits.regression;

    static constexpr u32 kLongList = 512;

    struct Workspace {
        Sums sums;
        std::vector<double> missing_w, low_z, high_z, listed, lanes;
    };

    void number_cuts(const Node& node, const PackedColumn& column, const LeafLimits& limits,
                     const CutSink& sink) const {
        if (wild_) return sweep_exact(criterion_, node, column, nullptr, limits, sink);
        const u32 n_missing = column.missing.size;
        ExactSum missing;
        for (u32 i = 0; i < n_missing; ++i) {
            const u32 row = column.packing->row(column.missing.entries[i]);
            column.weights ? node.image.add(column.numbers[row], missing, column.weights[row])
                           : node.image.add(column.numbers[row], missing);
        }
        for (const bool missing_outer : {false, true}) {
            if (missing_outer && n_missing == 0) break;
            each_run(node, column, limits, missing_outer, [&](const Run& run, const PackedList& list) {
                const Feed feed{&column, list, column.weights, nullptr};
                const ExactSum start = missing_outer ? missing : ExactSum{};
                if (feed.weights)
                    NumberSweep<C, true>(node, feed, run, start, limits, sink).run();
                else
                    NumberSweep<C, false>(node, feed, run, start, limits, sink).run();
            });
        }
        if (n_missing == 0 || sink.projected || !keeps_alone(node, n_missing, limits)) return;
        const NumberSides s(node, node.sums - missing);
        if (s.balance() >= limits.min_weight)
            offer_missing_alone(C::gain(s.left, s.right), s.balance(), {s.left, s.right, 0}, sink);
    }

    void class_cuts(const Node& node, const PackedColumn& column, const LeafLimits& limits, const CutSink& sink) const {
        const u32 n_missing = column.missing.size;
        auto& ws = per_thread<Workspace, struct WsHere>();
        const bool two = !kZ && kStatic && !column.weights && node.present.size() == 2;
        if (!two || n_missing) add_missing(node, column, ws);
        if constexpr (kZ) place(node, column, ws);
        if (wild_) return sweep_exact(criterion_, node, column, ws.low_z.data(), limits, sink);
        for (const bool missing_outer : {false, true}) {
            if (missing_outer && n_missing == 0) break;
            set_start(node, missing_outer, ws);
            each_run(node, column, limits, missing_outer, [&](const Run& run, const PackedList& list) {
                const Feed feed{&column, list, column.weights, run.high ? ws.high_z.data() : ws.low_z.data()};
                sweep(node, feed, run, two, ws, limits, sink);
            });
        }
        if (n_missing && !sink.projected && keeps_alone(node, n_missing, limits)) missing_alone(node, limits, ws, sink);
    }

    // The cuts of the lists of a column that keep the limits on rows.
    template <class Sweep>
    void each_run(const Node& node, const PackedColumn& column, const LeafLimits& limits, bool missing_outer,
                  Sweep sweep) const {
        const u32 least = limits.least_rows(target_.weighted()), n_known = node.n_rows - column.missing.size;
        if (node.n_rows < 2 * least) return;
        for (const bool high : {false, true}) {
            const PackedList& list = high ? column.high : column.low;
            Run run;
            run.high = high;
            run.missing_outer = missing_outer;
            run.start_rows = missing_outer ? column.missing.size : 0;
            // outer rows: start + i + 1 >= least; inner rows: n − outer >= least
            run.first = least > run.start_rows + 1 ? least - run.start_rows - 1 : 0;
            const u32 room = node.n_rows - least;
            run.last = room > run.start_rows ? room - run.start_rows : 0;
            run.last = std::min({run.last, list.size, n_known - 1});
            if (run.first < run.last) sweep(run, list);
        }
    }

    void sweep(const Node& node, const Feed& feed, const Run& run, bool two, const Workspace& ws,
               const LeafLimits& limits, const CutSink& sink) const {
        if constexpr (kTogether) return sweep_together(criterion_, node, feed, run, ws.sums, limits, sink);
        if constexpr (!kZ && kStatic) {
            if (two) return sweep_two<C, false>(node, feed, run, ws.sums, limits, sink);
            if (feed.weights && node.present.size() == 2)
                return sweep_two<C, true>(node, feed, run, ws.sums, limits, sink);
        }
        if (feed.weights)
            ManySweep<C, true>(criterion_, node, feed, run, ws.sums, limits, sink).run();
        else
            ManySweep<C, false>(criterion_, node, feed, run, ws.sums, limits, sink).run();
    }

    // Weight of the missing rows of each class.
    void add_missing(const Node& node, const PackedColumn& column, Workspace& ws) const {
        ws.missing_w.assign(node.weights.size(), 0.0);
        for (u32 i = 0; i < column.missing.size; ++i) {
            const u32 row = column.packing->row(column.missing.entries[i]);
            ws.missing_w[column.cls(column.missing.entries[i])] += column.weight(row);
        }
    }

    void set_start(const Node& node, bool missing_outer, Workspace& ws) const {
        Sums& s = ws.sums;
        s.start_total = 0;
        s.start_w.resize(node.weights.size());
        if constexpr (kZ) s.start_z.assign(node.weights.size(), 0.0);  // missing rows sit at the node's mean
        for (u32 c : node.present) {
            s.start_w[c] = missing_outer ? ws.missing_w[c] : 0.0;
            s.start_total += s.start_w[c];
        }
    }

    // Positions of the rows along the column, as distances from a value in its middle, and their sums per class.
    void place(const Node& node, const PackedColumn& column, Workspace& ws) const {
        auto& total = ws.sums.total_z;
        total.assign(node.weights.size(), 0.0);
        ws.low_z.resize(column.low.size);
        ws.high_z.resize(column.high.size);
        const PackedList& any = column.low.size ? column.low : column.high;
        const double origin =
            any.size ? column.column->value(column.packing->row(any.entries[any.size / 2])) : column.mode;
        const std::size_t k = node.weights.size();
        // Lanes, so that equal neighbours do not wait for each other; a short list is done before they pay.
        const u32 lanes = column.low.size + column.high.size < kLongList ? 1 : 4;
        auto& listed = ws.listed;
        listed.assign(k, 0.0);
        ws.lanes.assign(2 * lanes * k, 0.0);
        auto fill = [&](const PackedList& list, std::vector<double>& z) {
            double* at = z.data();
            const Column values = *column.column;
            const Packing packing = *column.packing;
            const double scale = column.scale;
            for (u32 i = 0; i < list.size; ++i) at[i] = (values.value(packing.row(list.entries[i])) - origin) * scale;
            double* sums = ws.lanes.data();
            for (u32 i = 0; i < list.size; ++i) {
                double* to = sums + 2 * ((i & (lanes - 1)) * k + column.cls(list.entries[i]));
                const double wi = column.weight(packing.row(list.entries[i]));
                to[0] += wi;
                to[1] += wi * at[i];
            }
        };
        fill(column.low, ws.low_z);
        fill(column.high, ws.high_z);
        for (u32 lane = 0; lane < lanes; ++lane)
            for (std::size_t c = 0; c < k; ++c) {
                listed[c] += ws.lanes[2 * (lane * k + c)];
                total[c] += ws.lanes[2 * (lane * k + c) + 1];
            }
        double sum = 0, weight = 0;
        const bool elided = column.low.size + column.high.size + column.missing.size < node.n_rows;
        for (u32 c : node.present) {
            if (elided) {  // the rest of the class is at the value that was left out
                const double rest = std::max(0.0, node.weights[c] - listed[c] - ws.missing_w[c]);
                total[c] += rest * (column.mode - origin) * column.scale;
                listed[c] += rest;
            }
            sum += total[c];
            weight += listed[c];
        }
        // Distances are the same about any point; rows without a position sit at the mean.
        if (!wild_ && column.missing.size == 0) return;
        const double mean = weight > 0 ? sum / weight : 0.0;
        for (u32 c : node.present) total[c] -= mean * listed[c];
        for (auto* z : {&ws.low_z, &ws.high_z})
            for (double& x : *z) x -= mean;
    }

    // May the rows without a value stand alone on one side?
    bool keeps_alone(const Node& node, u32 n_missing, const LeafLimits& limits) const {
        return std::min(n_missing, node.n_rows - n_missing) >= limits.least_rows(target_.weighted());
    }

    // Rows with a value to the left, rows without one to the right.
    void missing_alone(const Node& node, const LeafLimits& limits, Workspace& ws, const CutSink& sink) const {
        const std::vector<double> none(node.weights.size(), 0.0);
        SidePair sides;
        const Gain gain = sides.gain(criterion_, node, ws.sums, ws.missing_w, none, true);
        const double balance = std::min(sides.values.left.weight, sides.values.right.weight);
        if (balance >= limits.min_weight) offer_missing_alone(gain, balance, sides.values, sink);
    }

    // Most criteria are functions and nothing else; some are made from the target.
    static C made(const Target& target) {
        if constexpr (std::is_constructible_v<C, const Target&>)
            return C(target);
        else
            return C{};
    }

    const Target& target_;
    bool wild_;
    C criterion_;
    std::conditional_t<C::traits.graph, GraphOf<C>, Nothing> graph_;
    std::conditional_t<C::traits.box_corners, BoundsOf<C>, Nothing> bounds_;
    std::conditional_t<kRankedClasses, RankedClassSearch<C>, Nothing> ranked_classes_;
};

// A criterion that has a twin for targets with costs.
template <class C, class WithCosts>
CriterionPlugin criterion_plugin() {
    CriterionPlugin plugin{C::info(), C::traits, [](const Target& target) -> std::unique_ptr<Scorer> {
                               if (target.costs.empty()) return std::make_unique<CriterionScorer<C>>(target);
                               return std::make_unique<CriterionScorer<WithCosts>>(target);
                           }};
    plugin.traits.costs = true;
    return plugin;
}

template <class C>
CriterionPlugin criterion_plugin() {
    CriterionPlugin plugin{C::info(), C::traits,
                           [](const Target& target) { return std::make_unique<CriterionScorer<C>>(target); }};
    if constexpr (requires(const Params& p) { C::leaf(p); }) plugin.leaf = C::leaf;
    return plugin;
}

}  // namespace bough
