#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_mean(nanobind::module_& m);

}  // namespace bough
