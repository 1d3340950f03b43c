// A nominal search by itself: the best partition of a table that is given as such.
#pragma once

#include <map>

#include "base/budget.hpp"
#include "grow/registry.hpp"
#include "nominal/contingency.hpp"

namespace bough {

struct TablePartition {
    std::vector<u8> left;  // per value of the table; those without weight are not on the left
    double gain = kNaN;    // NaN: there is nothing to part
    double bound = kInf;   // no partition gains more; +inf: the search proves nothing
};

TablePartition partition_table(const double* table, u32 n, u32 k, const std::string& criterion,
                               const FamilyPlugin& search, const std::map<std::string, double>& params,
                               std::span<const double> costs, u64 seed, Budget& budget);

}  // namespace bough
