// Filters of nominal columns, which every selector has: columns that tell too little at a node, and columns
// that are all but constant there. Numeric columns always pass.
#pragma once

#include <algorithm>

#include "base/chi2.hpp"
#include "grow/registry.hpp"
#include "selectors/association.hpp"

namespace bough {

class Filters {
   public:
    static std::vector<Param> params() {
        return {
            {"chi2_filter",
             "a nominal column whose χ² test at the node has a p-value this large is not split there; 1: no filter",
             Param::Type::real, 1, 0, 1},
            {"min_second_value",
             "a nominal column whose second most frequent category has fewer rows at the node is not split there or "
             "below; 0: no filter",
             Param::Type::integer, 0, 0, 4294967295.0}};
    }

    explicit Filters(const Params& params)
        : log_most_(std::log(params.get("chi2_filter"))), second_(params.count("min_second_value")) {}

    bool any() const { return log_most_ < 0 || second_ > 0; }

    // The rows of a value at a child are among those at the node, so what fails here fails below too.
    bool pass(const Node& node, const Contingency& t, double cases) const {
        if (second_ > 0 && second_largest(t.rows) < second_) return false;
        if (!(log_most_ < 0)) return true;
        const Association a = association(node, t);
        return a.df > 0 && chi2_log_tail(cases * a.share, a.df) < log_most_;
    }

   private:
    static u32 second_largest(std::span<const u32> rows) {
        u32 first = 0, second = 0;
        for (u32 r : rows) {
            second = std::max(second, std::min(first, r));
            first = std::max(first, r);
        }
        return second;
    }

    double log_most_;
    u32 second_;
};

}  // namespace bough
