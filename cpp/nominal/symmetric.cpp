#include "nominal/symmetric.hpp"

#include <algorithm>

#include "base/linalg.hpp"

namespace bough {

std::vector<double> first_component(std::vector<double> a, u32 k) {
    std::vector<double> vectors(std::size_t{k} * k);
    for (u32 i = 0; i < k; ++i)
        for (u32 j = i + 1; j < k; ++j) a[i * k + j] = a[j * k + i];
    linalg::rotate(a.data(), vectors.data(), k);
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
