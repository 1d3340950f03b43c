// Compiles BOUGH_BODY, a file of loops over rows, once for each kernel set, in the namespaces portable, avx2 and
// avx512: BOUGH_TARGET is the attribute of its functions, kBytes the size of a vector. BOUGH_MASKED tells the last one.
// No include guard.
#include "base/kernels.hpp"

#ifdef BOUGH_X86
#include <immintrin.h>
#endif

namespace bough {

namespace {

namespace portable {
constexpr std::size_t kBytes = 16;
#define BOUGH_TARGET
#include BOUGH_BODY
#undef BOUGH_TARGET
}  // namespace portable

#ifdef BOUGH_X86
namespace avx2 {
constexpr std::size_t kBytes = 32;
#define BOUGH_TARGET __attribute__((target("avx2")))
#include BOUGH_BODY
#undef BOUGH_TARGET
}  // namespace avx2

namespace avx512 {
constexpr std::size_t kBytes = 64;
#define BOUGH_MASKED
#define BOUGH_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
#include BOUGH_BODY
#undef BOUGH_TARGET
#undef BOUGH_MASKED
}  // namespace avx512
#else
namespace avx2 = portable;
namespace avx512 = portable;
#endif

}  // namespace

}  // namespace bough
