// superclass: for every split of the classes into two superclasses the best partition for those two,
// judged by their Gini gain. That is the best partition of all for `twoing`, whose value is half of it.
#include "nominal/superclasses.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

// A cut of the order of one superclass, by its left values.
struct Found {
    double gain;  // Gini gain of the two superclasses, times W²/2
    std::vector<u8> left;
};

// Half the two-class Gini gain, for the superclass that suits the partition best: its twoing value.
double twoing_value(const Contingency& t, std::span<const u8> left) {
    Partition p(t);
    p.set(left);
    const Side l = p.left_side(), r = p.right_side();
    double apart = 0;
    for (u32 c = 0; c < t.n_classes; ++c) apart += std::fabs(deviation(l, r, c) / t.total);
    return apart * apart / (4 * l.total * r.total);
}

class Finder {
   public:
    Finder(const Contingency& t, const PartitionSink& sink) : t_(t), sink_(sink), level_(t.n_values) {}

    void visit(std::span<const u32> order, std::span<const double> weight) {
        const u32 n = t_.n_values;
        double all = 0;
        for (double a : weight) all += a;
        const double total = t_.total, share = all / total;
        // d²/(W_L·W_R) with d = a_L − share·W_L is the gain; at most Σ d_v²/w_v, that of one child per value
        double most = 0;
        for (u32 v = 0; v < n; ++v) {
            const double d = weight[v] - share * t_.totals[v];
            most += d * d / t_.totals[v];
        }
        if (most / total < top_ * (1 - kRunning)) return;
        double d = 0, wl = 0, top = 0;
        for (u32 i = 0; i + 1 < n; ++i) {
            const u32 v = order[i];
            d += weight[v] - share * t_.totals[v];
            wl += t_.totals[v];
            level_[i] = d * d / (wl * (total - wl));
            top = level_[i] > top ? level_[i] : top;
        }
        if (top < top_ * (1 - kRunning)) return;
        if (sink_.limited()) top = within_limits(order);
        if (top < 0 || top < top_ * (1 - kRunning)) return;
        if (top > top_) {
            top_ = top;
            std::erase_if(found_, [&](const Found& f) { return f.gain < top_ * (1 - kRunning); });
        }
        for (u32 i = 0; i + 1 < n && found_.size() < kMost; ++i) {
            if (level_[i] < top_ * (1 - kRunning) || level_[i] < 0) continue;
            Found f{level_[i], std::vector<u8>(n, 0)};
            for (u32 j = 0; j <= i; ++j) f.left[order[j]] = 1;
            if (!f.left[0])
                for (auto& x : f.left) x ^= 1;
            const bool known =
                std::any_of(found_.begin(), found_.end(), [&](const Found& g) { return g.left == f.left; });
            if (!known) found_.push_back(std::move(f));
        }
    }

    // Offers the best, and what is equal to it.
    void offer() {
        double best = -kInf;
        for (auto& f : found_) best = std::max(best, f.gain = twoing_value(t_, f.left));
        for (auto& f : found_)
            if (f.gain >= best - kTie * std::max(1.0, best)) sink_.offer(t_, f.left);
        if (sink_.scorer().traits().superclasses && best > -kInf) sink_.prove(best);
    }

   private:
    static constexpr std::size_t kMost = 512;  // ties that are kept

    double within_limits(std::span<const u32> order) {
        double rows = 0, weight = 0, top = -1;
        for (u32 i = 0; i + 1 < t_.n_values; ++i) {
            rows += t_.rows[order[i]];
            weight += t_.totals[order[i]];
            if (!sink_.keeps_limits(t_, rows, weight)) level_[i] = -1;
            top = std::max(top, level_[i]);
        }
        return top;
    }

    const Contingency& t_;
    const PartitionSink& sink_;
    double top_ = 0;
    std::vector<double> level_;
    std::vector<Found> found_;
};

}  // namespace

void search_superclass(const Contingency& t, const PartitionSink& sink, Rng&) {
    if (t.n_classes < 2) return;
    Finder finder(t, sink);
    each_superclass(t, sink,
                    [&](std::span<const u32> order, std::span<const double> weight) { finder.visit(order, weight); });
    finder.offer();
}

void register_superclass(Registry& r) {
    FamilyPlugin plugin = nominal_plugin(
        {"superclass", "the best partition over all ways to merge the classes into two superclasses; exact for twoing",
         "Breiman et al. 1984 (CART)"},
        search_superclass, false, Needs::classes);
    r.nominal.push_back(checked(std::move(plugin), [](const Problem& p) { check_superclasses(p, "superclass"); }));
}

}  // namespace bough
