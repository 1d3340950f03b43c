#include "data/kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/kernels.hpp"

#ifdef BOUGH_X86
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr u32 kCounted = 256;

u32 both_portable(u32* entries, u32 size, u32 row_mask, const u32* marks, u32* spare) {
    u32 front = 0, back = 0;
    for (u32 i = 0; i < size; ++i) {
        const u32 e = entries[i], row = e & row_mask, bit = marks[row >> 5] >> (row & 31) & 1;
        entries[front] = e;
        spare[back] = e;
        front += bit;
        back += 1 - bit;
    }
    std::copy_n(spare, back, entries + front);
    return front;
}
u32 count_portable(const u32* e, u32 mask, u32 value) {
    u32 n = 0;
    for (u32 i = 0; i < kCounted; ++i) n += (e[i] & mask) == value;
    return n;
}
void classes_portable(const u32* e, u32 size, int shift, u32 mask, u32* counts) {
    count_in_lanes<kFewClasses>(e, size, shift, mask, kFewClasses, counts);
}

#ifdef BOUGH_X86

// Classes are counted in words of sixteen digits of four bits, one for each class. Before a digit is full the words are
// added to bytes, every second class to `even`, the others to `odd`.
constexpr u64 kDigits = 0x0f0f0f0f0f0f0f0f, kBytes = 0x00ff00ff00ff00ff;
constexpr u32 kFull = 15;

// Sums of the bytes of all words: classes 0, 4, 8, 12 in the first, 1, 5 … in the second, four of sixteen bits in each.
void write_classes(const std::array<u64, 4>& sums, u32* counts) {
    for (u32 c = 0; c < kFewClasses; ++c) counts[c] = static_cast<u32>(sums[c % 4] >> (c / 4 * 16) & 0xffff);
}

// ---- AVX2: marks are gathered eight at a time, a table of permutations packs each side to the left

constexpr auto kPack = [] {
    std::array<u64, 256> table{};
    for (u32 bits = 0; bits < 256; ++bits) {
        u64 order = 0;
        u32 n = 0;
        for (u32 lane = 0; lane < 8; ++lane)
            if (bits >> lane & 1) order |= u64{lane} << (8 * n++);
        table[bits] = order;
    }
    return table;
}();

__attribute__((target("avx2"))) inline u32 marks_of_8(__m256i e, __m256i row_mask, const u32* marks) {
    const __m256i row = _mm256_and_si256(e, row_mask);
    const __m256i word = _mm256_i32gather_epi32(reinterpret_cast<const int*>(marks), _mm256_srli_epi32(row, 5), 4);
    // bring bit (row & 31) to the sign
    const __m256i shift = _mm256_andnot_si256(row, _mm256_set1_epi32(31));
    return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(word, shift))));
}
__attribute__((target("avx2"))) inline __m256i packed_left(__m256i e, u32 bits) {
    const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(kPack[bits])));
    return _mm256_permutevar8x32_epi32(e, order);
}

