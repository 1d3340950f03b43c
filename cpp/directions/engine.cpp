#include "directions/engine.hpp"
#include "base/per_thread.hpp"

#include <algorithm>

#include "base/slack.hpp"
#include "directions/positions.hpp"
#include "directions/prepare.hpp"

namespace bough {

namespace {

constexpr u64 kShareOut = 200000;         // positions at a node from which its directions are shared out
constexpr u64 kMostPositions = 1u << 22;  // that are projected together
constexpr u32 kMostTogether = 32;         // directions that are
constexpr u32 kRows = 1u << 14;           // between two polls of the budget

}  // namespace

// ---- what a finder sees --------------------------------------------------------------------------------

DirectionNode::DirectionNode(const Problem& p, const DenseRows& dense, const Node& n, DirectionState& state, u32 family,
                             bool gaps_at_center, Worker& worker, Best& best)
    : problem(p),
      node(n),
      rng(Rng::at(p.seed, n.path)),
      dense_(dense),
      state_(state),
      begin_(state.begin),
      family_(family),
      gaps_at_center_(gaps_at_center),
      worker_(worker),
      best_(best) {
    columns.reserve(dense.n_columns());
    for (u32 j = 0; j < dense.n_columns(); ++j)
        if (n.allows(dense.columns[j])) columns.push_back(j);
}

double DirectionNode::unit(u32 j) const {
    return problem.standardize ? problem.moments.spreads[dense_.columns[columns[j]]] : 1.0;
}

double DirectionNode::value(u32 i, u32 j) const {
    const u32 c = dense_.columns[columns[j]];
    const double x = problem.table->columns[c].value(dense_.table_rows()[begin_ + i]);
    return problem.standardize ? (x - problem.moments.means[c]) / problem.moments.spreads[c] : x;
}

u32 DirectionNode::group(u32 i) const {
    if (problem.target->regression()) return number(i) > node.mean ? 1 : 0;
    const auto at = std::lower_bound(node.present.begin(), node.present.end(), cls(i));
    return static_cast<u32>(at - node.present.begin());
}

NodeMatrix DirectionNode::matrix() const {
    NodeMatrix m;
    m.n = node.n_rows;
    m.d = n_columns();
    m.x.resize(std::size_t{m.n} * m.d);
    m.mean.assign(m.d, 0.0);
    std::vector<double> known(m.d, 0.0);
    for (u32 i = 0; i < m.n; ++i) {
        if (i % 4096 == 0) problem.budget->poll();
        const double *from = dense_.row(begin_ + i), w = weight(i);
        for (u32 j = 0; j < m.d; ++j) m.mean[j] += w * from[columns[j]];  // a missing number is 0
        if (has_missing())
            for (u32 j = 0; j < m.d; ++j) known[j] += missing(i, j) ? 0.0 : w;
    }
    for (u32 j = 0; j < m.d; ++j) {
        const double weight = has_missing() ? known[j] : node.total;
        m.mean[j] = weight > 0 ? m.mean[j] / weight : 0.0;
    }
    std::vector<double> scale(m.d);
    for (u32 j = 0; j < m.d; ++j) scale[j] = 1 / unit(j);
    for (u32 i = 0; i < m.n; ++i) {
        if (i % 4096 == 0) problem.budget->poll();
        const double* from = dense_.row(begin_ + i);
        double* to = m.x.data() + std::size_t{i} * m.d;
        for (u32 j = 0; j < m.d; ++j) to[j] = (from[columns[j]] - m.mean[j]) * scale[j];
        if (has_missing())
            for (u32 j = 0; j < m.d; ++j)
                if (missing(i, j)) to[j] = 0;
    }
    for (u32 j = 0; j < m.d; ++j) m.mean[j] *= scale[j];
    // A column with one value differs from its mean by rounding only.
    std::vector<double> widest(m.d, 0.0);
    for (u32 i = 0; i < m.n; ++i)
        for (u32 j = 0; j < m.d; ++j) widest[j] = std::max(widest[j], std::fabs(m.row(i)[j]));
    for (u32 j = 0; j < m.d; ++j) {
        if (widest[j] == 0 || widest[j] > kColumn * dense_.magnitudes[columns[j]] * scale[j]) continue;
        for (u32 i = 0; i < m.n; ++i) m.x[std::size_t{i} * m.d + j] = 0;
    }
    return m;
}

GroupMeans DirectionNode::group_means() const {
    GroupMeans g;
    g.k = problem.target->regression() ? 2 : static_cast<u32>(node.present.size());
    g.d = n_columns();
    const u32 all = dense_.n_columns();
    auto& sum = per_thread<std::vector<double>, struct SumHere>();
    auto& known = per_thread<std::vector<double>, struct KnownHere>();
    std::vector<u32> at(g.k);  // of each group in the sums
    const double* sums;
    if (keeps_sums(problem, dense_, node.n_rows)) {
        if (state_.sums.empty()) {
            state_.sums.assign(std::size_t{problem.target->n_classes} * all, 0.0);
            state_.fresh = node.n_rows;
            for (u32 begin = 0; begin < node.n_rows; begin += std::min(kRows, node.n_rows - begin)) {
                problem.budget->poll();
                dense_.add_class_sums(begin_ + begin, std::min(kRows, node.n_rows - begin), state_.sums.data());
            }
        }
        g.weight = node.present_weights;
        for (u32 a = 0; a < g.k; ++a) at[a] = node.present[a];
        sums = state_.sums.data();
    } else {
        g.weight.assign(g.k, 0.0);
        sum.assign(std::size_t{g.k} * all, 0.0);
        if (has_missing()) known.assign(std::size_t{g.k} * all, 0.0);
        for (u32 i = 0; i < node.n_rows; ++i) {
            if (i % kRows == 0) problem.budget->poll();
            const u32 to = group(i);
            const double w = weight(i), *x = dense_.row(begin_ + i);
            double* s = sum.data() + std::size_t{to} * all;
            g.weight[to] += w;
            for (u32 j = 0; j < all; ++j) s[j] += w * x[j];  // a missing number is 0
            if (has_missing())
                for (u32 j = 0; j < all; ++j)
                    if (!dense_.missing_at(begin_ + i, j)) known[std::size_t{to} * all + j] += w;
        }
        for (u32 a = 0; a < g.k; ++a) at[a] = a;
        sums = sum.data();
    }
    g.mean.resize(std::size_t{g.k} * g.d);
    g.rounding.resize(g.d);
    for (u32 j = 0; j < g.d; ++j) g.rounding[j] = kColumn * dense_.magnitudes[columns[j]] / unit(j);
    for (u32 a = 0; a < g.k; ++a) {
        const double* s = sums + std::size_t{at[a]} * all;
        const double inverse = g.weight[a] > 0 ? 1 / g.weight[a] : 0.0;
        double* mean = g.mean.data() + std::size_t{a} * g.d;
        for (u32 j = 0; j < g.d; ++j) mean[j] = s[columns[j]] * inverse;
        if (problem.standardize)
            for (u32 j = 0; j < g.d; ++j) mean[j] /= unit(j);
    }
    if (!has_missing()) return g;
    for (u32 j = 0; j < g.d; ++j) {  // the missing ones are at the node's mean
        double s = 0, w = 0;
        for (u32 a = 0; a < g.k; ++a) {
            s += sum[std::size_t{a} * all + columns[j]];
            w += known[std::size_t{a} * all + columns[j]];
        }
        for (u32 a = 0; a < g.k && w > 0; ++a) {
            const double lacking = g.weight[a] - known[std::size_t{a} * all + columns[j]];
            if (g.weight[a] > 0) g.mean[std::size_t{a} * g.d + j] += lacking * (s / w) / g.weight[a] / unit(j);
        }
    }
    return g;
}

// ---- project, sort, sweep ------------------------------------------------------------------------------

struct DirectionNode::Prepared : Direction {
    u32 number = 0;     // among those that were offered at the node
    Standing standing;  // where there are rules
};

void DirectionNode::sweep(const Prepared& p, const double* w, double* z, Best& best) const {
    Projection projection{.size = node.n_rows,
                          .z = z,
                          .classes = problem.target->regression() ? nullptr : dense_.classes() + begin_,
                          .weights = dense_.weights() ? dense_.weights() + begin_ : nullptr,
                          .numbers = dense_.numbers() ? dense_.numbers() + begin_ : nullptr,
                          .low = kInf,
                          .high = -kInf,
                          .blur = p.blur,
                          .n_missing = gaps_at_center_ ? 0 : blank_missing(dense_, begin_, node.n_rows, w, z),
                          .budget = problem.budget};
    double low[4] = {kInf, kInf, kInf, kInf}, high[4] = {-kInf, -kInf, -kInf, -kInf};
    u32 i = 0;
    for (; i + 4 <= node.n_rows; i += 4)
        for (u32 l = 0; l < 4; ++l) {
            low[l] = z[i + l] < low[l] ? z[i + l] : low[l];
            high[l] = z[i + l] > high[l] ? z[i + l] : high[l];
        }
    for (; i < node.n_rows; ++i) {
        low[0] = z[i] < low[0] ? z[i] : low[0];
        high[0] = z[i] > high[0] ? z[i] : high[0];
    }
    projection.low = std::min({low[0], low[1], low[2], low[3]});
    projection.high = std::max({high[0], high[1], high[2], high[3]});
    if (!(projection.high - projection.low > p.blur)) return;
    if (best.asks()) best.stand(&p.standing);
    problem.scorer->projected_cuts(node, projection, problem.limits,
                                   {&best, dense_.columns[p.first], family_, true, p.number});
    best.stand(nullptr);
}

std::vector<double> DirectionNode::one_way(std::span<const double> direction, int sign) const {
    std::vector<double> kept(direction.begin(), direction.end());
    for (u32 j = 0; j < n_columns(); ++j)
        if (const double pull = best_.rule()->standing(dense_.columns[columns[j]]).sign * kept[j]; pull * sign < 0)
            kept[j] = 0;
    return kept;
}

void DirectionNode::offer(std::span<const double> directions) {
    const u32 d = n_columns(), n = node.n_rows, all = dense_.n_columns();
    if (d == 0) return;
    auto& ready = per_thread<std::vector<Prepared>, struct ReadyHere>();
    std::vector<double>& w = bench().w;
    ready.clear();
    w.resize(directions.size() / d * all * (best_.asks() ? 2 : 1));
    for (std::size_t at = 0; at + d <= directions.size(); at += d) {
        auto add = [&](const double* direction) {
            Prepared p;
            p.number = state_.n_tried++;
            double* to = w.data() + ready.size() * all;
            if (!prepare(problem, dense_.columns, columns, direction, to, p)) return true;
            const SplitRule* rule = best_.rule();
            if (rule && !rule->standing(dense_.columns, {to, all}, p.standing)) return false;
            ready.push_back(p);
            return true;
        };
        if (add(directions.data() + at)) continue;
        for (int sign : {1, -1}) add(one_way(directions.subspan(at, d), sign).data());
    }
    const u32 most = std::max<u32>(1, static_cast<u32>(std::min<u64>(kMostTogether, kMostPositions / n)));
    auto piece = [&, n_ready = static_cast<u32>(ready.size()), first = ready.data(), weights = w.data()](
                     std::size_t chunk, Best& best) {
        const u32 from = static_cast<u32>(chunk) * most, p = std::min(most, n_ready - from);
        Bench& own = bench();
        own.z.resize(std::max(own.z.size(), std::size_t{p} * n));
        own.owner = state_.id;
        own.numbers.clear();
        for (u32 i = 0; i < p; ++i) own.numbers.push_back(first[from + i].number);
        if (n * u64{p} > 4096) problem.budget->poll();
        project(dense_, begin_, n, weights + std::size_t{from} * all, p, own.z.data());
        for (u32 i = 0; i < p; ++i) {
            if (n > 4096) problem.budget->poll();
            sweep(first[from + i], weights + std::size_t{from + i} * all, own.z.data() + std::size_t{i} * n, best);
        }
    };
    const std::size_t chunks = (ready.size() + most - 1) / most;
    share_out(worker_, chunks, u64{n} * ready.size() > kShareOut && chunks > 1, best_, piece);
    for (std::size_t i = 0; i < ready.size(); ++i) {
        if (!best_.holds(family_, ready[i].number)) continue;
        state_.numbers.push_back(ready[i].number);
        state_.weights.emplace_back(w.data() + i * all, w.data() + (i + 1) * all);
    }
    if (state_.numbers.size() <= 64) return;
    std::size_t kept = 0;  // without those that were beaten since
    for (std::size_t i = 0; i < state_.numbers.size(); ++i) {
        if (!best_.holds(family_, state_.numbers[i])) continue;
        state_.numbers[kept] = state_.numbers[i];
        std::swap(state_.weights[kept++], state_.weights[i]);
    }
    state_.numbers.resize(kept);
    state_.weights.resize(kept);
}

}  // namespace bough
