#include "refine/lanes.hpp"

#include <algorithm>

#include "base/kernels.hpp"

#ifdef BOUGH_X86
#include <immintrin.h>
#endif

namespace bough {

namespace lanes_portable {
constexpr std::size_t kBytes = 16;
#define BOUGH_TARGET
#include "refine/lanes_body.hpp"
#undef BOUGH_TARGET
}  // namespace lanes_portable

#ifdef BOUGH_X86
namespace lanes_avx2 {
constexpr std::size_t kBytes = 32;
#define BOUGH_TARGET __attribute__((target("avx2")))
#include "refine/lanes_body.hpp"
#undef BOUGH_TARGET
}  // namespace lanes_avx2

namespace lanes_avx512 {
constexpr std::size_t kBytes = 64;
#define BOUGH_MASKED
#define BOUGH_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
#include "refine/lanes_body.hpp"
#undef BOUGH_TARGET
#undef BOUGH_MASKED
}  // namespace lanes_avx512
#endif

void lane_costs(const LaneRows& rows, u32 n_splits, std::vector<LaneBlock>& scratch, LaneCosts& to) {
    const std::size_t k = rows.n_classes, n = rows.n;
    if (k > 2) scratch.resize(std::max(scratch.size(), 6 * k + 2 + std::max(2 * n, k * (k - 1))));
#ifdef BOUGH_X86
    if (kernel_set() == KernelSet::avx512) return lanes_avx512::lane_costs(rows, n_splits, scratch.data(), to);
    if (kernel_set() == KernelSet::avx2) return lanes_avx2::lane_costs(rows, n_splits, scratch.data(), to);
#endif
    lanes_portable::lane_costs(rows, n_splits, scratch.data(), to);
}

}  // namespace bough
