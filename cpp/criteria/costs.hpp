// Criteria in which pairs of rows of two classes weigh what it costs to mix these classes (Target::costs,
// symmetric, 0 on the diagonal). With equal costs they are gini, squared_gini and max_cut. A general
// cost makes none of them convex, so no shortcut that needs it is taken.
#pragma once

#include "criteria/impurity.hpp"
#include "data/target.hpp"
#include "score/feed.hpp"

namespace bough {

class Costs {
   public:
    explicit Costs(const Target& target) : k_(target.n_classes), c_(target.costs.begin(), target.costs.end()) {}

    double operator()(u32 a, u32 b) const { return c_[std::size_t{a} * k_ + b]; }
    // Σ cost(a, b)·l_a·r_b: the cost of all pairs between two sides.
    template <class R>
    R between(const SideOf<R>& l, const SideOf<R>& r) const {
        R sum = 0;
        for (std::size_t i = 0; i < l.size(); ++i) {
            R row = 0;
            for (std::size_t j = 0; j < r.size(); ++j) row += static_cast<R>((*this)(l.id(i), r.id(j))) * r.w[j];
            sum += l.w[i] * row;
        }
        return sum;
    }
    // The generalised Gini impurity: the mean cost of two rows of a side.
    template <class R>
    R impurity(const SideOf<R>& s) const {
        return s.total > 0 ? between(s, s) / (s.total * s.total) : R(0);
    }
    Gain impurity(const Node& node) const {
        const WholeNode whole(node);
        return impurity(whole.side().of(node.present));
    }
    // Per class of the table: Σ over the present classes of cost·x.
    void times(const Node& node, const std::vector<double>& x, std::vector<double>& out) const {
        out.assign(node.weights.size(), 0.0);
        for (u32 a : node.present)
            for (u32 b : node.present) out[a] += (*this)(a, b) * x[b];
    }

   private:
    u32 k_;
    std::vector<double> c_;
};

// Follows a list and offers every cut that may win. `step(class, weight, position)` moves an entry to the
// outer side, `value(outer weight)` is then the gain up to rounding, `gain(left, right)` the plain one.
template <bool kZ, class E, class Step, class Value, class Plain>
void follow(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
            const CutSink& sink, Step step, Value value, Plain gain) {
    const std::size_t k = node.present.size();
    std::vector<double> w = sums.start_w, z = kZ ? sums.start_z : std::vector<double>();
    std::vector<double> left_w(k), right_w(k), left_z(kZ ? k : 0), right_z(kZ ? k : 0);
    double outer = sums.start_total;
    double top = -kInf;
    for (u32 i = 0; i < run.last; ++i) {
        const u32 c = feed.cls(i);
        const double wi = feed.weights ? feed.weights[feed.row(i)] : 1.0, zi = kZ ? feed.z[i] : 0.0;
        w[c] += wi;
        if constexpr (kZ) z[c] += wi * zi;
        outer += wi;
        step(c, wi, zi);
        if (i < run.first || !feed.separates(i)) continue;
        const double v = value(outer);
        const double slack = 1e-9 * std::max(sink.best->scale(), std::fabs(v));
        if (v < std::max(top, sink.best->floor()) - slack) continue;
        const double balance = std::min(outer, node.total - outer);
        if (feed.weights && balance < limits.min_weight) continue;
        top = std::max(top, v);
        for (std::size_t d = 0; d < k; ++d) {
            const u32 p = node.present[d];
            left_w[d] = w[p];
            right_w[d] = std::max(0.0, node.weights[p] - w[p]);
            if constexpr (kZ) {
                left_z[d] = z[p];
                right_z[d] = sums.total_z[p] - z[p];
            }
        }
        const Side a = (kZ ? Side(left_w, left_z) : Side(left_w)).of(node.present);
        const Side b = (kZ ? Side(right_w, right_z) : Side(right_w)).of(node.present);
        offer_cut(feed, run, i, run.high ? gain(b, a) : gain(a, b), balance, sink);
    }
}

// Σ cost·l_a·l_b (`inside`) and Σ cost·l_a·n_b (`across`) of the outer side, kept row by row.
class CostSums {
   public:
    CostSums(const Costs& costs, const Node& node, const Sums& sums) : costs_(costs), node_(node) {
        costs.times(node, sums.start_w, toward_);
        costs.times(node, node.weights, all_);
        for (u32 c : node.present) {
            inside += sums.start_w[c] * toward_[c];
            across += sums.start_w[c] * all_[c];
            whole += node.weights[c] * all_[c];
        }
    }
    void move(u32 c, double w) {
        inside += 2 * w * toward_[c];
        across += w * all_[c];
        for (u32 d : node_.present) toward_[d] += w * costs_(d, c);
    }
    double inside = 0, across = 0, whole = 0;

   private:
    const Costs& costs_;
    const Node& node_;
    std::vector<double> toward_, all_;
};

struct CostGini {
    static constexpr Traits traits{.convex_for_two = true};
    static constexpr double perfect = 1;
    Costs costs;
    explicit CostGini(const Target& target) : costs(target) {}

