#include "nominal/symmetric.hpp"

#include <algorithm>

namespace bough {

// Cyclic Jacobi rotations: slow for large matrices, but these have as many rows as there are classes,
// and its eigenvectors are right to the last digits also where eigenvalues are close.
std::vector<double> first_component(std::vector<double> a, u32 k) {
    std::vector<double> vectors(std::size_t{k} * k, 0.0);
    for (u32 i = 0; i < k; ++i) {
        vectors[i * k + i] = 1;
        for (u32 j = i + 1; j < k; ++j) a[i * k + j] = a[j * k + i];
    }
    for (int round = 0; round < 60; ++round) {
        double off = 0, on = 0;
        for (u32 i = 0; i < k; ++i)
            for (u32 j = 0; j < k; ++j) (i == j ? on : off) += a[i * k + j] * a[i * k + j];
        if (!(off > 1e-30 * on)) break;
        for (u32 p = 0; p < k; ++p)
            for (u32 q = p + 1; q < k; ++q) {
                const double apq = a[p * k + q];
                if (apq == 0) continue;
                const double theta = (a[q * k + q] - a[p * k + p]) / (2 * apq);
                const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (u32 i = 0; i < k; ++i) {
                    const double x = a[p * k + i], y = a[q * k + i];
                    a[p * k + i] = c * x - s * y;
                    a[q * k + i] = s * x + c * y;
                }
                for (u32 i = 0; i < k; ++i) {
                    const double x = a[i * k + p], y = a[i * k + q];
                    a[i * k + p] = c * x - s * y;
                    a[i * k + q] = s * x + c * y;
                }
                for (u32 i = 0; i < k; ++i) {  // eigenvectors are kept as rows
                    const double x = vectors[p * k + i], y = vectors[q * k + i];
                    vectors[p * k + i] = c * x - s * y;
                    vectors[q * k + i] = s * x + c * y;
                }
            }
    }
    u32 top = 0;
    for (u32 i = 1; i < k; ++i)
        if (a[i * k + i] > a[top * k + top]) top = i;
    std::vector<double> v(vectors.begin() + top * k, vectors.begin() + (top + 1) * k);
    const auto first = std::find_if(v.begin(), v.end(), [](double x) { return std::fabs(x) > 1e-12; });
    if (first != v.end() && *first < 0)
        for (double& x : v) x = -x;
    return v;
}

}  // namespace bough
