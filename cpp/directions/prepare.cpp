#include "directions/prepare.hpp"

#include <algorithm>

#include "base/slack.hpp"
#include "directions/engine.hpp"

namespace bough {

bool prepare(const Problem& problem, std::span<const u32> numeric, std::span<const u32> columns,
             const double* direction, double* w, Direction& made) {
    const u32 d = static_cast<u32>(columns.size());
    double most = 0;
    for (u32 j = 0; j < d; ++j) most = std::max(most, std::fabs(direction[j]));
    if (!(most > 0) || !std::isfinite(most)) return false;
    if (most < 0x1p-900 || most > 0x1p900) {  // 1/most would be no number
        std::vector<double> near(direction, direction + d);
        for (double& v : near) v = std::ldexp(v, -std::ilogb(most));
        return prepare(problem, numeric, columns, near.data(), w, made);
    }
    const double inverse = 1 / most, least = kCoefficient * most;
    double square = 0;
    for (u32 j = 0; j < d; ++j) {
        const double v = std::fabs(direction[j]) > least ? direction[j] * inverse : 0.0;
        square += v * v;
    }
    u32 first = 0;
    while (!(std::fabs(direction[first]) > least)) ++first;
    const double scale = (direction[first] > 0 ? 1 : -1) / (std::sqrt(square) * most);
    made.first = columns[first];
    std::fill(w, w + numeric.size(), 0.0);
    double reach = 0;
    for (u32 j = 0; j < d; ++j) {
        const u32 c = columns[j];
        w[c] = std::fabs(direction[j]) > least ? direction[j] * scale : 0.0;
        if (problem.standardize) w[c] /= problem.moments.spreads[numeric[c]];
        reach += std::fabs(w[c]) * problem.moments.magnitudes[numeric[c]];
    }
    made.blur = blur_of(static_cast<u32>(numeric.size()), reach);
    return std::isfinite(reach);
}

}  // namespace bough
