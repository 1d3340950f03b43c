// Sorts keys by the rank in their upper bits: one pass into about as many buckets as keys, then insertion, because
// ranks are nearly even.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/integers.hpp"

namespace bough {

// Ranks are `low` at least and at most `range` larger; below them are so many bits of something else.
template <class Key>
void sort_by_rank(Key* keys, u32 size, int payload_bits, std::type_identity_t<Key> low, std::type_identity_t<Key> range,
                  RawBuffer<Key>& memory) {
    constexpr u32 kFew = 16, kMost = 4096, kLongBucket = 32;
    auto rank_of = [=](Key key) { return key >> payload_bits; };
    if (size > kFew) {
        u32 place[kMost + 4];
        const u32 buckets = std::min(std::bit_ceil(size), kMost);
        const int shift =
            std::max(0, static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(buckets) - 1));
        const u32 used = static_cast<u32>(range >> shift) + 1;
        u32 longest = 0;
        std::fill_n(place, used + 1, 0u);
        for (u32 i = 0; i < size; ++i) ++place[((rank_of(keys[i]) - low) >> shift) + 1];
        for (u32 b = 1; b <= used; ++b) {
            longest = std::max(longest, place[b]);
            place[b] += place[b - 1];
        }
        memory.grow_to(size);
        Key* const spare = memory.data();
        for (u32 i = 0; i < size; ++i) spare[place[(rank_of(keys[i]) - low) >> shift]++] = keys[i];
        std::copy_n(spare, size, keys);
        if (shift == 0) return;
        for (u32 b = 0, from = 0; longest > kLongBucket && b < used; from = place[b++])  // place[b]: its end
            if (place[b] - from > kLongBucket) std::sort(keys + from, keys + place[b]);
    }
    for (u32 i = 1; i < size; ++i) {
        const Key key = keys[i];
        const Key rank = rank_of(key);
        u32 j = i;
        for (; j > 0 && rank_of(keys[j - 1]) > rank; --j) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

}  // namespace bough
