// k_means: each value goes to the side whose class shares are nearer, by the divergence that belongs to
// the criterion, until none moves. A descent: it starts from the best cut of `largest_class_alone` and
// `list_scheduling`, and keeps the guarantee of the first.
#include "nominal/superclasses.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

// w·(divergence of a value from a side), up to what depends on the value only.
double distance(std::span<const double> value, double weight, const Side& side, Divergence kind) {
    double sum = 0;
    for (std::size_t c = 0; c < value.size(); ++c) {
        const double p = value[c] / weight, q = side.w[c] / side.total;
        if (kind == Divergence::squared)
            sum += (p - q) * (p - q);
        else if (p > 0)
            sum -= q > 0 ? p * std::log2(q) : -kInf;
    }
    return sum;
}

}  // namespace

void search_k_means(const Contingency& t, const PartitionSink& sink, Rng&) {
    const Divergence kind = sink.scorer().traits().divergence;
    Scan scan(t, sink);
    std::vector<u8> left(t.n_values, 0);
    double top = -kInf;
    for (const auto& classes : {largest_class(t), balanced_classes(t)}) {
        SuperclassOrder super(t);
        const auto order = super.of(classes);
        scan.offer_cuts(order);  // the start counts too, if the descent ends outside the limits
        const auto gains = scan.cuts(order);
        const u32 best = static_cast<u32>(std::max_element(gains.begin(), gains.end()) - gains.begin());
        if (!(gains[best] > top)) continue;
        top = gains[best];
        std::fill(left.begin(), left.end(), 0);
        for (u32 i = 0; i <= best; ++i) left[order[i]] = 1;
    }
    if (!(top > -kInf)) return;
    Partition p(t);
    for (u32 round = 0; round < 10000; ++round) {  // each round lowers the impurity: it ends long before
        sink.poll();
        p.set(left);
        const Side l = p.left_side(), r = p.right_side();
        bool moved = false;
        u32 n_left = 0;
        for (u32 v = 0; v < t.n_values; ++v) {
            const double a = distance(t.of(v), t.totals[v], l, kind), b = distance(t.of(v), t.totals[v], r, kind);
            const u8 to = std::fabs(a - b) <= kTie * (1 + std::fabs(a)) || (a == kInf && b == kInf) ? left[v] : a < b;
            moved |= to != left[v];
            left[v] = to;
            n_left += to;
        }
        if (!moved || n_left == 0 || n_left == t.n_values) break;
    }
    sink.offer(t, left);
    prove_ratio(t, sink, 2, 3);
}

void register_k_means(Registry& r) {
    r.nominal.push_back(nominal_plugin(
        {"k_means", "each category to the side whose class shares are nearer, until none moves", "Chou 1991"},
        search_k_means, false, Needs::divergence));
}

}  // namespace bough
