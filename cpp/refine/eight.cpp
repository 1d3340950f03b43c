#include "refine/eight.hpp"

#include "base/kernels.hpp"
#include "base/slack.hpp"

#ifdef BOUGH_X86
#include <immintrin.h>
#endif

namespace bough {

namespace {
constexpr double kLargest = 40;  // logits beyond this are 0 and 1
// All bits of one lane; the last one has none.
alignas(64) constexpr i64 kOnly[kDotLanes + 1][kDotLanes] = {
    {-1, 0, 0, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 0, 0, 0}, {0, 0, -1, 0, 0, 0, 0, 0},
    {0, 0, 0, -1, 0, 0, 0, 0}, {0, 0, 0, 0, -1, 0, 0, 0}, {0, 0, 0, 0, 0, -1, 0, 0},
    {0, 0, 0, 0, 0, 0, -1, 0}, {0, 0, 0, 0, 0, 0, 0, -1}, {}};
}  // namespace

namespace eight_portable {
constexpr std::size_t kBytes = 16;
#define BOUGH_TARGET
#include "refine/eight_body.hpp"
#undef BOUGH_TARGET
}  // namespace eight_portable

#ifdef BOUGH_X86
namespace eight_avx2 {
constexpr std::size_t kBytes = 32;
#define BOUGH_TARGET __attribute__((target("avx2")))
#include "refine/eight_body.hpp"
#undef BOUGH_TARGET
}  // namespace eight_avx2

namespace eight_avx512 {
constexpr std::size_t kBytes = 64;
#define BOUGH_MASKED
#define BOUGH_TARGET __attribute__((target("avx512f,avx512vl,avx512dq")))
#include "refine/eight_body.hpp"
#undef BOUGH_TARGET
#undef BOUGH_MASKED
}  // namespace eight_avx512
#define BOUGH_BY_KERNELS(call)                                        \
    if (kernel_set() == KernelSet::avx512) return eight_avx512::call; \
    if (kernel_set() == KernelSet::avx2) return eight_avx2::call;     \
    return eight_portable::call
#else
#define BOUGH_BY_KERNELS(call) return eight_portable::call
#endif

Two logit_rows(const LogitRows& rows) { BOUGH_BY_KERNELS(logit_rows(rows)); }
Two positions(const LogitRows& rows, double* to) { BOUGH_BY_KERNELS(positions(rows, to)); }
Products products(u32 n, const double* a, const double* b, const double* x, const double* const* y, u32 n_y) {
    BOUGH_BY_KERNELS(products(n, a, b, x, y, n_y));
}
void most_before(const GainLists& list, double* to) { BOUGH_BY_KERNELS(most_before(list, to)); }
void least_behind(const GainLists& list, double* to) { BOUGH_BY_KERNELS(least_behind(list, to)); }
void sums_of_values(const GainLists& list, double* gains, double* counts) {
    BOUGH_BY_KERNELS(sums_of_values(list, gains, counts));
}

}  // namespace bough
