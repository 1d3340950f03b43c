// lda: discriminant coordinates. Components of the pooled within-class covariance that are near singular are
// dropped; in what is left, with that covariance as the unit, the principal axes of the class means are the
// directions. For a number to predict it is the direction of least squares, which for two classes is the same.
#include <algorithm>

#include "base/scale.hpp"
#include "base/slack.hpp"
#include "directions/components.hpp"

namespace bough {

namespace {

// Columns that vary, divided by their deviation: what is near singular does not depend on units.
struct Scaled {
    u32 all = 0, groups = 0, d = 0;
    std::vector<u32> columns;
    std::vector<double> deviations;
    std::vector<double> means;   // groups × d, so that their squares are what the classes weigh; see measure()
    std::vector<double> within;  // d × d, the covariance about the class means

    void keep(u32 column, double deviation, double mean) {
        if (!(deviation > kOfMean * std::fabs(mean)) || !std::isfinite(deviation)) return;
        columns.push_back(column);
        deviations.push_back(deviation);
        ++d;
    }
};

class Discriminant {
   public:
    Discriminant(DirectionNode& node, Scaled scaled, double share)
        : node_(node), s_(std::move(scaled)), share_(share), budget_(node.problem.budget) {}

    void offer() {
        if (s_.d > 0) offer_coordinates();
        if (found_) return;
        // Classes with the same mean have no discriminant coordinates: the columns themselves are tried.
        std::vector<double> axes(std::size_t{s_.all} * s_.all, 0.0);
        for (u32 c = 0; c < s_.all; ++c) axes[std::size_t{c} * s_.all + c] = 1;
        node_.offer(axes);
    }

   private:
    void offer_coordinates() {
        const u32 d = s_.d;
        const auto [values, vectors] = linalg::eigen(std::move(s_.within), d, *budget_);
        const double top = std::max(values[0], 0.0);
        const bool any = top > kWithin;  // else every class is one point
        std::vector<double> kept, null;
        for (u32 e = 0; e < d; ++e) {
            const double* v = vectors.data() + std::size_t{e} * d;
            if (any && values[e] > std::max(share_, kWithin) * top)
                for (u32 c = 0; c < d; ++c) kept.push_back(v[c] / std::sqrt(values[e]));
            else if (!any || values[e] <= kWithin * top)
                null.insert(null.end(), v, v + d);
        }
        offer_in(kept, kSameMeans);
        // Where classes differ and nothing varies inside them, they are told apart perfectly.
        offer_in(null, kWithin * d);
    }

    void offer_in(const std::vector<double>& basis, double least) {
        if (basis.empty()) return;
        const u32 d = s_.d, q = static_cast<u32>(basis.size() / d);
        std::vector<double> m(std::size_t{s_.groups} * q, 0.0);
        for (u32 g = 0; g < s_.groups; ++g, budget_->poll())
            for (u32 j = 0; j < q; ++j)
                for (u32 c = 0; c < d; ++c)
                    m[std::size_t{g} * q + j] += s_.means[std::size_t{g} * d + c] * basis[std::size_t{j} * d + c];
        double most = 0;
        for (u32 g = 0; g < s_.groups; ++g) {
            double square = 0;
            for (u32 j = 0; j < q; ++j) square += m[std::size_t{g} * q + j] * m[std::size_t{g} * q + j];
            most = std::max(most, square);
        }
        if (!(most > least)) return;
        // The means are about the node's: their principal components are the axes along which they differ.
        const std::vector<double> axes = components(m.data(), s_.groups, q, 0, budget_, kBetween);
        const std::size_t n = axes.size() / q;
        std::vector<double> directions(n * s_.all, 0.0);
        for (std::size_t f = 0; f < n; ++f)
            for (u32 j = 0; j < q; ++j)
                for (u32 c = 0; c < d; ++c)
                    directions[f * s_.all + s_.columns[c]] +=
                        axes[f * q + j] * basis[std::size_t{j} * d + c] / s_.deviations[c];
        found_ |= n > 0;
        node_.offer(directions);
    }

    DirectionNode& node_;
    Scaled s_;
    double share_;
    Budget* budget_;
    bool found_ = false;
};

// Class means (for numbers: the covariance with the target) and the covariance about them.
void measure(const DirectionNode& node, const NodeMatrix& x, Scaled& s) {
    const bool numbers = node.problem.target->regression();
    const u32 d = s.d;
    std::vector<u32> place(node.node.weights.size(), 0);
    for (u32 g = 0; g < node.node.present.size(); ++g) place[node.node.present[g]] = g;
    std::vector<double> scaled(std::size_t{x.n} * d), weight(s.groups, 0.0);
    for (u32 i = 0; i < x.n; ++i)
        for (u32 c = 0; c < d; ++c) scaled[std::size_t{i} * d + c] = x.row(i)[s.columns[c]] / s.deviations[c];
    s.means.assign(std::size_t{s.groups} * d, 0.0);
    double total = 0;
    for (u32 i = 0; i < x.n; ++i) {
        const u32 g = numbers ? 0 : place[node.cls(i)];
        const double w = node.weight(i), y = numbers ? node.number(i) - node.node.mean : 1.0;
        weight[g] += w;
        total += w;
        const double* from = scaled.data() + std::size_t{i} * d;
        double* to = s.means.data() + std::size_t{g} * d;
        for (u32 c = 0; c < d; ++c) to[c] += w * y * from[c];
    }
    std::vector<double> center(s.means.size(), 0.0);
    if (!numbers)
        for (std::size_t m = 0; m < center.size(); ++m) center[m] = s.means[m] / weight[m / d];
    for (u32 i = 0; i < x.n; ++i) {  // about the means, and no longer needed as they were
        const double* mean = center.data() + std::size_t{numbers ? 0 : place[node.cls(i)]} * d;
        const double root = std::sqrt(node.weight(i) / total);
        double* to = scaled.data() + std::size_t{i} * d;
        for (u32 c = 0; c < d; ++c) to[c] = root * (to[c] - mean[c]);
    }
    s.within.resize(std::size_t{d} * d);
    linalg::gram_of_columns(scaled.data(), d, x.n, d, s.within.data(), *node.problem.budget);
    for (u32 g = 0; g < s.groups; ++g)
        for (u32 c = 0; c < d; ++c) s.means[std::size_t{g} * d + c] /= numbers ? total : std::sqrt(weight[g] * total);
}

void find(DirectionNode& node, double share) {
    const NodeMatrix x = node.matrix();
    Scaled s;
    s.all = x.d;
    s.groups = node.problem.target->regression() ? 1 : static_cast<u32>(node.node.present.size());
    std::vector<double> values(x.n), weights(x.n);
    for (u32 i = 0; i < x.n; ++i) weights[i] = node.weight(i);
    for (u32 c = 0; c < x.d; ++c) {
        for (u32 i = 0; i < x.n; ++i) values[i] = x.row(i)[c];
        s.keep(c, root_mean_square(values, weights), x.mean[c]);
    }
    if (s.d > 0) measure(node, x, s);
    Discriminant(node, std::move(s), share).offer();
}

}  // namespace

void register_lda(Registry& r) {
    r.splits.push_back(direction_plugin(
        {"lda",
         "discriminant coordinates: axes of the class means in units of the pooled covariance within classes",
         "Loh, Vanichsetakul 1988",
         {{"drop", "components of the pooled covariance with less than this share of the largest are dropped",
           Param::Type::real, 1e-8, 0, 1}}},
        [](const Problem&, const Params& params) -> DirectionFinder {
            return [share = params.get("drop")](DirectionNode& node) { find(node, share); };
        }));
}

}  // namespace bough
