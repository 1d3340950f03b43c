// Principal components of a centred matrix by the smaller of its two eigenproblems.
#pragma once

#include "base/budget.hpp"
#include "base/info.hpp"
#include "base/linalg.hpp"
#include "directions/engine.hpp"

namespace bough {

// The directions in which the rows of an n × d matrix vary, the widest first, at most `most` of them (0: all);
// those without variance, or with no more than `share` of the largest, are left out. `d` coefficients each.
std::vector<double> components(const double* x, u32 n, u32 d, u32 most, Budget* budget, double share = 0);
// The same from the Gram matrix of such rows: its eigenvectors.
std::vector<double> widest_axes(std::vector<double> gram, u32 size, u32 most, Budget* budget, double share = 0);

inline Param components_param() {
    return {"n_components",
            "how many components are tried, largest variance first; 0: all with any variance",
            Param::Type::integer,
            0,
            0,
            1e9};
}

}  // namespace bough
