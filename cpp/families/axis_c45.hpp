// axis with parameters: as C4.5 cuts.
#pragma once

#include "grow/family.hpp"

namespace bough {

// The parameters of axis; those that are not at their defaults make it a priced one.
std::vector<Param> c45_params();
bool is_c45(const Params& params);
std::unique_ptr<Family> make_c45_axis(const Problem& problem, const Params& params);

}  // namespace bough
