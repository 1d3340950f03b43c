// Portions of a table, and the tree that is grown from what they count, as Python sees them.
#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_pooled(nanobind::module_& m);

}  // namespace bough
