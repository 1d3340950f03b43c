// Directions of a node, made of sums that were added up by the functions that one machine uses.
#include "base/dot.hpp"
#include "base/threshold.hpp"
#include "directions/prepare.hpp"
#include "distributed/counts.hpp"

namespace bough {

void CountStore::take_sums(Handle& at, const double* sums, const double* ends, const std::vector<double>& some) const {
    const u32 d = static_cast<u32>(numeric_.size());
    std::vector<u32> groups{0, 1};
    if (!layout_.regression) groups = at.node.present;
    at.some = some;
    NodeMoments& m = at.moments;
    m = {};
    m.k = static_cast<u32>(groups.size());
    m.d = d;
    m.total = at.node.total;
    m.mean.assign(d, 0.0);
    m.group_mean.assign(std::size_t{m.k} * d, 0.0);
    for (u32 c : numeric_) m.rounding.push_back(kColumn * problem_.moments.magnitudes[c]);
    auto sum = [&](u32 g) { return sums + groups[g] * (2 * d + 1); };
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
        m.low.push_back(-ends[2 * j]);
        m.high.push_back(ends[2 * j + 1]);
    }
}

void CountStore::take_products(Handle& at, std::span<const double> products, Budget& budget) const {
    const std::size_t d = numeric_.size();
    std::vector<double> scale(d, 1.0);
    for (std::size_t j = 0; j < d && plan_.standardize; ++j) scale[j] = 1 / problem_.moments.spreads[numeric_[j]];
    NodeMoments m = std::exchange(at.moments, {});
    m.scatter.assign(products.begin(), products.end());
    for (std::size_t i = 0; i < m.scatter.size(); ++i) m.scatter[i] *= scale[i / d] * scale[i % d];
    for (auto* v : {&m.mean, &m.group_mean, &m.low, &m.high, &m.rounding})
        for (std::size_t i = 0; i < v->size(); ++i) (*v)[i] *= scale[i % d];
    aim(at, by_moments_->find(m, *params_, budget));
}

// Each with bins that hold about as many of the rows that are known.
void CountStore::aim(Handle& node, std::span<const double> directions) const {
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
        for (std::size_t row = 0; row + d <= node.some.size(); row += d) {
            const double* x = node.some.data() + row;
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
        node.lines.push_back(std::move(line));
    }
    if (node.lines.size() > layout_.n_directions) throw std::runtime_error("a node has more directions than foreseen");
    node.some = {};
}

}  // namespace bough
