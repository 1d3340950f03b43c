#pragma once

namespace bough {

struct Registry;

// Fills the registry with everything that plugins.cpp lists.
void register_plugins(Registry& r);

}  // namespace bough