__attribute__((target("avx2"))) u32 both_avx2(u32* entries, u32 size, u32 row_mask, const u32* marks, u32* spare) {
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(row_mask));
    u32 front = 0, back = 0, i = 0;
    for (; i + 8 <= size; i += 8) {
        const __m256i e = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries + i));
        const u32 bits = marks_of_8(e, mask, marks), n = static_cast<u32>(std::popcount(bits));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(entries + front), packed_left(e, bits));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(spare + back), packed_left(e, bits ^ 255));
        front += n;
        back += 8 - n;
    }
    for (; i < size; ++i) {
        const u32 e = entries[i], row = e & row_mask, bit = marks[row >> 5] >> (row & 31) & 1;
        entries[front] = e;
        spare[back] = e;
        front += bit;
        back += 1 - bit;
    }
    std::copy(spare, spare + back, entries + front);
    return front;
}
__attribute__((target("avx2"))) u32 select_avx2(const u32* entries, u32 size, u32 row_mask, const u32* marks,
                                                u32 wanted, u32* to) {
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(row_mask));
    const u32 flip = wanted ? 0 : 255;
    u32 front = 0, i = 0;
    for (; i + 8 <= size; i += 8) {
        const __m256i e = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries + i));
        const u32 bits = marks_of_8(e, mask, marks) ^ flip;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + front), packed_left(e, bits));
        front += static_cast<u32>(std::popcount(bits));
    }
    for (; i < size; ++i) {
        const u32 e = entries[i], row = e & row_mask;
        to[front] = e;
        front += (marks[row >> 5] >> (row & 31) & 1) == wanted;
    }
    return front;
}
__attribute__((target("avx2"))) u32 count_avx2(const u32* e, u32 mask, u32 value) {
    __m256i sum = _mm256_setzero_si256();
    const __m256i m = _mm256_set1_epi32(static_cast<int>(mask)), v = _mm256_set1_epi32(static_cast<int>(value));
    for (u32 i = 0; i < kCounted; i += 8)
        sum = _mm256_sub_epi32(
            sum,
            _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(e + i)), m), v));
    alignas(32) u32 lanes[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum);
    u32 n = 0;
    for (u32 l : lanes) n += l;
    return n;
}
__attribute__((target("avx2"))) inline u64 sum_of_words(const __m256i& words) {
    alignas(32) u64 w[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(w), words);
    return w[0] + w[1] + w[2] + w[3];
}
__attribute__((target("avx2"))) void classes_avx2(const u32* e, u32 size, int shift, u32 mask, u32* counts) {
    const __m256i digits = _mm256_set1_epi64x(kDigits), bytes = _mm256_set1_epi64x(kBytes);
    const __m256i one = _mm256_set1_epi64x(1), first = _mm256_set1_epi64x(0xffffffff);
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(mask));
    const __m128i down = _mm_cvtsi32_si128(shift);
    __m256i even = _mm256_setzero_si256(), odd = even;
    u32 i = 0;
    while (size - i >= 8) {
        __m256i words = _mm256_setzero_si256();
        for (u32 left = std::min(kFull / 2, (size - i) / 8); left > 0; --left, i += 8) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(e + i));
            const __m256i digit = _mm256_slli_epi32(_mm256_and_si256(_mm256_srl_epi32(x, down), wanted), 2);
            words = _mm256_add_epi64(words, _mm256_sllv_epi64(one, _mm256_and_si256(digit, first)));
            words = _mm256_add_epi64(words, _mm256_sllv_epi64(one, _mm256_srli_epi64(digit, 32)));
        }
        even = _mm256_add_epi64(even, _mm256_and_si256(words, digits));
        odd = _mm256_add_epi64(odd, _mm256_and_si256(_mm256_srli_epi64(words, 4), digits));
    }
    write_classes({sum_of_words(_mm256_and_si256(even, bytes)), sum_of_words(_mm256_and_si256(odd, bytes)),
                   sum_of_words(_mm256_and_si256(_mm256_srli_epi64(even, 8), bytes)),
                   sum_of_words(_mm256_and_si256(_mm256_srli_epi64(odd, 8), bytes))},
                  counts);
    for (; i < size; ++i) ++counts[e[i] >> shift & mask];
}

// ---- AVX-512: the same with compressing stores

__attribute__((target("avx512f"))) inline __mmask16 marks_of_16(__m512i e, __mmask16 live, __m512i row_mask,
                                                                const u32* marks) {
    const __m512i row = _mm512_and_si512(e, row_mask);
    const __m512i word = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), live, _mm512_srli_epi32(row, 5), marks, 4);
    const __m512i bit = _mm512_srlv_epi32(word, _mm512_and_si512(row, _mm512_set1_epi32(31)));
    return _mm512_mask_test_epi32_mask(live, bit, _mm512_set1_epi32(1));
}
__attribute__((target("avx512f"))) inline void store_front(u32* to, __mmask16 keep, __m512i e) {
    const u32 n = static_cast<u32>(std::popcount(static_cast<u32>(keep)));
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << n) - 1), _mm512_maskz_compress_epi32(keep, e));
}