    template <class R>
    R impurity(const SideOf<R>& s) const {
        return costs.impurity(s);
    }
    // A quadratic form Q of class shares decreases by −Q(deviation)/(W_L·W_R): nothing cancels.
    template <class R>
    R gain(const SideOf<R>& l, const SideOf<R>& r) const {
        const R n = l.total + r.total;
        std::vector<R> d(l.size());
        for (std::size_t j = 0; j < l.size(); ++j) d[j] = deviation(l, r, j) / n;
        const SideOf<R> apart = SideOf<R>(std::span<const R>(d)).of(l.classes);
        return -costs.between(apart, apart) / (l.total * r.total);
    }
    template <class R>
    R gain_of_many(std::span<const SideOf<R>> children) const {
        return impurity_decrease(children,
                                 [&](const SideOf<R>& s) { return costs.impurity(s.of(children[0].classes)); });
    }
    Gain unit(const Node& node) const { return costs.impurity(node); }
    template <class E>
    void sweep(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
               const CutSink& sink) const {
        CostSums s(costs, node, sums);
        auto value = [&](double wl) {
            const double wr = node.total - wl, rest = s.whole - 2 * s.across + s.inside;
            return (s.whole / node.total - s.inside / wl - rest / wr) / node.total;
        };
        follow<false>(
            node, feed, run, sums, limits, sink, [&](u32 c, double w, double) { s.move(c, w); }, value,
            [&](const Side& l, const Side& r) { return gain(l, r); });
    }
};

struct CostSquaredGini {
    static constexpr Traits traits{.graph = true};
    static constexpr double perfect = 1;
    Costs costs;
    explicit CostSquaredGini(const Target& target) : costs(target) {}

    template <class R>
    R impurity(const SideOf<R>& s) const {
        return costs.impurity(s);
    }
    template <class R>
    R gain(const SideOf<R>& l, const SideOf<R>& r) const {
        const R n = l.total + r.total;
        return 2 * costs.between(l, r) / (n * n);
    }
    template <class R>
    R gain_of_many(std::span<const SideOf<R>> children) const {
        return gain_of_pairs(
            children, [&](const SideOf<R>& a, const SideOf<R>& b) { return 2 * costs.between(a, b); }, true);
    }
    // Adds up all pairs of children; as a share of all pairs of rows if asked for.
    template <class R, class Pair>
    static R gain_of_pairs(std::span<const SideOf<R>> children, Pair pair, bool share) {
        R sum = 0, n = 0;
        for (std::size_t i = 0; i < children.size(); ++i) {
            n += children[i].total;
            for (std::size_t j = 0; j < i; ++j) sum += pair(children[i], children[j]);
        }
        return share ? sum / (n * n) : sum;
    }
    Gain unit(const Node& node) const { return costs.impurity(node); }
    double edge(const Side& a, const Side& b) const { return costs.between(a, b); }
    static double edge_scale(const ValueRows& t) { return 2 / (t.total * t.total); }
    template <class E>
    void sweep(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
               const CutSink& sink) const {
        CostSums s(costs, node, sums);
        follow<false>(
            node, feed, run, sums, limits, sink, [&](u32 c, double w, double) { s.move(c, w); },
            [&](double) { return 2 * (s.across - s.inside) / (node.total * node.total); },
            [&](const Side& l, const Side& r) { return gain(l, r); });
    }
};

struct CostMaxCut {
    static constexpr Traits traits{.projection = true, .graph = true, .degree = 2};
    Costs costs;
    explicit CostMaxCut(const Target& target) : costs(target) {}

    template <class R>
    R impurity(const SideOf<R>& s) const {
        return costs.impurity(s);
    }
    template <class R>
    R gain(const SideOf<R>& l, const SideOf<R>& r) const {
        if (l.z.empty()) return costs.between(l, r);
        const SideOf<R> lz = SideOf<R>(l.z).of(l.classes), rz = SideOf<R>(r.z).of(r.classes);
        return costs.between(l, rz) - costs.between(lz, r);
    }
    template <class R>
    R gain_of_many(std::span<const SideOf<R>> children) const {
        return CostSquaredGini::gain_of_pairs(
            children, [&](const SideOf<R>& a, const SideOf<R>& b) { return costs.between(a, b); }, false);
    }
    static Gain unit(const Node&) { return 0; }  // ties are relative to the gain itself
    double edge(const Side& a, const Side& b) const { return costs.between(a, b); }
    static double edge_scale(const ValueRows&) { return 1; }
    // Moving a row to the left adds w·Σ_b cost·n_b·(mean_b − z).
    template <class E>
    void sweep(const Node& node, const Feed<E>& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
               const CutSink& sink) const {
        std::vector<double> others_w, others_z;
        costs.times(node, node.weights, others_w);
        costs.times(node, sums.total_z, others_z);
        const double sign = run.high ? -1.0 : 1.0;
        double cut = 0;
        for (u32 c : node.present) cut += sign * (sums.start_w[c] * others_z[c] - sums.start_z[c] * others_w[c]);
        follow<true>(
            node, feed, run, sums, limits, sink,
            [&](u32 c, double w, double z) { cut += sign * w * (others_z[c] - z * others_w[c]); },
            [&](double) { return cut; }, [&](const Side& l, const Side& r) { return gain(l, r); });
    }
};

}  // namespace bough
