// What each file of bind/ adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace bough {

void bind_data(nanobind::module_& m);
void bind_tree(nanobind::module_& m);
void bind_mean(nanobind::module_& m);
void bind_explain(nanobind::module_& m);
void bind_grow(nanobind::module_& m);
void bind_boost(nanobind::module_& m);
void bind_partition(nanobind::module_& m);
void bind_distributed(nanobind::module_& m);
void bind_registry(nanobind::module_& m);
void bind_linalg(nanobind::module_& m);

}  // namespace bough
