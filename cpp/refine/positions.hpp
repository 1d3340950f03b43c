// Where rows are along a linear split, as position() has it to the bit: a column with a score for each of its values is
// looked up by code, not compared with one value after the other.
#pragma once

#include "tree/route.hpp"

namespace bough {

class Positions {
   public:
    Positions(const SplitView& view, std::span<const Column> columns) : fills_gaps_(view.gaps_at_center) {
        for (u32 t = 0; t < view.term_columns.size(); ++t) {
            const u32 c = view.term_columns[t], value = view.term_values.empty() ? kNone : view.term_values[t];
            if (value == kNone || terms_.empty() || terms_.back().column != c) {
                terms_.push_back({&columns[c],
                                  c,
                                  t % kDotLanes,
                                  view.centers.empty() ? 0.0 : view.centers[c],
                                  view.term_weights[t],
                                  {}});
                if (value != kNone) terms_.back().of_code.resize(columns[c].n_values);
            }
            if (value != kNone) terms_.back().of_code[value] = {view.term_weights[t], t % kDotLanes};
        }
    }
    double operator()(u64 row) const {
        double lanes[kDotLanes] = {};
        for (const Term& t : terms_) {
            if (!t.of_code.empty()) {
                const auto& [weight, lane] = t.of_code[static_cast<u32>(t.x->codes[row])];
                lanes[lane] += weight;
                continue;
            }
            const double v = t.x->value(row) - t.center;
            lanes[t.lane] += t.weight * (fills_gaps_ && is_missing(v) ? 0.0 : v);
        }
        return sum_lanes(lanes);
    }

   private:
    struct Term {
        const Column* x;
        u32 column, lane;
        double center, weight;
        std::vector<std::pair<double, u32>> of_code;  // of a nominal column
    };
    bool fills_gaps_;
    std::vector<Term> terms_;
};

}  // namespace bough
