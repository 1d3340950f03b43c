// lda: discriminant coordinates. Components of the pooled within-class covariance that are near singular are
// dropped; in what is left, with that covariance as the unit, the principal axes of the class means are the
// directions. For a number to predict it is the direction of least squares, which for two classes is the same.
#include <algorithm>

#include "base/scale.hpp"
#include "base/slack.hpp"
#include "directions/components.hpp"

namespace bough {

namespace {

class Discriminant {
   public:
    Discriminant(DirectionNode& node, double share) : node_(node), x_(node.matrix()), share_(share) {
        const Node& n = node.node;
        const bool numbers = node.problem.target->regression();
        groups_ = numbers ? 1 : static_cast<u32>(n.present.size());
        place_.assign(n.weights.size(), 0);
        for (u32 g = 0; g < n.present.size(); ++g) place_[n.present[g]] = g;
        scale();
        if (d_ == 0) return;
        measure(numbers);
    }

    void offer() {
        if (d_ > 0) offer_coordinates();
        if (found_) return;
        // Classes with the same mean have no discriminant coordinates: the columns themselves are tried.
        std::vector<double> axes(std::size_t{x_.d} * x_.d, 0.0);
        for (u32 c = 0; c < x_.d; ++c) axes[std::size_t{c} * x_.d + c] = 1;
        node_.offer(axes);
    }

   private:
    void offer_coordinates() {
        node_.problem.budget->poll();
        std::vector<double> values(d_);
        linalg::eigen(within_.data(), d_, values.data());
        const double top = std::max(values[0], 0.0);
        const bool any = top > kWithin;  // else every class is one point
        std::vector<double> kept, null;
        for (u32 e = 0; e < d_; ++e) {
            const double* v = within_.data() + std::size_t{e} * d_;
            if (any && values[e] > std::max(share_, kWithin) * top)
                for (u32 c = 0; c < d_; ++c) kept.push_back(v[c] / std::sqrt(values[e]));
            else if (!any || values[e] <= kWithin * top)
                null.insert(null.end(), v, v + d_);
        }
        offer_in(kept, kSameMeans);
        // Where classes differ and nothing varies inside them, they are told apart perfectly.
        offer_in(null, kWithin * d_);
    }

    // Columns that vary, divided by their deviation: what is near singular does not depend on units.
    void scale() {
        std::vector<double> values(x_.n), weights(x_.n);
        for (u32 i = 0; i < x_.n; ++i) weights[i] = node_.weight(i);
        for (u32 c = 0; c < x_.d; ++c) {
            for (u32 i = 0; i < x_.n; ++i) values[i] = x_.row(i)[c];
            const double deviation = root_mean_square(values, weights);
            if (!(deviation > kOfMean * std::fabs(x_.mean[c])) || !std::isfinite(deviation)) continue;
            columns_.push_back(c);
            deviations_.push_back(deviation);
        }
        d_ = static_cast<u32>(columns_.size());
        scaled_.resize(std::size_t{x_.n} * d_);
        for (u32 i = 0; i < x_.n; ++i)
            for (u32 c = 0; c < d_; ++c) scaled_[std::size_t{i} * d_ + c] = x_.row(i)[columns_[c]] / deviations_[c];
    }

    // Class means (for numbers: the covariance with the target) and the covariance about them.
    void measure(bool numbers) {
        std::vector<double> weight(groups_, 0.0);
        means_.assign(std::size_t{groups_} * d_, 0.0);
        double total = 0;
        for (u32 i = 0; i < x_.n; ++i) {
            const u32 g = numbers ? 0 : place_[node_.cls(i)];
            const double w = node_.weight(i), y = numbers ? node_.number(i) - node_.node.mean : 1.0;
            weight[g] += w;
            total += w;
            const double* x = scaled_.data() + std::size_t{i} * d_;
            double* to = means_.data() + std::size_t{g} * d_;
            for (u32 c = 0; c < d_; ++c) to[c] += w * y * x[c];
        }
        std::vector<double> center(means_.size(), 0.0);
        if (!numbers)
            for (std::size_t m = 0; m < center.size(); ++m) center[m] = means_[m] / weight[m / d_];
        for (u32 i = 0; i < x_.n; ++i) {  // about the means, and no longer needed as they were
            const double* mean = center.data() + std::size_t{numbers ? 0 : place_[node_.cls(i)]} * d_;
            const double root = std::sqrt(node_.weight(i) / total);
            double* x = scaled_.data() + std::size_t{i} * d_;
            for (u32 c = 0; c < d_; ++c) x[c] = root * (x[c] - mean[c]);
        }
        within_.resize(std::size_t{d_} * d_);
        linalg::gram_of_columns(scaled_.data(), d_, x_.n, d_, within_.data());
        for (u32 g = 0; g < groups_; ++g)  // so that their squares are what the classes weigh
            for (u32 c = 0; c < d_; ++c)
                means_[std::size_t{g} * d_ + c] /= numbers ? total : std::sqrt(weight[g] * total);
    }

    void offer_in(const std::vector<double>& basis, double least) {
        if (basis.empty()) return;
        const u32 q = static_cast<u32>(basis.size() / d_);
        std::vector<double> m(std::size_t{groups_} * q, 0.0);
        for (u32 g = 0; g < groups_; ++g)
            for (u32 j = 0; j < q; ++j)
                for (u32 c = 0; c < d_; ++c)
                    m[std::size_t{g} * q + j] += means_[std::size_t{g} * d_ + c] * basis[std::size_t{j} * d_ + c];
        double most = 0;
        for (u32 g = 0; g < groups_; ++g) {
            double square = 0;
            for (u32 j = 0; j < q; ++j) square += m[std::size_t{g} * q + j] * m[std::size_t{g} * q + j];
            most = std::max(most, square);
        }
        if (!(most > least)) return;
        // The means are about the node's: their principal components are the axes along which they differ.
        const std::vector<double> axes = components(m.data(), groups_, q, 0, node_.problem.budget, kBetween);
        const std::size_t n = axes.size() / q;
        std::vector<double> directions(n * x_.d, 0.0);
        for (std::size_t f = 0; f < n; ++f)
            for (u32 j = 0; j < q; ++j)
                for (u32 c = 0; c < d_; ++c)
                    directions[f * x_.d + columns_[c]] +=
                        axes[f * q + j] * basis[std::size_t{j} * d_ + c] / deviations_[c];
        found_ |= n > 0;
        node_.offer(directions);
    }

    DirectionNode& node_;
    const NodeMatrix x_;
    double share_;
    bool found_ = false;
    u32 groups_ = 0, d_ = 0;
    std::vector<u32> place_, columns_;
    std::vector<double> deviations_, scaled_, means_, within_;
};

}  // namespace

void register_lda(Registry& r) {
    r.splits.push_back(direction_plugin(
        {"lda",
         "discriminant coordinates: axes of the class means in units of the pooled covariance within classes",
         "Loh, Vanichsetakul 1988",
         {{"drop", "components of the pooled covariance with less than this share of the largest are dropped",
           Param::Type::real, 1e-8, 0, 1}}},
        [](const Problem&, const Params& params) -> DirectionFinder {
            return [share = params.get("drop")](DirectionNode& node) { Discriminant(node, share).offer(); };
        }));
}

}  // namespace bough
