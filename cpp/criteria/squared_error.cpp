// squared_error: decrease of the variance of a numeric target.
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"
#include "score/ranked_numbers_search.hpp"

namespace bough {

struct SquaredError {
    static constexpr Traits traits{.regression = true, .convex = true};
    static Info info() {
        return {"squared_error", "decrease of the mean squared error (variance)", "Breiman et al. 1984 (CART)"};
    }
    template <class R>
    static R impurity(const SideOf<R>&) {
        return 0;  // needs squares, which a side does not keep: see Node::spread
    }
    // p_L·p_R·(mean_L − mean_R)²
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        const R n = l.total + r.total;
        const R d = (l.z_total / l.total - r.z_total / r.total);
        return (l.total / n) * (r.total / n) * d * d;
    }
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        R n = 0, z = 0, sum = 0;
        for (const auto& c : children) n += c.total, z += c.z_total;
        for (const auto& c : children) {
            const R d = c.z_total / c.total - z / n;
            sum += c.total / n * d * d;
        }
        return sum;
    }
    static Gain unit(const Node& node) { return node.total > 0 ? node.spread / node.total : 0; }

    // A side that weighs w of the node's total, x being the sum of its distances from the node's mean.
    struct Numbers {
        explicit Numbers(const Node& node) : total(node.total) {}
        static double slack(double unit) { return kRunning * unit; }
        double operator()(double x, double w) const { return x * x / (w * (total - w)); }
        static double factor(double w, double total) { return 1 / (w * (total - w)); }  // of x²
        // Of all sums and weights between these.
        bool may_reach(double down, double up, double low, double high, double floor) const {
            const double least = std::min(low * (total - low), high * (total - high));
            return !(std::max(up * up, down * down) < floor * least);
        }
        double excess(double x, double w, double floor) const { return x * x - floor * (w * (total - w)); }

       private:
        double total;
    };
};

void register_squared_error(Registry& r) { r.criteria.push_back(criterion_plugin<SquaredError>()); }

}  // namespace bough