__attribute__((target("avx512f"))) u32 both_avx512(u32* entries, u32 size, u32 row_mask, const u32* marks, u32* spare) {
    const __m512i mask = _mm512_set1_epi32(static_cast<int>(row_mask));
    u32 front = 0, back = 0, i = 0;
    for (; i + 16 <= size; i += 16) {
        const __m512i e = _mm512_loadu_si512(entries + i);
        const __mmask16 bits = marks_of_16(e, 0xffff, mask, marks);
        const u32 n = static_cast<u32>(std::popcount(static_cast<u32>(bits)));
        _mm512_storeu_si512(entries + front, _mm512_maskz_compress_epi32(bits, e));
        _mm512_storeu_si512(spare + back, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~bits), e));
        front += n;
        back += 16 - n;
    }
    if (i < size) {
        const __mmask16 live = static_cast<__mmask16>((1u << (size - i)) - 1);
        const __m512i e = _mm512_maskz_loadu_epi32(live, entries + i);
        const __mmask16 bits = marks_of_16(e, live, mask, marks), rest = static_cast<__mmask16>(live & ~bits);
        store_front(entries + front, bits, e);
        store_front(spare + back, rest, e);
        front += static_cast<u32>(std::popcount(static_cast<u32>(bits)));
        back += static_cast<u32>(std::popcount(static_cast<u32>(rest)));
    }
    std::copy(spare, spare + back, entries + front);
    return front;
}
__attribute__((target("avx512f"))) u32 select_avx512(const u32* entries, u32 size, u32 row_mask, const u32* marks,
                                                     u32 wanted, u32* to) {
    const __m512i mask = _mm512_set1_epi32(static_cast<int>(row_mask));
    u32 front = 0;
    for (u32 i = 0; i < size; i += 16) {
        const __mmask16 live = size - i >= 16 ? 0xffff : static_cast<__mmask16>((1u << (size - i)) - 1);
        const __m512i e = _mm512_maskz_loadu_epi32(live, entries + i);
        __mmask16 bits = marks_of_16(e, live, mask, marks);
        if (!wanted) bits = static_cast<__mmask16>(live & ~bits);
        store_front(to + front, bits, e);
        front += static_cast<u32>(std::popcount(static_cast<u32>(bits)));
    }
    return front;
}
__attribute__((target("avx512f"))) inline u64 sum_of_words(const __m512i& words) {
    return static_cast<u64>(_mm512_reduce_add_epi64(words));
}
__attribute__((target("avx512f"))) void classes_avx512(const u32* e, u32 size, int shift, u32 mask, u32* counts) {
    const __m512i digits = _mm512_set1_epi64(kDigits), bytes = _mm512_set1_epi64(kBytes);
    const __m512i one = _mm512_set1_epi64(1), first = _mm512_set1_epi64(0xffffffff);
    const __m512i wanted = _mm512_set1_epi32(static_cast<int>(mask));
    const __m128i down = _mm_cvtsi32_si128(shift);
    __m512i even = _mm512_setzero_si512(), odd = even;
    u32 i = 0;
    while (size - i >= 16) {
        __m512i words = _mm512_setzero_si512();
        for (u32 left = std::min(kFull / 2, (size - i) / 16); left > 0; --left, i += 16) {
            const __m512i x = _mm512_loadu_si512(e + i);
            const __m512i digit = _mm512_slli_epi32(_mm512_and_si512(_mm512_srl_epi32(x, down), wanted), 2);
            words = _mm512_add_epi64(words, _mm512_sllv_epi64(one, _mm512_and_si512(digit, first)));
            words = _mm512_add_epi64(words, _mm512_sllv_epi64(one, _mm512_srli_epi64(digit, 32)));
        }
        even = _mm512_add_epi64(even, _mm512_and_si512(words, digits));
        odd = _mm512_add_epi64(odd, _mm512_and_si512(_mm512_srli_epi64(words, 4), digits));
    }
    write_classes({sum_of_words(_mm512_and_si512(even, bytes)), sum_of_words(_mm512_and_si512(odd, bytes)),
                   sum_of_words(_mm512_and_si512(_mm512_srli_epi64(even, 8), bytes)),
                   sum_of_words(_mm512_and_si512(_mm512_srli_epi64(odd, 8), bytes))},
                  counts);
    for (; i < size; ++i) ++counts[e[i] >> shift & mask];
}

#endif

constexpr ListKernels kPortable{both_portable, select_marked, count_portable, classes_portable};

}  // namespace

const ListKernels& list_kernels() {
#ifdef BOUGH_X86
    static constexpr ListKernels avx2{both_avx2, select_avx2, count_avx2, classes_avx2};
    static constexpr ListKernels avx512{both_avx512, select_avx512, count_avx2, classes_avx512};
    if (kernel_set() == KernelSet::avx512) return avx512;
    if (kernel_set() == KernelSet::avx2) return avx2;
#endif
    return kPortable;
}

}  // namespace bough
