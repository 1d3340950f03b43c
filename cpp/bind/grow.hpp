// Growing: the plan as Python wrote it, and the call that Python waits for.
#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_grow(nanobind::module_& m);

}  // namespace bough
