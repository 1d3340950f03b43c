// Values with equal class shares as one: no convex criterion gains by parting them.
#pragma once

#include "nominal/family.hpp"

namespace bough {

struct Supervalues {
    Contingency table;       // a row for each supervalue, in the order of their first values
    std::vector<u32> group;  // per value of the original table

    explicit Supervalues(const Contingency& t);
    // A partition of the supervalues as one of the values.
    std::vector<u8> expand(std::span<const u8> left) const {
        std::vector<u8> out(group.size());
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = left[group[v]];
        return out;
    }
};

}  // namespace bough
