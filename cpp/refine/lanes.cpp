#include "refine/lanes.hpp"

#include <algorithm>

#include "base/slack.hpp"
#include "refine/eight.hpp"

namespace bough {

namespace {
constexpr double kLargest = 40;  // logits beyond this are 0 and 1
// All bits of one lane; the last one has none.
alignas(64) constexpr i64 kOnly[kDotLanes + 1][kDotLanes] = {
    {-1, 0, 0, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 0, 0, 0}, {0, 0, -1, 0, 0, 0, 0, 0},
    {0, 0, 0, -1, 0, 0, 0, 0}, {0, 0, 0, 0, -1, 0, 0, 0}, {0, 0, 0, 0, 0, -1, 0, 0},
    {0, 0, 0, 0, 0, 0, -1, 0}, {0, 0, 0, 0, 0, 0, 0, -1}, {}};
}  // namespace

}  // namespace bough

#define BOUGH_BODY "refine/lanes_body.hpp"
#include "base/each_kernel_set.hpp"

#define BOUGH_CALL(f, ...)                          \
    (kernel_set() == KernelSet::avx512 ? &avx512::f \
     : kernel_set() == KernelSet::avx2 ? &avx2::f   \
                                       : &portable::f)(__VA_ARGS__)

namespace bough {

void lane_costs(const LaneRows& rows, u32 n_splits, std::vector<LaneBlock>& scratch, LaneCosts& to) {
    const std::size_t k = rows.n_classes, n = rows.n;
    if (k > 2) scratch.resize(std::max(scratch.size(), 6 * k + 2 + std::max(2 * n, k * (k - 1))));
    BOUGH_CALL(lane_costs, rows, n_splits, scratch.data(), to);
}

Two logit_rows(const LogitRows& rows) { return BOUGH_CALL(logit_rows, rows); }
Two positions(const LogitRows& rows, double* to) { return BOUGH_CALL(positions, rows, to); }
Products products(u32 n, const double* a, const double* b, const double* x, const double* const* y, u32 n_y) {
    return BOUGH_CALL(products, n, a, b, x, y, n_y);
}
void most_before(const GainLists& list, double* to) { BOUGH_CALL(most_before, list, to); }
void least_behind(const GainLists& list, double* to) { BOUGH_CALL(least_behind, list, to); }
void sums_of_values(const GainLists& list, double* gains, double* counts) {
    BOUGH_CALL(sums_of_values, list, gains, counts);
}

}  // namespace bough

#undef BOUGH_CALL
