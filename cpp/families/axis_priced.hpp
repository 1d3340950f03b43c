// axis with parameters: as C4.5 cuts.
#pragma once

#include "base/threshold.hpp"
#include "grow/family.hpp"

namespace bough {

// Where a cut is stored between two values: at their midpoint, or just below it.
inline double cut_between(double low, double high, bool below) {
    const double middle = between(low, high);
    return below && middle > low ? std::nextafter(middle, low) : middle;
}

// The parameters of axis; those that are not at their defaults make it a priced one.
std::vector<Param> priced_params();
bool is_priced(const Params& params);
std::unique_ptr<Family> make_priced_axis(const Problem& problem, const Params& params);

}  // namespace bough
