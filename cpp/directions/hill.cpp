#include "directions/hill.hpp"

#include <algorithm>

#include "base/scale.hpp"
#include "base/threshold.hpp"

namespace bough {

Scale mean_and_deviation(std::span<const double> values, std::span<const double> weights) {
    double weight = 0, sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) weight += weights[i], sum += weights[i] * values[i];
    const double mean = sum / weight;
    std::vector<double> apart(values.begin(), values.end());
    for (double& v : apart) v -= mean;
    return {mean, root_mean_square(apart, weights)};
}

Scale median_and_quartiles(std::span<const double> values, std::span<const double> weights) {
    std::vector<u32> order(values.size());
    for (u32 i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](u32 a, u32 b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
    double weight = 0;
    for (double w : weights) weight += w;
    auto quantile = [&](double share) {
        double below = 0;
        for (u32 i : order) {
            below += weights[i];
            if (below >= share * weight * (1 - kSum)) return values[i];
        }
        return values[order.back()];
    };
    const double range = values[order.back()] - values[order.front()];
    const double quartiles = quantile(0.75) - quantile(0.25);
    return {quantile(0.5), quartiles > 0 ? quartiles : range};
}

Hill::Hill(const DirectionNode& from, Scaling scaling)
    : problem_(from.problem),
      node_(from.node),
      n_(from.n_rows()),
      d_(from.n_columns()),
      k_(from.node.present.size()),
      present_(from.node.present) {
    const Node& node = from.node;
    const bool numbers = problem_.target->regression();
    tie_ = kTie * problem_.scorer->unit(node);
    std::vector<u32> place(node.weights.size(), 0);
    for (u32 i = 0; i < k_; ++i) place[node.present[i]] = i;
    classes_.assign(n_, 0);
    place_.assign(n_, 0);
    weights_.resize(n_);
    if (numbers) numbers_.resize(n_);
    for (u32 i = 0; i < n_; ++i) {
        weights_[i] = from.weight(i);
        if (numbers) {
            numbers_[i] = from.number(i) - node.mean;
        } else {
            classes_[i] = from.cls(i);
            place_[i] = place[from.cls(i)];
        }
    }
    const NodeMatrix matrix = from.matrix();
    std::vector<double> values(n_);
    for (u32 c = 0; c < d_; ++c) {
        problem_.budget->poll();
        for (u32 i = 0; i < n_; ++i) values[i] = matrix.row(i)[c];
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        if (!(*low < *high)) continue;
        const Scale scale = scaling(values, weights_);
        if (!(scale.width > 0) || !std::isfinite(1 / scale.width)) continue;
        columns_.push_back(c);
        widths_.push_back(scale.width);
        for (double v : values) x_.push_back((v - scale.center) / scale.width);
    }
}

std::vector<double> Hill::direction(std::span<const double> a) const {
    std::vector<double> w(d_, 0.0);
    for (std::size_t i = 0; i < columns_.size(); ++i) w[columns_[i]] = a[i] / widths_[i];
    return w;
}

Climber::Climber(const Hill& hill)
    : hill_(hill),
      w_(2 * hill.k_),
      z_(hill.numbers_.empty() ? 0 : 2 * hill.k_),
      counts_(2 * hill.k_),
      critical_(hill.n_),
      ones_(hill.n_, 1.0) {}

void Climber::clear() {
    std::fill(w_.begin(), w_.end(), 0.0);
    std::fill(z_.begin(), z_.end(), 0.0);
    std::fill(counts_.begin(), counts_.end(), 0);
    rows_[0] = rows_[1] = 0;
}

void Climber::shift(u32 row, u32 side, int sign) {
    const std::size_t at = side * hill_.k_ + hill_.place_[row];
    counts_[at] += static_cast<u32>(sign);
    rows_[side] += static_cast<u32>(sign);
    if (counts_[at] == 0) {  // nothing is left, whatever the rounding of the sums
        w_[at] = 0;
        if (!z_.empty()) z_[at] = 0;
        return;
    }
    w_[at] += sign * hill_.weights_[row];
    if (!z_.empty()) z_[at] += sign * hill_.weights_[row] * hill_.numbers_[row];
}

Gain Climber::score(double& balance) const {
    const LeafLimits& limits = hill_.problem_.limits;
    if (std::min(rows_[0], rows_[1]) < std::max(1u, limits.min_rows)) return -kInf;
    const std::size_t k = hill_.k_;
    const std::span<const double> w(w_), z(z_);
    const Side left =
        z.empty() ? Side(w.first(k)).of(hill_.present_) : Side(w.first(k), z.first(k)).about(hill_.node_.mean);
    const Side right =
        z.empty() ? Side(w.subspan(k)).of(hill_.present_) : Side(w.subspan(k), z.subspan(k)).about(hill_.node_.mean);
    balance = std::min(left.total, right.total);
    return balance < limits.min_weight ? -static_cast<Gain>(kInf) : hill_.problem_.scorer->gain(left, right);
}

Gain Climber::gain_of(const std::vector<double>& v) {
    clear();
    for (u32 i = 0; i < hill_.n_; ++i) shift(i, v[i] <= 0 ? 0 : 1, 1);
    double balance;
    return score(balance);
}

Climber::Step Climber::best_step(const std::vector<double>& v, const double* p) {
    Budget& budget = *hill_.problem_.budget;
    budget.poll();
    clear();
    double low = kInf, high = -kInf, reach = 0;
    for (u32 i = 0; i < hill_.n_; ++i) {
        reach = std::max(reach, std::fabs(v[i]));
        double at = v[i] / p[i];
        if (p[i] == 0 || !std::isfinite(at)) at = kNaN;  // it never changes sides
        critical_[i] = at;
        low = at < low ? at : low;
        high = at > high ? at : high;
        shift(i, (is_missing(at) ? v[i] <= 0 : p[i] < 0) ? 0 : 1, 1);  // as δ → −∞
    }
    Step best;
    double best_balance = 0;
    if (!(low < high)) return best;
    u32 known;
    const u64* order = order_rows(critical_.data(), hill_.n_, low, high, scratch_, budget, known);
    const std::size_t k = hill_.node_.weights.size();
    start_.start_w.assign(k, 0.0);
    start_.start_z.assign(z_.empty() ? 0 : k, 0.0);
    start_.total_z.assign(z_.empty() ? 0 : k, 0.0);
    start_.start_total = 0;
    for (std::size_t d = 0; d < hill_.k_; ++d) {
        start_.start_w[hill_.present_[d]] = w_[d];
        start_.start_total += w_[d];
        if (!z_.empty()) start_.start_z[hill_.present_[d]] = z_[d];
    }
    values_.resize(hill_.n_);
    const double off = hill_.problem_.scorer->gains(
        hill_.node_, start_, {known, order, hill_.classes_.data(), hill_.weights_.data(), hill_.numbers_.data(), p},
        values_.data());
    for (u32 i = 0; i + 1 < known; ++i) {
        if (i % 65536 == 65535) budget.poll();
        const u32 row = static_cast<u32>(order[i]);
        const u32 to = p[row] > 0 ? 0 : 1;
        shift(row, 1 - to, -1);
        shift(row, to, 1);
        const u32 other = static_cast<u32>(order[i + 1]);
        const double here = critical_[row], next = critical_[other];
        // Rows that would change sides together but for the rounding of v do so together.
        if (!(next - here > kPlane * reach * (1 / std::fabs(p[row]) + 1 / std::fabs(p[other])))) continue;
        if (values_[i] + off < best.gain - hill_.tie_) continue;
        double balance;
        const Gain gain = score(balance);
        if (gain > best.gain + hill_.tie_ || (gain >= best.gain - hill_.tie_ && balance > best_balance)) {
            best = {between(here, next), gain};
            best_balance = balance;
        }
    }
    return best;
}

Plane Climber::best_axis() {
    Plane best;
    std::vector<double> v(hill_.n_);
    for (u32 c = 0; c < hill_.n_columns(); ++c) {
        v.assign(hill_.column(c), hill_.column(c) + hill_.n_);
        const Step step = best_step(v, ones_.data());
        if (!(step.gain > best.gain + hill_.tie_) || step.gain == -kInf) continue;
        best.a.assign(hill_.n_columns(), 0.0);
        best.a[c] = 1;
        best.t = step.delta;
        best.gain = step.gain;
    }
    if (best.gain > -kInf) settle(best);
    return best;
}

void Climber::settle(Plane& plane) {
    double most = 0;
    for (double a : plane.a) most = std::max(most, std::fabs(a));
    plane.v.assign(hill_.n_, 0.0);
    if (!(most > 0) || !std::isfinite(most)) {
        plane.gain = -kInf;
        return;
    }
    for (double& a : plane.a) a /= most;
    plane.t /= most;
    for (u32 c = 0; c < plane.a.size(); ++c) {
        if (plane.a[c] == 0) continue;
        const double* x = hill_.column(c);
        for (u32 i = 0; i < hill_.n_; ++i) plane.v[i] += plane.a[c] * x[i];
    }
    for (double& v : plane.v) v -= plane.t;
    plane.gain = gain_of(plane.v);
}

void needs_class_weights_only(const Problem& problem, const char* family) {
    if (problem.scorer->traits().projection)
        throw std::invalid_argument(std::string("split='") + family +
                                    "' changes one coefficient at a time and needs a criterion that does not look at "
                                    "positions along the direction: use gini, entropy, gain_ratio or twoing");
    if (problem.scorer->traits().ordered)
        throw std::invalid_argument(std::string("split='") + family +
                                    "' changes one coefficient at a time and needs a criterion of sums; the order of "
                                    "the target changes with every row: use squared_error or poisson");
}

}  // namespace bough
