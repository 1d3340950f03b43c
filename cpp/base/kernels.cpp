#include "base/kernels.hpp"

#include <atomic>
#include <cstdlib>

namespace bough {

namespace {

constexpr const char* kNames[] = {"portable", "avx2", "avx512"};

bool runs_here(KernelSet set) {
#ifdef BOUGH_X86
    if (set == KernelSet::avx2) return __builtin_cpu_supports("avx2");
    if (set == KernelSet::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
    return set == KernelSet::portable;
}

KernelSet named(const std::string& name) {
    std::string all;
    for (u8 i = 0; i < std::size(kNames); ++i) {
        if (!runs_here(static_cast<KernelSet>(i))) continue;
        if (name == kNames[i]) return static_cast<KernelSet>(i);
        all += (all.empty() ? "" : ", ") + std::string(kNames[i]);
    }
    throw std::invalid_argument("this machine has no kernels called '" + name + "'; it has " + all);
}

std::atomic<KernelSet>& chosen() {
    static std::atomic<KernelSet> set = [] {
        if (const char* name = std::getenv("BOUGH_KERNELS"); name && *name) return named(name);
        return named(kernel_names().back());
    }();
    return set;
}

}  // namespace

KernelSet kernel_set() { return chosen().load(std::memory_order_relaxed); }

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (u8 i = 0; i < std::size(kNames); ++i)
        if (runs_here(static_cast<KernelSet>(i))) names.emplace_back(kNames[i]);
    return names;
}

std::string kernels_in_use() { return kNames[static_cast<u8>(kernel_set())]; }

void use_kernels(const std::string& name) { chosen().store(named(name)); }

}  // namespace bough
