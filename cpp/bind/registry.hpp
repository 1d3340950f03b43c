// The list of plug-ins, as Python reads it.
#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_registry(nanobind::module_& m);

}  // namespace bough
