// Small symmetric matrices.
#pragma once

#include "base/integers.hpp"

namespace bough {

// The unit eigenvector of the largest eigenvalue; `a` is k × k, its lower half is read. The first
// coefficient that is not 0 is positive.
std::vector<double> first_component(std::vector<double> a, u32 k);

}  // namespace bough
