// Which columns random looks at and where it cuts them: drawn by the seed and the node alone.
#pragma once

#include "base/rng.hpp"

namespace bough {

// The least and the greatest number of a column at a node.
struct RandomRange {
    double low, high;
    double at(double u) const {
        const double x = low * (1 - u) + high * u;  // high − low may be too large for a number
        return x >= low && x < high ? x : low;
    }
};

// Draws of n columns without repetition until `tries` of them (0: all) have two numbers; calls take(j, cut) for each of
// these after range(j) has told its range.
template <class RangeOf, class Take>
void draw_cuts(u64 seed, u64 path, u32 n, u32 tries, std::vector<u32>& left, RangeOf range, Take take) {
    left.resize(n);
    for (u32 j = 0; j < n; ++j) left[j] = j;
    Rng rng = Rng::at(seed, path);
    for (u32 taken = 0; (tries == 0 || taken < tries) && !left.empty();) {
        const u32 i = rng.below(static_cast<u32>(left.size())), j = left[i];
        left[i] = left.back();
        left.pop_back();
        const RandomRange r = range(j);
        if (!(r.low < r.high)) continue;
        ++taken;
        take(j, r.at(rng.uniform()));
    }
}

}  // namespace bough
