#include "nominal/graph.hpp"

#include <numeric>

namespace bough {

Graph::Graph(const Contingency& t, const PartitionSink& sink)
    : t_(t),
      sink_(sink),
      graph_(*sink.scorer().graph()),
      rows_(t.value_rows()),
      by_class_(t.n_values > kKept && sink.scorer().traits().sums),
      row_(t.n_values, 0.0) {
    const u32 n = t.n_values;
    if (n <= kKept) {
        edges_.assign(std::size_t{n} * n, 0.0);
        for (u32 v = 0; v < n; ++v) {
            double* to = edges_.data() + std::size_t{v} * n;
            graph_.edges(rows_, v, v, to);
            for (u32 u = 0; u < v; ++u) {
                edges_[std::size_t{u} * n + v] = to[u];
                total_ += to[u];
            }
            if (v % 64 == 63) sink.poll();
        }
    } else if (by_class_) {  // pairs of all values less those inside each value
        std::vector<double> before(t.n_classes, 0.0);
        for (u32 v = 0; v < n; ++v) {
            total_ += graph_.edge(side(before), side(t.of(v)));
            for (u32 c = 0; c < t.n_classes; ++c) before[c] += t.of(v)[c];
        }
    }
}

const double* Graph::row(u32 value) {
    const u32 n = size(), k = t_.n_classes;
    if (!edges_.empty()) return edges_.data() + std::size_t{value} * n;
    if (!by_class_) {
        graph_.edges(rows_, value, n, row_.data());
        return row_.data();
    }
    // What one row of each class adds, then sums of products.
    std::vector<double> one(k, 0.0), each(k);
    for (u32 c = 0; c < k; ++c) {
        one[c] = 1;
        each[c] = graph_.edge(side(t_.of(value)), side(one));
        one[c] = 0;
    }
    for (u32 v = 0; v < n; ++v) {
        const double* w = t_.of(v).data();
        double sum[4] = {0, 0, 0, 0};
        u32 c = 0;
        for (; c + 4 <= k; c += 4)
            for (u32 l = 0; l < 4; ++l) sum[l] += w[c + l] * each[c + l];
        for (; c < k; ++c) sum[0] += w[c] * each[c];
        row_[v] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    row_[value] = 0;
    return row_.data();
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

Graph::Cut Graph::greedy_cut() {
    const u32 n = size(), k = t_.n_classes;
    std::vector<u8> left(n, 0);
    if (by_class_) {
        std::vector<double> l(k, 0.0), r(k, 0.0);
        for (u32 v = 0; v < n; ++v) {
            const Side own = side(t_.of(v));
            left[v] = !(graph_.edge(own, side(l)) > graph_.edge(own, side(r)));
            for (u32 c = 0; c < k; ++c) (left[v] ? l : r)[c] += own.w[c];
        }
        return cut_of(std::move(left));
    }
    // Edges that are not kept are made once: sides do not change any more, so the moves are summed up too.
    const bool kept = !edges_.empty();
    std::vector<double> moves(kept ? 0 : n, 0.0);
    if (!kept) total_ = 0;
    for (u32 v = 0; v < n; ++v) {
        if (!kept) graph_.edges(rows_, v, v, row_.data());
        const double* e = kept ? row(v) : row_.data();
        double to_left = 0, to_right = 0;
        for (u32 u = 0; u < v; ++u) (left[u] ? to_left : to_right) += e[u];
        left[v] = !(to_left > to_right);
        if (v % 64 == 63) sink_.poll();
        if (kept) continue;
        for (u32 u = 0; u < v; ++u) moves[u] += left[u] == left[v] ? e[u] : -e[u];
        moves[v] = left[v] ? to_left - to_right : to_right - to_left;
        total_ += to_left + to_right;
    }
    return kept ? cut_of(std::move(left)) : Cut{std::move(left), std::move(moves)};
}

Graph::Cut Graph::cut_of(std::vector<u8> left) {
    std::vector<double> moves = gains_of_moves(left);
    return {std::move(left), std::move(moves)};
}

double Graph::weight(const Cut& cut) const {
    return (2 * total_ - std::accumulate(cut.moves.begin(), cut.moves.end(), 0.0)) / 4;
}

std::vector<double> Graph::gains_of_moves(std::span<const u8> left) {
    const u32 n = size(), k = t_.n_classes;
    std::vector<double> gains(n);
    if (by_class_) {
        std::vector<double> l(k, 0.0), r(k, 0.0), own(k);
        for (u32 v = 0; v < n; ++v)
            for (u32 c = 0; c < k; ++c) (left[v] ? l : r)[c] += t_.of(v)[c];
        for (u32 v = 0; v < n; ++v) {
            const Side value = side(t_.of(v));
            const auto& from = left[v] ? l : r;
            for (u32 c = 0; c < k; ++c) own[c] = std::max(0.0, from[c] - value.w[c]);
            gains[v] = graph_.edge(value, side(own)) - graph_.edge(value, side(left[v] ? r : l));
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
void Graph::move(Cut& cut, u32 value) {
    const double* e = row(value);
    const u8 from = cut.left[value];
    for (u32 u = 0; u < size(); ++u) cut.moves[u] += cut.left[u] == from ? -2 * e[u] : 2 * e[u];
    cut.moves[value] = -cut.moves[value];
    cut.left[value] ^= 1;
}

// A swap gains what the two moves gain, and twice the edge between the two, which stays cut.
bool Graph::swap_once(Cut& cut, double least) {
    const u32 n = size();
    const auto& [left, moves] = cut;
    for (u32 v = 0; v < n; ++v) {
        if (!left[v]) continue;
        const double* e = row(v);
        double top = -kInf;
        for (u32 u = 0; u < n; ++u) top = std::max(top, left[u] ? -kInf : moves[u] + 2 * e[u]);
        if (v % 64 == 63) sink_.poll();
        if (!(moves[v] + top > least)) continue;
        for (u32 u = 0; u < n; ++u)
            if (!left[u] && moves[v] + moves[u] + 2 * e[u] > least) {
                move(cut, v);
                move(cut, u);
                return true;
            }
    }
    return false;
}

std::vector<Param> local_params() {
    return {choice_param("local", "what improves the cut: moving one category and swapping two, moves only, or nothing",
                         {"swaps", "moves", "none"}),
            {"most_swapped", "categories up to which swaps are tried; beyond, moves only", Param::Type::integer, 2000,
             0, 1e9},
            {"most_steps", "most moves and swaps to make; 0: no limit", Param::Type::integer, 0, 0, 1e9},
            {"least_gain", "smallest gain for which a move or swap is made, as a share of the weight of all edges",
             Param::Type::real, 0, 0, 1}};
}

LocalSearch local_of(const Params& p, u32 most_swapped) {
    const u32 what = p.count("local");
    return {what == 0 ? most_swapped : 0, p.count("most_steps"), p.get("least_gain"), what < 2};
}

void Graph::improve(Cut& cut, const LocalSearch& local) {
    const double least = std::max(kTie, local.least_gain) * total_;  // rounding is no gain
    for (u64 step = 1; local.any && (local.most_steps == 0 || step <= local.most_steps); ++step) {
        u32 first = 0;
        while (first < size() && !(cut.moves[first] > least)) ++first;
        if (first < size()) {
            move(cut, first);
        } else if (size() > local.most_swapped || !swap_once(cut, least)) {
            return;
        }
        if (step % 16 == 0) sink_.poll();
        if (step % 4096 == 0) cut.moves = gains_of_moves(cut.left);  // sums of fractions drift
    }
}

}  // namespace bough
