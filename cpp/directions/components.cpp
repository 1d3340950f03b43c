#include "directions/components.hpp"

#include <algorithm>

#include "base/scale.hpp"
#include "base/slack.hpp"

namespace bough {

std::vector<double> widest_axes(std::vector<double> gram, u32 size, u32 most, Budget* budget, double share) {
    double largest = 0;
    for (u32 i = 0; i < size; ++i) largest = std::max(largest, gram[std::size_t{i} * size + i]);
    if (!(largest > 0)) return {};
    auto [values, vectors] = linalg::eigen(std::move(gram), size, *budget);
    u32 kept = 0;
    // Eigenvalues of a Gram matrix are right to about size·ε of the largest.
    const double least =
        std::max({kNoVariance, share, 4.0 * size * std::numeric_limits<double>::epsilon()}) * values[0];
    while (kept < size && values[kept] > least) ++kept;
    if (most > 0) kept = std::min(kept, most);
    vectors.resize(std::size_t{kept} * size);
    return std::move(vectors);
}

std::vector<double> components(const double* x, u32 n, u32 d, u32 most, Budget* budget, double share) {
    std::vector<double> near;
    if (const int exponent = wild_exponent({x, std::size_t{n} * d})) {
        near.assign(x, x + std::size_t{n} * d);
        for (double& v : near) v = std::ldexp(v, -exponent);
        x = near.data();
    }
    const u32 size = std::min(n, d);
    std::vector<double> gram(std::size_t{size} * size);
    if (d <= n)
        linalg::gram_of_columns(x, d, n, d, gram.data(), *budget);
    else
        linalg::gram_of_rows(x, d, n, d, gram.data(), *budget);
    std::vector<double> axes = widest_axes(std::move(gram), size, most, budget, share);
    if (d <= n) return axes;
    const u32 kept = static_cast<u32>(axes.size()) / std::max(1u, size);
    std::vector<double> out(std::size_t{kept} * d), turned(std::size_t{n} * d);  // the rows as columns
    for (u32 r = 0; r < n; ++r)
        for (u32 j = 0; j < d; ++j) turned[std::size_t{j} * n + r] = x[std::size_t{r} * d + j];
    const u32 some = static_cast<u32>(std::max<u64>(1, (u64{1} << 28) / (u64{n} * d)));  // between two polls
    for (u32 at = 0; at < kept; at += std::min(some, kept - at)) {
        budget->poll();
        linalg::products(turned.data(), n, d, axes.data() + std::size_t{at} * size, size, std::min(some, kept - at), n,
                         out.data() + std::size_t{at} * d, d);
    }
    return out;
}

}  // namespace bough
