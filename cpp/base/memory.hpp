// Hints about memory that is read here and there, where the system and the processor take them.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bough {

// Will be read after a few other things.
inline void fetch_soon([[maybe_unused]] const void* at) {
#ifdef __GNUC__
    __builtin_prefetch(at);
#endif
}

// Fewer addresses to look up.
inline void prefer_large_pages([[maybe_unused]] void* from, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t kLarge = 1u << 21;
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(from) + kLarge - 1) / kLarge * kLarge;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(from) + bytes) / kLarge * kLarge;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace bough
