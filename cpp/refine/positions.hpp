// Where rows are along an axis or a linear split, as position() has it to the bit, for many rows: a column with a score
// for each of its values is looked up by code, not compared with one value after the other.
#pragma once

#include "tree/route.hpp"

namespace bough {

class Positions {
   public:
    Positions(const SplitView& view, std::span<const Column> columns) : fills_gaps_(view.gaps_at_center) {
        if (view.kind == NodeKind::axis) terms_.push_back({&columns[view.column], view.column, 0, 0.0, 1.0, {}});
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
    // Calls visit(i, position of row_of(i)) for each i < n.
    template <class RowOf, class Visit>
    void each(u32 n, RowOf row_of, Visit visit) const {
        constexpr u32 kRows = 64;
        double lanes[kDotLanes][kRows], sum[kRows];
        for (u32 begin = 0; begin < n; begin += kRows) {
            const u32 m = std::min(kRows, n - begin);
            std::fill(&lanes[0][0], &lanes[0][0] + kDotLanes * kRows, 0.0);
            for (const Term& t : terms_) t.add(begin, m, row_of, fills_gaps_, lanes);
            for (u32 i = 0; i < kRows; ++i)  // as sum_lanes
                sum[i] = ((lanes[0][i] + lanes[4][i]) + (lanes[2][i] + lanes[6][i])) +
                         ((lanes[1][i] + lanes[5][i]) + (lanes[3][i] + lanes[7][i]));
            for (u32 i = 0; i < m; ++i) visit(begin + i, sum[i]);
        }
    }

   private:
    struct Term {
        const Column* x;
        u32 column, lane;
        double center, weight;
        std::vector<std::pair<double, u32>> of_code;  // of a nominal column

        template <class RowOf, class Lanes>
        void add(u32 begin, u32 m, RowOf row_of, bool fills_gaps, Lanes& lanes) const {
            for (u32 i = 0; i < m && !of_code.empty(); ++i) {
                const auto& [score, at] = of_code[static_cast<u32>(x->codes[row_of(begin + i)])];
                lanes[at][i] += score;
            }
            for (u32 i = 0; i < m && of_code.empty(); ++i) {
                const double v = x->value(row_of(begin + i)) - center;
                lanes[lane][i] += weight * (fills_gaps && is_missing(v) ? 0.0 : v);
            }
        }
    };
    bool fills_gaps_;
    std::vector<Term> terms_;
};

}  // namespace bough
