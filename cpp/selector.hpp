// Selectors say which columns of a node may be split, or that none may.
#pragma once

#include "family.hpp"

namespace bough {

class Selector {
   public:
    virtual ~Selector() = default;
    // Sets allowed[column] to 0 for the columns that may not be split; false leaves the node alone.
    virtual bool select(const Node& node, Workplace& place, std::span<u8> allowed) = 0;
};

}  // namespace bough
