// axis for nodes that look at few columns of many: see axis_drawn.cpp.
#pragma once

#include "data/sample.hpp"
#include "grow/family.hpp"

namespace bough {

bool drawn_axis_fits(const Data& data);
std::unique_ptr<Family> make_drawn_axis(const Problem& problem);

}  // namespace bough
