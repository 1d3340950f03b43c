#include "elc/kernels.hpp"

#include <algorithm>
#include <bit>

#include "base/dot.hpp"
#include "base/kernels.hpp"

#ifdef BOUGH_X86
#include <immintrin.h>
#endif

namespace bough::elc {

namespace {

constexpr u32 kLanes = kDotLanes;  // every variant sums weights in eight lanes, so that all round alike

namespace portable {
constexpr std::size_t kBytes = 16;
#define BOUGH_TARGET
#include "elc/kernels_body.hpp"
#undef BOUGH_TARGET
}  // namespace portable

#ifdef BOUGH_X86
namespace avx2 {
constexpr std::size_t kBytes = 32;
#define BOUGH_TARGET __attribute__((target("avx2")))
#include "elc/kernels_body.hpp"
#undef BOUGH_TARGET
}  // namespace avx2

namespace avx512 {
constexpr std::size_t kBytes = 64;
#define BOUGH_MASKED
#define BOUGH_TARGET __attribute__((target("avx512f,avx512vl,avx512dq")))
#include "elc/kernels_body.hpp"
#undef BOUGH_TARGET
#undef BOUGH_MASKED
}  // namespace avx512
#endif

}  // namespace

const CellKernels& cell_kernels() {
#ifdef BOUGH_X86
    if (kernel_set() == KernelSet::avx512) return avx512::kKernels;
    if (kernel_set() == KernelSet::avx2) return avx2::kKernels;
#endif
    return portable::kKernels;
}

}  // namespace bough::elc
