// Which columns random looks at and where it cuts them: drawn by the seed and the node alone.
#pragma once

#include <algorithm>

#include "base/order.hpp"
#include "base/per_thread.hpp"
#include "base/rng.hpp"
#include "base/threshold.hpp"
#include "data/exact_sum.hpp"

namespace bough {

// Where a column is cut: anywhere between its least and greatest number, at the number of a row, or midway between two
// neighbouring numbers, each as likely as the others.
enum class Draw : u8 { range, row, midpoint };

// The least and the greatest number of a column at a node.
struct RandomRange {
    double low, high;
    double at(double u) const {
        const double x = low * (1 - u) + high * u;  // high − low may be too large for a number
        return x >= low && x < high ? x : low;
    }
};

// The cut that the share u of the way tells, among n numbers of which those that are missing do not count.
inline double drawn_cut(Draw draw, const double* values, u32 n, RandomRange r, double u, Budget& budget) {
    if (draw == Draw::range) return r.at(u);
    auto& scratch = per_thread<OrderScratch, struct ScratchHere>();
    u32 known, from = 0;
    const u64* order = order_rows(values, n, r.low, r.high, scratch, budget, known);
    auto number = [&](u32 i) { return values[static_cast<u32>(order[i])]; };
    auto of = [u](u32 m) { return std::min(m - 1, static_cast<u32>(u * m)); };
    while (known > 0 && number(known - 1) == r.high) --known;  // a cut there would leave nothing above
    if (draw == Draw::row) return number(of(known));
    for (u32 i = 1; i < known; ++i) from += number(i) != number(i - 1);
    u32 left = of(from + 1), i = 0;
    for (; i + 1 < known; ++i)
        if (number(i) != number(i + 1) && left-- == 0) break;
    return between(number(i), i + 1 < known ? number(i + 1) : r.high);
}

// Draws of n columns without repetition until `tries` of them (0: all) have two numbers; calls take(j, range, u)
// for each of these after range(j) has told its range; u is uniform in [0, 1).
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
        take(j, r, rng.uniform());
    }
}

// What is found out about columns of a node, side by side.
struct RandomColumns {
    std::vector<u32> which;  // ascending
    std::vector<double> low, high, gaps;
    std::vector<double> cuts;    // NaN: none
    std::vector<double> left_w;  // left of each cut, by class and column
    std::vector<double> line;
};

// The rows of a node, and both sides of one cut.
struct RandomRows {
    std::vector<double> values;
    std::vector<u32> places;  // of their classes among those that are here
    std::vector<double> weights;
    std::vector<ExactSum> numbers;        // of a numeric target
    std::vector<double> left_w, right_w;  // by class
    std::vector<u32> left;                // the same where every row weighs 1
};

}  // namespace bough
