// Criteria in which pairs of rows of two classes weigh what it costs to mix these classes (Target::costs,
// symmetric, 0 on the diagonal). With equal costs they are gini, squared_gini and max_cut. A general
// cost makes none of them convex, so no shortcut that needs it is taken.
#pragma once

#include "criteria/impurity.hpp"
#include "criteria/squared_gini.hpp"
#include "data/target.hpp"

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
        const BothSides whole(node);
        return impurity(whole.side().of(node.present));
    }

   private:
    u32 k_;
    std::vector<double> c_;
};

// Σ cost·l_a·l_b (`inside`) and Σ cost·l_a·n_b (`across`) of the outer side, kept row by row.
struct CostSums {
    static double slack(double unit) { return kRunning * unit; }
    static constexpr bool costly = true;
    using Word = double;
    CostSums(const Costs& c, const Node& n, const Sums& sums) : costs(&c), node(&n), slots(slots_for<Slot>(n)) {
        for (u32 a : n.present) {
            slots[a] = {0, 0, sums.start_w[a]};
            for (u32 b : n.present) {
                slots[a].toward += c(a, b) * sums.start_w[b];
                slots[a].all += c(a, b) * n.weights[b];
            }
            inside += sums.start_w[a] * slots[a].toward;
            across += sums.start_w[a] * slots[a].all;
            whole += n.weights[a] * slots[a].all;
        }
    }
    template <class Num>
    void move(u32 c, Num weight) {
        const double w = static_cast<double>(weight);
        inside += 2 * w * slots[c].toward;
        across += w * slots[c].all;
        slots[c].outer += w;
        for (u32 d : node->present) slots[d].toward += w * (*costs)(d, c);
    }
    double outer(u32 c) const { return slots[c].outer; }
    void put(double& a, double& b) const {
        a = inside;
        b = across;
    }

   protected:
    struct Slot {
        double toward, all, outer;
    };
    const Costs* costs;
    const Node* node;
    Slot* slots;
    double inside = 0, across = 0, whole = 0;
};

struct FromCosts {
    Costs costs;
    explicit FromCosts(const Target& target) : costs(target) {}
    template <class R>
    R impurity(const SideOf<R>& s) const {
        return costs.impurity(s);
    }
    Gain unit(const Node& node) const { return costs.impurity(node); }
};

struct CostGini : FromCosts {
    static constexpr Traits traits{.convex_for_two = true, .perfect = 1};
    using FromCosts::FromCosts;
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
    template <class Num>
    struct Many : CostSums {
        Many(const CostGini& c, const Node& n, const Sums& sums, bool) : CostSums(c.costs, n, sums) {}
        double value(double a, double b, double wl) const {
            const double total = node->total, rest = whole - 2 * b + a;
            return (whole / total - a / wl - rest / (total - wl)) / total;
        }
    };
};

struct CostSquaredGini : FromCosts {
    static constexpr Traits traits{.graph = true, .perfect = 1};
    using FromCosts::FromCosts;
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
    double edge(const Side& a, const Side& b) const { return costs.between(a, b); }
    static double edge_scale(const ValueRows& t) { return 2 / (t.total * t.total); }
    template <class Num>
    struct Many : CostSums {
        Many(const CostSquaredGini& c, const Node& n, const Sums& sums, bool) : CostSums(c.costs, n, sums) {}
        double value(double a, double b, double) const { return 2 * (b - a) / (node->total * node->total); }
    };
};

struct CostMaxCut : FromCosts {
    static constexpr Traits traits{.projection = true, .graph = true, .degree = 2};
    using FromCosts::FromCosts;
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
    template <class Num>
    struct Many : CutMany {
        Many(const CostMaxCut& c, const Node& n, const Sums& sums, bool high) : CutMany(n, sums, high) {
            for (u32 a : n.present) {
                slots[a] = {0, 0};
                for (u32 b : n.present) {
                    slots[a].w += c.costs(a, b) * n.weights[b];
                    slots[a].z += c.costs(a, b) * sums.total_z[b];
                }
            }
            start(sums.start_w, sums.start_z);
        }
    };
};

}  // namespace bough
