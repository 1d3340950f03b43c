#include "refine/lanes.hpp"

#include <algorithm>

#define BOUGH_BODY "refine/lanes_body.hpp"
#include "base/each_kernel_set.hpp"

namespace bough {

void lane_costs(const LaneRows& rows, u32 n_splits, std::vector<LaneBlock>& scratch, LaneCosts& to) {
    const std::size_t k = rows.n_classes, n = rows.n;
    if (k > 2) scratch.resize(std::max(scratch.size(), 6 * k + 2 + std::max(2 * n, k * (k - 1))));
    auto* run = &portable::lane_costs;
    if (kernel_set() == KernelSet::avx2) run = &avx2::lane_costs;
    if (kernel_set() == KernelSet::avx512) run = &avx512::lane_costs;
    run(rows, n_splits, scratch.data(), to);
}

}  // namespace bough
