// The plan as Python wrote it.
#pragma once

#include <nanobind/nanobind.h>

#include "bind/data.hpp"
#include "grow/grow.hpp"

namespace bough {

// What bough.estimators.plan.Plan says; `functions` gets those of the user's own, which are not yet in the plan.
Plan plan_of(nanobind::handle from, nanobind::handle& functions);

}  // namespace bough
