// `_core.partition`: nominal searches on tables.
#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_partition(nanobind::module_& m);

}  // namespace bough
