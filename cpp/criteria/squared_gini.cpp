// squared_gini: the weight of pairs of different class that a cut takes apart, as a share of all.
#include "criteria/squared_gini.hpp"
#include "criteria/bulk.hpp"
#include "criteria/costs.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct SquaredGini : FromGini {
    // The cut is linear in every single class count: over a box its maximum is at a corner.
    static constexpr Traits traits{.box_corners = true, .graph = true, .perfect = 1};
    static Info info() {
        return {"squared_gini", "Gini(S) − p_L²·Gini(L) − p_R²·Gini(R): max_cut with all distances 1",
                "Mello Pereira 2018, Lemma 9"};
    }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        const R n = l.total + r.total;
        return 2 * pairs_apart(l, r) / (n * n);
    }
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        const std::vector<R> all = joined(children);
        const R n = SideOf<R>(std::span<const R>(all)).total;
        return 2 * pairs_apart(children) / (n * n);
    }

    static void gains(const LeftSides& s, double* out) { pair_gains(s, 2 / (s.total * s.total), out); }
    static double edge(const Side& a, const Side& b) { return pairs_apart(a, b); }
    static double edge_scale(const ValueRows& t) { return 2 / (t.total * t.total); }

    template <bool>
    struct Two {
        static double slack(double unit) { return kClosedForm * unit; }
        double n0, n1, scale;
        Two(double zeros, double ones) : n0(zeros), n1(ones), scale(2 / ((n0 + n1) * (n0 + n1))) {}
        double operator()(double l1, double nl) const {
            const double l0 = nl - l1;
            return scale * (l0 * (n1 - l1) + l1 * (n0 - l0));
        }
    };
    // Keeps Σ l_c·r_c.
    template <class Num>
    struct Many {
        static double slack(double unit) { return kRunning * unit + kRunningFloor; }
        static constexpr bool costly = false;
        using Word = double;
        Many(const Node& node, const Sums& sums, bool)
            : slots(slots_for<Slot>(node)), total(node.total), scale(2 / (node.total * node.total)) {
            for (u32 c : node.present) {
                slots[c] = {sums.start_w[c], node.weights[c] - sums.start_w[c]};
                alike += slots[c].outer * slots[c].inner;
            }
        }
        void move(u32 c, Num weight) {
            const double w = static_cast<double>(weight);
            Slot s = slots[c];
            alike += w * (s.inner - s.outer - w);
            slots[c] = {s.outer + w, s.inner - w};
        }
        double outer(u32 c) const { return slots[c].outer; }
        void put(double& a, double& b) const {
            a = alike;
            b = 0;
        }
        double value(double a, double, double wl) const { return scale * (wl * (total - wl) - a); }

       private:
        struct Slot {
            double outer, inner;
        };
        Slot* slots;
        double total, scale;
        double alike = 0;
    };
};

void register_squared_gini(Registry& r) { r.criteria.push_back(criterion_plugin<SquaredGini, CostSquaredGini>()); }

}  // namespace bough
