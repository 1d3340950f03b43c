#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_explain(nanobind::module_& m);

}  // namespace bough
