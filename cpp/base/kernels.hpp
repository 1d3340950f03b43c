// The loops that gain from wider vectors than every x86-64 machine has: compiled for several of them,
// chosen when the module is loaded. All variants give the same results.
#pragma once

#include <string>

#include "base/integers.hpp"
#include "elc/kernels.hpp"

namespace bough {

struct Kernels {
    // See partition_marked in partition.hpp; both sides are kept.
    u32 (*partition_both)(u32* entries, u32 size, u32 row_mask, const u32* marks, u32* spare);
    // Moves the entries whose mark is `wanted` to the front; returns their number.
    u32 (*partition_one)(u32* entries, u32 size, u32 row_mask, const u32* marks, u32 wanted);
    // How many of 256 entries have (e & mask) == value.
    u32 (*count_block)(const u32* entries, u32 mask, u32 value);
    // Of searches through cells of hyperplanes.
    const elc::CellKernels* cells;
};

const Kernels& kernels();

// Names of the variants that this machine can run, the best one last.
std::vector<std::string> kernel_names();
// Chooses one of them for the whole process; for tests and measurements.
void use_kernels(const std::string& name);

}  // namespace bough
