// What hhcart_a and hhcart_d share: reflections that bring an eigenvector of a class's covariance onto the
// first axis. The columns of such a reflection are the axes of the space in which HHCART looks for axis cuts.
#pragma once

#include "base/slack.hpp"
#include "directions/components.hpp"

namespace bough {

// Where a cut is put.
inline std::vector<Param> reflection_params() {
    return {choice_param(
        "cut",
        "where the cut goes: midway between two positions, or at the lower one (the authors' program also cuts at "
        "data values)",
        {"midpoint", "value"})};
}

// Vectors of length 1 whose first coefficient that counts is positive, with none for a column that does not vary.
inline std::vector<double> unit_vectors(std::vector<double> vectors, std::span<const u8> varies) {
    const std::size_t d = varies.size();
    for (std::size_t at = 0; at < vectors.size(); at += d) {
        const std::span<double> v(vectors.data() + at, d);
        for (u32 c = 0; c < d; ++c)
            if (!varies[c]) v[c] = 0;  // solvers leave traces there
        double length = 0, most = 0;
        for (double c : v) length += c * c, most = std::max(most, std::fabs(c));
        length = std::sqrt(length);
        for (double c : v)  // the first coefficient that counts is positive
            if (std::fabs(c) > kSign * most) {
                if (c < 0) length = -length;
                break;
            }
        for (double& c : v) c /= length;
    }
    return vectors;
}

// Eigenvectors of the covariance of a class, the one of the largest eigenvalue first, by rows. Those whose
// eigenvalue is nothing beside the largest are left out, for they could be any basis of what they span.
inline std::vector<double> orientation(const DirectionNode& node, const NodeMatrix& x, std::span<const u32> rows,
                                       bool all) {
    const u32 n = static_cast<u32>(rows.size()), d = x.d;
    std::vector<double> mean(d, 0.0), a(std::size_t{n} * d);
    std::vector<u8> varies(d, 0);
    double weight = 0, size = 0;
    for (u32 i : rows) {
        weight += node.weight(i);
        for (u32 c = 0; c < d; ++c) mean[c] += node.weight(i) * x.row(i)[c];
    }
    for (u32 i = 0; i < n; ++i) {
        const double root = std::sqrt(node.weight(rows[i]) / weight);
        for (u32 c = 0; c < d; ++c) {
            const double value = x.row(rows[i])[c], apart = value - mean[c] / weight;
            // What the rounding of their mean leaves of equal numbers is nothing.
            const bool nothing = std::fabs(apart) <= kOfMean * (std::fabs(value) + std::fabs(x.mean[c]));
            a[std::size_t{i} * d + c] = nothing ? 0.0 : root * apart;
            varies[c] |= !nothing;
            size = std::max(size, std::fabs(a[std::size_t{i} * d + c]));
        }
    }
    if (!(size > 0) || !std::isfinite(size)) return {};
    for (double& v : a) v /= size;  // very small or large numbers have no squares
    return unit_vectors(components(a.data(), n, d, all ? 0 : 1, node.problem.budget), varies);
}

// The columns of I − 2·u·uᵀ, u along e1 − v, by rows; the first of them is v. H = I where v is e1.
inline std::vector<double> reflection(std::span<const double> v) {
    const std::size_t d = v.size();
    double rest = 0;  // ‖v‖² without the first coefficient
    for (std::size_t c = 1; c < d; ++c) rest += v[c] * v[c];
    std::vector<double> u(d), h(d * d, 0.0);
    u[0] = rest / (1 + v[0]);  // 1 − v[0], which is never negative
    for (std::size_t c = 1; c < d; ++c) u[c] = -v[c];
    double squares = 0;
    for (double c : u) squares += c * c;
    for (std::size_t j = 0; j < d; ++j) {
        h[j * d + j] = 1;
        for (std::size_t c = 0; squares > 0 && c < d; ++c) h[j * d + c] -= 2 * u[j] * u[c] / squares;
    }
    return h;
}

// Offers the axes of the reflections of every class. A class of equal rows has no orientation and keeps the axes as
// they are. Where numbers are predicted the node is reflected as one class.
inline void find_reflections(DirectionNode& node, bool all) {
    const NodeMatrix x = node.matrix();
    const bool numbers = node.problem.target->regression();
    std::vector<std::vector<u32>> groups(numbers ? 1 : node.node.weights.size());
    for (u32 i = 0; i < x.n; ++i) groups[numbers ? 0 : node.cls(i)].push_back(i);
    bool axes = false;
    for (const auto& rows : groups) {
        if (rows.empty()) continue;
        node.problem.budget->poll();
        const std::vector<double> vectors = orientation(node, x, rows, all);
        axes |= vectors.empty();
        for (std::size_t at = 0; at < vectors.size(); at += x.d)
            node.offer(reflection(std::span(vectors).subspan(at, x.d)));
    }
    if (axes) {
        std::vector<double> unit(x.d, 0.0);
        unit[0] = 1;
        node.offer(reflection(unit));
    }
}

}  // namespace bough
