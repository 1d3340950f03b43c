// Which vectors the hot loops are written for: wider ones than every x86-64 machine has, chosen at run time. Rooms
// that have such loops (data/kernels, elc/kernels) keep one variant for each set; all give the same results.
#pragma once

#include <string>

#include "base/integers.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define BOUGH_X86 1
#endif

namespace bough {

enum class KernelSet : u8 { portable, avx2, avx512 };

// The set in use: the best that this machine can run, or the one named by the environment variable BOUGH_KERNELS
// when the first loop asks, or the last one that use_kernels chose.
KernelSet kernel_set();

// Names of the sets that this machine can run, the best one last.
std::vector<std::string> kernel_names();
std::string kernels_in_use();
// Chooses one of them for the whole process; for tests and measurements.
void use_kernels(const std::string& name);

}  // namespace bough
