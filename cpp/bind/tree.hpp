// Tree as Python sees it.
#pragma once

#include <nanobind/nanobind.h>

#include "score/scorer.hpp"

namespace bough {

// The scorer of a criterion for sides of all classes, with their costs or none.
std::unique_ptr<Scorer> scorer_of(const std::string& criterion, u32 n_classes, const std::vector<double>& costs);

void bind_tree(nanobind::module_& m);

}  // namespace bough
