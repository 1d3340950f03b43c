// From data to a tree: a sample is drawn, a tree grown from it and cut back, as planned.
#pragma once

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/plan.hpp"
#include "tree/tree.hpp"

namespace bough {

Tree grow(const Data& data, const Sample& sample, const Plan& plan, Budget& budget);

}  // namespace bough
