// The presorted lists of axis over positions along directions that are the same at every node.
#pragma once

#include <functional>

#include "grow/family.hpp"

namespace bough {

struct ProjectedDirections {
    std::span<const u32> first;     // per direction: the first column of the user's table that takes part
    std::span<const double> blurs;  // per direction: positions this close are one
    u32 family = kNone;             // whose candidates the cuts are: Payload::a the direction, Payload::x the cut
    std::function<Split(u32 direction, double cut)> split;  // of the user's table
};

// A family that cuts the columns of `positions.table`, one for each direction.
std::unique_ptr<Family> make_projected_axis(const Problem& positions, const ProjectedDirections& along);

}  // namespace bough
