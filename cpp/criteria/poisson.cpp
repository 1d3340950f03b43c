// poisson: decrease of half the mean Poisson deviance of a target of counts or rates.
#include "base/xlogx.hpp"
#include "grow/registry.hpp"
#include "score/criterion_scorer.hpp"
#include "score/ranked_numbers_search.hpp"

namespace bough {

namespace {

// (1 + t)·log(1 + t) − t: what a side costs whose mean is 1 + t times the mean of its node, for each unit of that mean.
template <class R>
R relative_cost(R t) {
    if (!(t > -1)) return 1;  // nothing but zeros
    if (std::fabs(t) > R(0.03)) return (1 + t) * std::log1p(t) - t;
    R sum = 0, power = t * t;
    for (int k = 2; k < 14; ++k, power *= -t) sum += power / R(k * (k - 1));
    return sum;
}

double half_deviance(double y, double predicted) {
    return predicted > 0 ? predicted * relative_cost(y / predicted - 1) : 0.0;
}

}  // namespace

struct Poisson {
    static constexpr Traits traits{.regression = true, .convex = true};
    static Info info() {
        return {"poisson", "decrease of half the Poisson deviance, for non-negative counts and rates",
                "Breiman et al. 1984; scikit-learn"};
    }
    static LeafRule leaf(const Params&) { return {.loss = half_deviance}; }
    template <class R>
    static R impurity(const SideOf<R>&) {
        return 0;  // needs the loss, which a side does not keep: see Node::loss
    }
    template <class R>
    static R gain(const SideOf<R>& l, const SideOf<R>& r) {
        const SideOf<R> sides[2] = {l, r};
        return gain_of_many(std::span<const SideOf<R>>(sides));
    }
    // No child may hold zeros only: its prediction would give every other number no chance at all.
    template <class R>
    static R gain_of_many(std::span<const SideOf<R>> children) {
        R sum = 0, total = 0, z = 0;
        for (const auto& c : children) total += c.total, z += c.z_total;
        const R shift = z / total, mean = children[0].origin + shift;  // of the children together
        for (const auto& c : children) {
            const R t = (c.z_total - c.total * shift) / (c.total * mean);
            if (!(1 + t > kRunning)) return -static_cast<R>(kInf);
            sum += c.total / total * mean * relative_cost(t);
        }
        return sum;
    }
    static Gain unit(const Node& node) { return node.total > 0 ? node.loss / node.total : 0; }

    // A side that weighs w of the node's total, x being the sum of its distances from the node's mean.
    struct Numbers {
        static constexpr bool costly = true;
        explicit Numbers(const Node& node) : total(node.total), mean(node.mean) {}
        static double slack(double unit) { return kRunning * unit; }
        double operator()(double x, double w) const {
            const double l = w * mean, r = (total - w) * mean;
            if (!(l + x > kRunning * l && r - x > kRunning * r)) return -kInf;
            return (cost(x, l) + cost(-x, r)) / total;
        }
        // The cost of a side is at most x²/(2·w·mean) if its mean is above the node's, x²/(2·w·mean + x) if below; both
        // are convex in x and w.
        double most(double x, double w) const {
            const double up = x > 0 ? x : 0.0, down = x < 0 ? x : 0.0, v = total - w;
            return x * x / (2 * w * mean + down) + x * x / (2 * v * mean - up);
        }
        double excess(double x, double w, double floor) const { return most(x, w) - floor * total; }
        bool may_reach(double down, double up, double low, double high, double floor) const {
            if (2 * low * mean + down <= 0 || 2 * (total - high) * mean - up <= 0) return true;
            const double top = std::max({most(down, low), most(down, high), most(up, low), most(up, high)});
            return !(top < floor * total);
        }

       private:
        // t = x/m, fast.
        static double cost(double x, double m) {
            constexpr double kLn2 = 0.6931471805599453;
            const double t = x / m;
            if (std::fabs(t) > 0.03) return m * ((1 + t) * (kLn2 * fast_log2(1 + t)) - t);
            return m * t * t *
                   (1 / 2.0 -
                    t * (1 / 6.0 - t * (1 / 12.0 - t * (1 / 20.0 - t * (1 / 30.0 - t * (1 / 42.0 - t / 56))))));
        }
        double total, mean;
    };
};

void register_poisson(Registry& r) { r.criteria.push_back(criterion_plugin<Poisson>()); }

}  // namespace bough
