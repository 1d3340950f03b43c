// Large pages for memory that is read here and there: fewer addresses to look up. A hint, where the system takes it.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bough {

inline void prefer_large_pages([[maybe_unused]] void* from, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t kLarge = 1u << 21;
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(from) + kLarge - 1) / kLarge * kLarge;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(from) + bytes) / kLarge * kLarge;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace bough
