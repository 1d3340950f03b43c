// Growth of a tree whose rows lie on several machines, as Python sees it: messages are bytes.
#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_distributed(nanobind::module_& m);

}  // namespace bough
