// Tree as Python sees it.
#pragma once

#include <nanobind/nanobind.h>

#include "bind/data.hpp"
#include "score/scorer.hpp"
#include "tree/tree.hpp"

namespace bough {

// The scorer of a criterion for sides of all classes, with their costs or none.
std::unique_ptr<Scorer> scorer_of(const std::string& criterion, u32 n_classes, const std::vector<double>& costs);

// The columns of a table that a tree can be asked about; says what is wrong if they are not those of training.
std::span<const Column> input_of(const TreeParts& parts, const Columns& columns);

}  // namespace bough
