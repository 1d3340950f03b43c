#include "nominal/graph.hpp"

namespace bough {

Graph::Graph(const Contingency& t, const PartitionSink& sink)
    : t_(t), sink_(sink), additive_(sink.scorer().traits().sums), scale_(sink.scorer().edge_scale(t)) {
    const u32 n = t.n_values;
    row_.assign(n, 0.0);
    if (n <= kKept) {
        edges_.assign(std::size_t{n} * n, 0.0);
        for (u32 v = 0; v < n; ++v) {
            double* to = edges_.data() + std::size_t{v} * n;
            sink.scorer().edges(t, v, to);
            for (u32 u = 0; u < v; ++u) {
                edges_[std::size_t{u} * n + v] = to[u];
                total_ += to[u];
            }
            if (v % 64 == 63) sink.poll();
        }
    } else if (additive_) {  // pairs of all values less those inside each value, by class sums
        std::vector<double> before(t.n_classes, 0.0);
        for (u32 v = 0; v < n; ++v) {
            total_ += sink.scorer().edge(Side(before).of(t.classes), Side(t.of(v)).of(t.classes));
            for (u32 c = 0; c < t.n_classes; ++c) before[c] += t.of(v)[c];
        }
    } else {
        for (u32 v = 0; v < n; ++v) {
            sink.scorer().edges(t, v, row_.data());
            for (u32 u = 0; u < v; ++u) total_ += row_[u];
            sink.poll();
        }
    }
}

const double* Graph::row(u32 value) {
    const u32 n = t_.n_values;
    if (!edges_.empty()) return edges_.data() + std::size_t{value} * n;
    const Side a = Side(t_.of(value)).of(t_.classes);
    if (additive_) {  // what one row of each class is worth, then sums of products
        const u32 k = t_.n_classes;
        std::vector<double> one(k, 0.0), worth(k);
        for (u32 c = 0; c < k; ++c) {
            one[c] = 1;
            worth[c] = sink_.scorer().edge(a, Side(one).of(t_.classes));
            one[c] = 0;
        }
        for (u32 v = 0; v < n; ++v) {
            const double* w = t_.of(v).data();
            double sum[4] = {0, 0, 0, 0};
            u32 c = 0;
            for (; c + 4 <= k; c += 4)
                for (u32 l = 0; l < 4; ++l) sum[l] += w[c + l] * worth[c + l];
            for (; c < k; ++c) sum[0] += w[c] * worth[c];
            row_[v] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
        row_[value] = 0;
        return row_.data();
    }
    for (u32 v = 0; v < n; ++v)
        row_[v] = v == value ? 0.0 : sink_.scorer().edge(a, Side::known(t_.of(v), t_.totals[v]).of(t_.classes));
    return row_.data();
}

double Graph::edge(u32 a, u32 b) {
    if (!edges_.empty()) return edges_[std::size_t{a} * t_.n_values + b];
    return sink_.scorer().edge(Side(t_.of(a)).of(t_.classes), Side(t_.of(b)).of(t_.classes));
}

double Graph::cut(std::span<const u8> left) {
    double sum = 0;
    for (u32 v = 0; v < size(); ++v) {
        if (!left[v]) continue;
        const double* e = row(v);
        for (u32 u = 0; u < size(); ++u) sum += left[u] ? 0.0 : e[u];
    }
    return sum;
}

double Graph::gain_of_move(std::span<const u8> left, u32 value) {
    const double* e = row(value);
    double own = 0, other = 0;
    for (u32 u = 0; u < size(); ++u) (left[u] == left[value] ? own : other) += e[u];
    return own - other;
}

std::vector<u8> Graph::greedy_cut() {
    const u32 n = size(), k = t_.n_classes;
    std::vector<u8> left(n, 0);
    if (edges_.empty() && additive_) {
        std::vector<double> l(k, 0.0), r(k, 0.0);
        for (u32 v = 0; v < n; ++v) {
            const Side own = Side(t_.of(v)).of(t_.classes);
            left[v] =
                !(sink_.scorer().edge(own, Side(l).of(t_.classes)) > sink_.scorer().edge(own, Side(r).of(t_.classes)));
            for (u32 c = 0; c < k; ++c) (left[v] ? l : r)[c] += own.w[c];
        }
        return left;
    }
    for (u32 v = 0; v < n; ++v) {
        const double* e = row(v);
        double to_left = 0, to_right = 0;
        for (u32 u = 0; u < v; ++u) (left[u] ? to_left : to_right) += e[u];
        left[v] = !(to_left > to_right);
        if (v % 64 == 63) sink_.poll();
    }
    return left;
}

std::vector<double> Graph::gains_of_moves(std::span<const u8> left) {
    const u32 n = size(), k = t_.n_classes;
    std::vector<double> gains(n);
    if (edges_.empty() && additive_) {
        std::vector<double> l(k, 0.0), r(k, 0.0), own(k);
        for (u32 v = 0; v < n; ++v)
            for (u32 c = 0; c < k; ++c) (left[v] ? l : r)[c] += t_.of(v)[c];
        for (u32 v = 0; v < n; ++v) {
            const Side value = Side(t_.of(v)).of(t_.classes);
            auto& side = left[v] ? l : r;
            for (u32 c = 0; c < k; ++c) own[c] = std::max(0.0, side[c] - value.w[c]);
            gains[v] = sink_.scorer().edge(value, Side(own).of(t_.classes)) -
                       sink_.scorer().edge(value, Side(left[v] ? r : l).of(t_.classes));
        }
        return gains;
    }
    for (u32 v = 0; v < n; ++v) {
        gains[v] = gain_of_move(left, v);
        if (v % 64 == 63) sink_.poll();
    }
    return gains;
}

// Changes sides, and what moving each other value would gain.
void Graph::move(std::vector<u8>& left, std::vector<double>& moves, u32 value) {
    const double* e = row(value);
    const u8 from = left[value];
    for (u32 u = 0; u < size(); ++u) moves[u] += left[u] == from ? -2 * e[u] : 2 * e[u];
    moves[value] = -moves[value];
    left[value] ^= 1;
}

// A swap gains what the two moves gain, and twice the edge between the two, which stays cut.
bool Graph::swap_once(std::vector<u8>& left, std::vector<double>& moves, double least) {
    const u32 n = size();
    for (u32 v = 0; v < n; ++v) {
        if (!left[v]) continue;
        const double* e = row(v);
        double top = -kInf;
        for (u32 u = 0; u < n; ++u) top = std::max(top, left[u] ? -kInf : moves[u] + 2 * e[u]);
        if (v % 64 == 63) sink_.poll();
        if (!(moves[v] + top > least)) continue;
        for (u32 u = 0; u < n; ++u)
            if (!left[u] && moves[v] + moves[u] + 2 * e[u] > least) {
                move(left, moves, v);
                move(left, moves, u);
                return true;
            }
    }
    return false;
}

void Graph::improve(std::vector<u8>& left, u32 most_swapped) {
    const double least = 1e-12 * total_;  // rounding is no gain
    std::vector<double> moves = gains_of_moves(left);
    for (u64 step = 1;; ++step) {
        u32 first = 0;
        while (first < size() && !(moves[first] > least)) ++first;
        if (first < size()) {
            move(left, moves, first);
        } else if (size() > most_swapped || !swap_once(left, moves, least)) {
            return;
        }
        if (step % 16 == 0) sink_.poll();
        if (step % 4096 == 0) moves = gains_of_moves(left);  // sums of fractions drift
    }
}

}  // namespace bough
