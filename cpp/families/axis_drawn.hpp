// axis for nodes that look at few columns of many: see axis_drawn.cpp.
#pragma once

#include "grow/family.hpp"

namespace bough {

std::unique_ptr<Family> make_drawn_axis(const Problem& problem);

}  // namespace bough
