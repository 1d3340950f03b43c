// Directions of nodes, made of sums that were added up by the functions that one machine uses.
#include "base/dot.hpp"
#include "base/slack.hpp"
#include "base/threshold.hpp"
#include "directions/prepare.hpp"
#include "distributed/driver.hpp"

namespace bough {

namespace {

constexpr u32 kSome = 4096;  // rows of a node that tell where bins are put

}  // namespace

std::vector<u32> Driver::steps() const {
    std::vector<u32> steps;
    for (u32 at : direct_) steps.push_back(std::max(1u, open_[at].node.n_rows / kSome));
    return steps;
}

void Driver::summed(const Answer& a) {
    const u32 d = static_cast<u32>(numeric_.size());
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        Open& open = open_[direct_[i]];
        open.some = a.some[i];
        std::vector<u32> groups{0, 1};
        if (!layout_.regression) groups = open.node.present;
        NodeMoments& m = open.moments;
        m = {};
        m.k = static_cast<u32>(groups.size());
        m.d = d;
        m.total = open.node.total;
        m.mean.assign(d, 0.0);
        m.group_mean.assign(std::size_t{m.k} * d, 0.0);
        for (u32 c : numeric_) m.rounding.push_back(kColumn * problem_.moments.magnitudes[c]);
        auto sum = [&](u32 g) { return a.sums.data() + (i * layout_.n_groups() + groups[g]) * (2 * d + 1); };
        for (u32 g = 0; g < m.k; ++g) m.weight.push_back(sum(g)[0]);
        for (u32 j = 0; j < d; ++j) {
            double known = 0;
            for (u32 g = 0; g < m.k; ++g) m.mean[j] += sum(g)[1 + j], known += sum(g)[1 + d + j];
            m.mean[j] = known > 0 ? m.mean[j] / known : 0.0;
            for (u32 g = 0; g < m.k; ++g) {
                const double lacking = m.weight[g] - sum(g)[1 + d + j];
                if (m.weight[g] > 0)
                    m.group_mean[std::size_t{g} * d + j] = (sum(g)[1 + j] + lacking * m.mean[j]) / m.weight[g];
            }
            m.low.push_back(-a.ends[2 * (i * d + j)]);
            m.high.push_back(a.ends[2 * (i * d + j) + 1]);
        }
    }
}

void Driver::scattered(const std::vector<double>& products, Budget& budget) {
    const u32 d = static_cast<u32>(numeric_.size());
    std::vector<double> scale(d, 1.0);
    for (u32 j = 0; j < d && plan_.standardize; ++j) scale[j] = 1 / problem_.moments.spreads[numeric_[j]];
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        budget.poll();
        NodeMoments m = std::exchange(open_[direct_[i]].moments, {});
        if (by_moments_->scatter) {
            const double* own = products.data() + i * d * d;
            m.scatter.assign(own, own + std::size_t{d} * d);
        }
        for (std::size_t at = 0; at < m.scatter.size(); ++at) m.scatter[at] *= scale[at / d] * scale[at % d];
        for (auto* v : {&m.mean, &m.group_mean, &m.low, &m.high, &m.rounding})
            for (std::size_t at = 0; at < v->size(); ++at) (*v)[at] *= scale[at % d];
        aim(open_[direct_[i]], by_moments_->find(m, *params_, budget));
    }
}

// Each with bins that hold about as many of the rows that are known.
void Driver::aim(Open& open, std::span<const double> directions) {
    const u32 d = static_cast<u32>(numeric_.size()), n_bins = layout_.n_direction_bins;
    const auto& moments = problem_.moments;
    std::vector<u32> all(d);
    for (u32 j = 0; j < d; ++j) all[j] = j;
    std::vector<double> w(d), z;
    for (std::size_t at = 0; at + d <= directions.size(); at += d) {
        Direction made;
        if (!prepare(problem_, numeric_, all, directions.data() + at, w.data(), made)) continue;
        Line line;
        line.first = numeric_[made.first];
        line.number = static_cast<u32>(at / d);
        line.blur = made.blur;
        SentDirection& along = line.along;
        for (u32 j = 0; j < d; ++j) {
            if (w[j] == 0) continue;
            along.columns.push_back(numeric_[j]);
            along.weights.push_back(w[j]);
            along.centers.push_back(moments.centered ? moments.centers[numeric_[j]] : 0.0);
        }
        z.clear();
        for (std::size_t row = 0; row + d <= open.some.size(); row += d) {
            const double* x = open.some.data() + row;
            const double position = dot(d, w.data(), [&](u32 j) { return w[j] == 0 ? 0.0 : x[j]; });
            if (!is_missing(position)) z.push_back(position);
        }
        if (along.columns.size() == 1) {  // a cut of the column itself
            for (double& x : z) x = x / along.weights[0] + along.centers[0];
            line.blur /= along.weights[0];
            along.weights[0] = 1;
            along.centers[0] = 0;
        }
        std::sort(z.begin(), z.end());
        for (u64 e = 1; e < n_bins; ++e) {
            std::size_t next = std::max<std::size_t>(1, e * z.size() / n_bins);
            while (next < z.size() && !(z[next] - z[next - 1] > line.blur)) ++next;
            if (next >= z.size()) break;
            const double edge = between(z[next - 1], z[next]);
            if (along.edges.empty() || edge > along.edges.back()) along.edges.push_back(edge);
        }
        open.lines.push_back(std::move(line));
    }
    if (open.lines.size() > layout_.n_directions) throw std::runtime_error("a node has more directions than foreseen");
    open.some = {};
}

}  // namespace bough
