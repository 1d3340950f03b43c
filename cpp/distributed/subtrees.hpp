// The subtrees below nodes whose rows were sent to one place.
#pragma once

#include "distributed/layout.hpp"
#include "distributed/messages.hpp"

namespace bough {

// `taken`: the answers of all portions to a request for the rows of moved nodes, in the order of the portions.
Answer grow_moved(const Request& request, const Layout& layout, Plan plan, std::span<const Answer> taken,
                  Budget& budget);

}  // namespace bough
