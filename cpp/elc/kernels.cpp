#include "elc/kernels.hpp"

#include <algorithm>
#include <bit>

#include "base/dot.hpp"

#define BOUGH_BODY "elc/kernels_body.hpp"
#include "base/each_kernel_set.hpp"

namespace bough::elc {

const CellKernels& cell_kernels() {
    if (kernel_set() == KernelSet::avx512) return avx512::kKernels;
    return kernel_set() == KernelSet::avx2 ? avx2::kKernels : portable::kKernels;
}

}  // namespace bough::elc
