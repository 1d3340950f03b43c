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

#ifdef BOUGH_X86

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
__attribute__((target("avx2"))) u32 select_avx2(const u32* entries, u32 size, u32 row_mask, const u32* marks, u32* to) {
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(row_mask));
    u32 front = 0, i = 0;
    for (; i + 8 <= size; i += 8) {
        const __m256i e = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries + i));
        const u32 bits = marks_of_8(e, mask, marks);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + front), packed_left(e, bits));
        front += static_cast<u32>(std::popcount(bits));
    }
    for (; i < size; ++i) {
        const u32 e = entries[i], row = e & row_mask;
        to[front] = e;
        front += marks[row >> 5] >> (row & 31) & 1;
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
                                                     u32* to) {
    const __m512i mask = _mm512_set1_epi32(static_cast<int>(row_mask));
    u32 front = 0;
    for (u32 i = 0; i < size; i += 16) {
        const __mmask16 live = size - i >= 16 ? 0xffff : static_cast<__mmask16>((1u << (size - i)) - 1);
        const __m512i e = _mm512_maskz_loadu_epi32(live, entries + i);
        const __mmask16 bits = marks_of_16(e, live, mask, marks);
        store_front(to + front, bits, e);
        front += static_cast<u32>(std::popcount(static_cast<u32>(bits)));
    }
    return front;
}

#endif

constexpr ListKernels kPortable{both_portable, select_marked, count_portable};

}  // namespace

const ListKernels& list_kernels() {
#ifdef BOUGH_X86
    static constexpr ListKernels avx2{both_avx2, select_avx2, count_avx2};
    static constexpr ListKernels avx512{both_avx512, select_avx512, count_avx2};
    if (kernel_set() == KernelSet::avx512) return avx512;
    if (kernel_set() == KernelSet::avx2) return avx2;
#endif
    return kPortable;
}

}  // namespace bough
