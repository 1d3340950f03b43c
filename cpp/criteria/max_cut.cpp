// max_cut: the distance, summed over pairs of rows of different class, that the cut takes apart.
#include "criteria/bulk.hpp"
#include "criteria/costs.hpp"
#include "criteria/squared_gini.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"

namespace bough {

struct MaxCut : FromGini {
    static constexpr Traits traits{.projection = true, .graph = true, .degree = 2};
    static Info info() {
        return {"max_cut", "Σ w_i·w_j·|x_i − x_j| over pairs of different class on different sides",
                "Bodine & Hochbaum 2022"};
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

    // Moving a row to the outer side adds w·N_c·(r_c − z), where N_c is the weight of all other classes and r_c
    // their mean position. Left of every r_c the cut only grows, right of every r_c it only shrinks.
    template <class Num>
    struct Many : CutMany {
        Many(const Node& node, const Sums& sums, bool high) : CutMany(node, sums, high) {
            double all_z = 0;
            for (u32 c : node.present) all_z += sums.total_z[c];
            for (u32 c : node.present) slots[c] = {node.total - node.weights[c], all_z - sums.total_z[c]};
            start(sums.start_w, sums.start_z);
        }
        std::pair<double, double> window() const {
            double low = kInf, high = -kInf;
            for (u32 c : node->present) {
                low = std::min(low, slots[c].z / slots[c].w);
                high = std::max(high, slots[c].z / slots[c].w);
            }
            return {low, high};
        }
    };
};

void register_max_cut(Registry& r) { r.criteria.push_back(criterion_plugin<MaxCut, CostMaxCut>()); }

}  // namespace bough
