// Functions of the user's own.
#pragma once

#include <nanobind/nanobind.h>

#include "score/functions.hpp"

namespace bough {

// The functions of a plan, by name. What one of them raises is kept in `raised`, too: while it is on its
// way to the caller another thread may come to its end first.
Functions functions_of(const nanobind::dict& given, std::exception_ptr& raised);

}  // namespace bough
