// max_cut: the distance, summed over pairs of rows of different class, that the cut takes apart.
#include <functional>

#include "criteria/bulk.hpp"
#include "criteria/costs.hpp"
#include "criteria/max_cut_along.hpp"
#include "criteria/squared_gini.hpp"
#include "grow/registry.hpp"
#include "score/scorer_of.hpp"

namespace bough {

struct MaxCut {
    static constexpr Traits traits{.projection = true, .graph = true, .degree = 2};
    static Info info() {
        return {"max_cut", "Σ w_i·w_j·|x_i − x_j| over pairs of different class on different sides",
                "Bodine & Hochbaum 2022"};
    }
    template <class R>
    static R impurity(const SideOf<R>& s) {
        return gini_impurity(s);
    }
    // Without positions (nominal columns) two different values are 1 apart.
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        if (l.z.empty()) return pairs_apart(l, r);
        R sum = 0;
        for (std::size_t j = 0; j < l.size(); ++j) sum += l.w[j] * (r.z_total - r.z[j]) - l.z[j] * (r.total - r.w[j]);
        return sum;
    }
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        return pairs_apart(children);
    }
    static Gain unit(const Node&) { return 0; }  // ties are relative to the gain itself

    static void gains(const LeftSides& s, double* out) { pair_gains(s, 1, out); }
    static double edge(const Side& a, const Side& b) { return pairs_apart(a, b); }
    static double edge_scale(const ValueRows&) { return 1; }

    // Moving a row to the outer side adds w·N_c·(r_c − z), where N_c is the weight of all other classes
    // and r_c their mean position. Left of every r_c the cut only grows, right of every r_c it only
    // shrinks: its maximum lies between the least and the greatest r_c, and only there it is followed.
    template <class E>
    static void sweep(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
                      const CutSink& sink) {
        if (feed.weights)
            sweep_window<E, true>(node, feed, run, sums, limits, sink);
        else
            sweep_window<E, false>(node, feed, run, sums, limits, sink);
    }

    static bool along(const Node& node, const Projection& p, const LeafLimits& limits, const CutSink& sink) {
        auto plain = [](const Side& l, const Side& r) { return gain(l, r); };
        return p.weights ? max_cut_along<true>(node, p, limits, sink, plain)
                         : max_cut_along<false>(node, p, limits, sink, plain);
    }

   private:
    struct Scratch {
        std::vector<double> w, z, left_w, left_z, right_w, right_z, others_w, others_z, lanes;
    };

    template <class E, bool kWeighted>
    static void sweep_window(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums,
                             const LeafLimits& limits, const CutSink& sink) {
        const std::size_t k = node.present.size();
        thread_local Scratch scratch;
        auto& [w, z, left_w, left_z, right_w, right_z, others_w, others_z, lanes] = scratch;
        w = sums.start_w;
        z = sums.start_z;
        for (auto* v : {&left_w, &left_z, &right_w, &right_z}) v->resize(k);
        others_w.resize(node.weights.size());
        others_z.resize(node.weights.size());
        double all_z = 0, low = kInf, high = -kInf;
        for (u32 c : node.present) all_z += sums.total_z[c];
        for (u32 c : node.present) {
            others_w[c] = node.total - node.weights[c];
            others_z[c] = all_z - sums.total_z[c];
            low = std::min(low, others_z[c] / others_w[c]);
            high = std::max(high, others_z[c] / others_w[c]);
        }
        const double blur = 1e-9 * (std::fabs(low) + std::fabs(high) + (high - low));
        low -= blur;
        high += blur;

        auto place = [&](double value) {  // entries on the outer side of `value`
            const double* from = feed.z;
            const double* to = from + feed.list.size;
            return static_cast<u32>(
                (run.high ? std::lower_bound(from, to, value, std::greater<>()) : std::lower_bound(from, to, value)) -
                from);
        };
        u32 first = place(run.high ? high : low), last = place(run.high ? low : high);
        first = std::clamp(first > 0 ? first - 1 : 0, run.first, run.last - 1);
        last = std::clamp(last, run.first, run.last - 1);
        while (first > run.first && !feed.separates(first)) --first;
        while (last + 1 < run.last && !feed.separates(last)) ++last;

        auto weight = [&](u32 i) { return kWeighted ? feed.weights[feed.row(i)] : 1.0; };
        add_classes(feed, first, weight, node.weights.size(), w, z, lanes);
        double total = 0;
        for (u32 c : node.present) total += w[c];
        const double sign = run.high ? -1.0 : 1.0;
        double cut = 0;
        for (u32 c : node.present) cut += sign * (w[c] * others_z[c] - z[c] * others_w[c]);
        const double slack = 1e-10 * sink.best->scale();
        double top = sink.best->floor() - slack;
        for (u32 i = first; i <= last; ++i) {
            const u32 c = feed.cls(i);
            const double wi = weight(i), zi = feed.z[i];
            w[c] += wi;
            z[c] += wi * zi;
            total += wi;
            cut += sign * wi * (others_z[c] - zi * others_w[c]);
            if (!(cut >= top) || !feed.separates(i)) continue;
            const double balance = std::min(total, node.total - total);
            if (kWeighted && balance < limits.min_weight) continue;
            for (std::size_t d = 0; d < k; ++d) {
                const u32 p = node.present[d];
                left_w[d] = w[p];
                left_z[d] = z[p];
                right_w[d] = std::max(0.0, node.weights[p] - w[p]);
                right_z[d] = sums.total_z[p] - z[p];
            }
            const Side outer(left_w, left_z), inner(right_w, right_z);
            offer_cut(feed, run, i, run.high ? gain(inner, outer) : gain(outer, inner), balance, sink);
            top = std::max(top, cut - 1e-10 * std::fabs(cut));
        }
    }

    // Adds the first n entries of a list to their classes. Many of them in four lanes that do not wait for
    // each other.
    template <class E, class Weight>
    static void add_classes(const Feed<E>& feed, u32 n, Weight weight, std::size_t k, std::vector<double>& w,
                            std::vector<double>& z, std::vector<double>& lanes) {
        constexpr u32 kLanes = 4, kMany = 256;
        if (n < kMany) {
            for (u32 i = 0; i < n; ++i) {
                const u32 c = feed.cls(i);
                const double wi = weight(i);
                w[c] += wi;
                z[c] += wi * feed.z[i];
            }
            return;
        }
        lanes.assign(k * kLanes * 2, 0.0);
        double* l = lanes.data();
        for (u32 i = 0; i < n; ++i) {
            double* at = l + ((i & (kLanes - 1)) * k + feed.cls(i)) * 2;
            const double wi = weight(i);
            at[0] += wi;
            at[1] += wi * feed.z[i];
        }
        for (std::size_t c = 0; c < k; ++c)
            for (u32 lane = 0; lane < kLanes; ++lane) {
                w[c] += l[(lane * k + c) * 2];
                z[c] += l[(lane * k + c) * 2 + 1];
            }
    }
};

void register_max_cut(Registry& r) { r.criteria.push_back(criterion_plugin<MaxCut, CostMaxCut>()); }

}  // namespace bough
