// twoing: how differently the two sides mix the classes, for two sides of equal weight most.
#include "base/per_thread.hpp"
#include "criteria/bulk.hpp"
#include "criteria/gini.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct Twoing : FromGini {
    static constexpr Traits traits{
        .multiway = false, .convex = true, .superclasses = true, .box_corners = true, .perfect = 0.5};
    static Info info() { return {"twoing", "¼·p_L·p_R·(Σ |p_jL − p_jR|)²", "Breiman et al. 1984 (CART)"}; }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        const R n = l.total + r.total;
        R sum = 0;
        for (std::size_t j = 0; j < l.size(); ++j) sum += std::fabs(deviation(l, r, j) / n);
        return sum * sum / (4 * l.total * r.total);
    }
    static double relaxed(const double* low, const double* high, const double* all, u32 k, bool counts) {
        return over_intervals(low, high, all, k, counts ? 1.0 : 0.0, [&](double from, double to, double n) {
            double sum = 0;
            for (u32 c = 0; c < k; ++c)
                sum += std::max(std::fabs(n * high[c] - all[c] * from), std::fabs(n * low[c] - all[c] * to));
            return sum * sum / (4 * n * n * std::min(from * (n - from), to * (n - to)));
        });
    }

    static void gains(const LeftSides& s, double* out) { twoing_gains(s, out); }

    template <bool>
    struct Two : GiniTwo {  // with two classes, half the Gini gain
        using GiniTwo::GiniTwo;
        double operator()(double l1, double nl) const { return 0.5 * GiniTwo::operator()(l1, nl); }
        double level(double floor) const { return GiniTwo::level(2 * floor); }
    };

    // Keeps D_j = l_j·W − n_j·W_L of every present class.
    template <class Num>
    struct Many {
        static double slack(double unit) { return kRunning * unit + kRunningFloor; }
        static constexpr bool costly = true;
        using Word = double;
        Many(const Node& node, const Sums& sums, bool)
            : state(&workspace()),
              size(static_cast<u32>(node.present.size())),
              total(node.total),
              scale(0.25 / (node.total * node.total)),
              wl(sums.start_total) {
            state->place.resize(node.weights.size());
            state->outer.resize(size);
            state->all.resize(size);
            for (u32 d = 0; d < size; ++d) {
                const u32 c = node.present[d];
                state->place[c] = d;
                state->outer[d] = sums.start_w[c];
                state->all[d] = node.weights[c];
            }
        }
        void move(u32 c, Num w) {
            state->outer[state->place[c]] += static_cast<double>(w);
            wl += static_cast<double>(w);
        }
        double outer(u32 c) const { return state->outer[state->place[c]]; }
        void put(double& a, double& b) const {
            const double* l = state->outer.data();
            const double* n = state->all.data();
            double sum = 0;
            for (u32 d = 0; d < size; ++d) sum += std::fabs(l[d] * total - n[d] * wl);
            a = sum;
            b = 0;
        }
        double value(double a, double, double outer_weight) const {
            return scale * a * a / (outer_weight * (total - outer_weight));
        }
        double bound(const Node& node, const u32* moves, double outer_weight, u32 count) const {
            double sum = 0;
            for (u32 c : node.present)
                sum += most_deviation(outer(c), node.counts[c], moves[c], outer_weight, count, total);
            return scale * sum * sum / least_product(outer_weight, count, total);
        }
        void skip(const Node& node, const u32* moves) {
            for (u32 c : node.present) move(c, moves[c]);
        }

       private:
        struct State {
            std::vector<u32> place;
            std::vector<double> outer, all;
        };
        static State& workspace() {
            auto& s = per_thread<State, struct SHere>();
            return s;
        }
        State* state;
        u32 size;
        double total, scale, wl;
    };
};

void register_twoing(Registry& r) { r.criteria.push_back(criterion_plugin<Twoing>()); }

}  // namespace bough
