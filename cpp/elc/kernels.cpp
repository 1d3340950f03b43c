#include "elc/kernels.hpp"

#include <algorithm>
#include <bit>

#include "base/kernels.hpp"

#ifdef BOUGH_X86
#include <immintrin.h>
#endif

#ifdef __GNUC__
#define BOUGH_INLINE inline __attribute__((always_inline))
#else
#define BOUGH_INLINE inline
#endif

namespace bough::elc {

namespace {

constexpr u32 kLanes = 8;  // every variant sums weights in eight lanes, so that all round alike

BOUGH_INLINE double sum_of(const double* lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// R is the number of columns, 0: any.
template <u32 R, bool kWeighted>
BOUGH_INLINE void tally_rows(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    const u32 r = R ? R : p.r;
    double above0[kLanes] = {}, above1[kLanes] = {}, open0[kLanes] = {}, open1[kLanes] = {};
    i64 n_above0 = 0, n_above1 = 0, n_open0 = 0, n_open1 = 0;
    const double* z0 = rows.z[0];
    const double* zd = rows.z[p.moved];
    const double low0 = p.low[0], low1 = p.low[1], high0 = p.high[0], high1 = p.high[1], move = p.move;
    const u32 stride = kWeighted ? kLanes : end - begin;
    for (u32 from = begin; from < end; from += stride) {
        const u32 size = std::min(stride, end - from);
        for (u32 lane = 0; lane < size; ++lane) {
            const u32 i = from + lane;
            double f = z0[i], reach = p.half[0] * std::fabs(f);
            for (u32 t = 1; t < r; ++t) {
                const double v = rows.z[t][i];
                f -= p.center[t] * v;
                reach += p.half[t] * std::fabs(v);
            }
            const double g = f - move * zd[i];
            const i64 a0 = f - reach > high0, b0 = f + reach<low0, a1 = g - reach> high1, b1 = g + reach < low1;
            const i64 o0 = 1 - (a0 | b0), o1 = 1 - (a1 | b1);
            n_open0 += o0;
            n_open1 += o1;
            if constexpr (kWeighted) {
                const double w = rows.w[i];
                above0[lane] += a0 ? w : 0.0;
                above1[lane] += a1 ? w : 0.0;
                open0[lane] += o0 ? w : 0.0;
                open1[lane] += o1 ? w : 0.0;
            } else {
                n_above0 += a0;
                n_above1 += a1;
            }
        }
    }
    if constexpr (kWeighted)
        out = {{sum_of(above0), sum_of(above1)}, {sum_of(open0), sum_of(open1)}, {}};
    else
        out = {{static_cast<double>(n_above0), static_cast<double>(n_above1)},
               {static_cast<double>(n_open0), static_cast<double>(n_open1)},
               {}};
    out.n_open[0] = static_cast<u32>(n_open0);
    out.n_open[1] = static_cast<u32>(n_open1);
}

BOUGH_INLINE void tally_any(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    if (rows.w)
        p.r == 2 ? tally_rows<2, true>(rows, begin, end, p, out) : tally_rows<0, true>(rows, begin, end, p, out);
    else if (p.r == 2)
        tally_rows<2, false>(rows, begin, end, p, out);
    else if (p.r == 3)
        tally_rows<3, false>(rows, begin, end, p, out);
    else
        tally_rows<0, false>(rows, begin, end, p, out);
}

BOUGH_INLINE u32 keep_any(const Rows& rows, u32 begin, u32 end, const Pair& p, u32 which, const KeptRows& out, u32 at) {
    const double move = which ? p.move : 0.0;
    const double low = p.low[which], high = p.high[which];
    for (u32 i = begin; i < end; ++i) {
        double f = rows.z[0][i], reach = p.half[0] * std::fabs(f);
        for (u32 t = 1; t < p.r; ++t) {
            const double v = rows.z[t][i];
            f -= p.center[t] * v;
            reach += p.half[t] * std::fabs(v);
        }
        f -= move * rows.z[p.moved][i];
        for (u32 t = 0; t < p.r; ++t) out.z[t][at] = rows.z[t][i];
        if (rows.w) out.w[at] = rows.w[i];
        out.entry[at] = rows.entry[i];
        at += !(f - reach > high || f + reach < low);
    }
    return at;
}

BOUGH_INLINE void sides_any(const double* x, u32 n, u32 r, const double* from, const double* normal, const double* size,
                            double error, double tiny, u64& above, u64& doubt) {
    u64 a = 0, b = 0;
    for (u32 q = 0; q < n; ++q) {
        double sum = 0, most = 0;
        for (u32 t = 0; t < r; ++t) {
            const double d = x[t * 64 + q] - from[t];
            sum += normal[t] * d;
            most += size[t] * std::fabs(d);
        }
        const double e = error * most + tiny;
        a |= u64{sum > e} << q;
        b |= u64{!(std::fabs(sum) > e)} << q;
    }
    above = a;
    doubt = b;
}

void tally_portable(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    tally_any(rows, begin, end, p, out);
}
u32 keep_portable(const Rows& rows, u32 begin, u32 end, const Pair& p, u32 which, const KeptRows& out, u32 at) {
    return keep_any(rows, begin, end, p, which, out, at);
}
void sides_portable(const double* x, u32 n, u32 r, const double* from, const double* normal, const double* size,
                    double error, double tiny, u64& above, u64& doubt) {
    sides_any(x, n, r, from, normal, size, error, tiny, above, doubt);
}

#ifdef BOUGH_X86

__attribute__((target("avx2"))) void tally_avx2(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    tally_any(rows, begin, end, p, out);
}
__attribute__((target("avx2"))) u32 keep_avx2(const Rows& rows, u32 begin, u32 end, const Pair& p, u32 which,
                                              const KeptRows& out, u32 at) {
    return keep_any(rows, begin, end, p, which, out, at);
}
__attribute__((target("avx2"))) void sides_avx2(const double* x, u32 n, u32 r, const double* from, const double* normal,
                                                const double* size, double error, double tiny, u64& above, u64& doubt) {
    const __m256d none = _mm256_set1_pd(-0.0);
    u64 a = 0, b = 0;
    for (u32 q = 0; q < n; q += 4) {
        __m256d sum = _mm256_setzero_pd(), most = sum;
        for (u32 t = 0; t < r; ++t) {
            const __m256d d = _mm256_sub_pd(_mm256_loadu_pd(x + t * 64 + q), _mm256_set1_pd(from[t]));
            sum = _mm256_add_pd(sum, _mm256_mul_pd(_mm256_set1_pd(normal[t]), d));
            most = _mm256_add_pd(most, _mm256_mul_pd(_mm256_set1_pd(size[t]), _mm256_andnot_pd(none, d)));
        }
        const __m256d e = _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(error), most), _mm256_set1_pd(tiny));
        const u64 is_above = static_cast<u64>(_mm256_movemask_pd(_mm256_cmp_pd(sum, e, _CMP_GT_OQ)));
        const u64 certain =
            static_cast<u64>(_mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(none, sum), e, _CMP_GT_OQ)));
        a |= is_above << q;
        b |= (certain ^ 15) << q;
    }
    const u64 live = n >= 64 ? ~u64{0} : (u64{1} << n) - 1;
    above = a & live;
    doubt = b & live;
}

// ---- AVX-512: eight rows at a time, sides as masks

#define BOUGH_512 __attribute__((target("avx512f,avx512vl,avx512dq")))

struct Wide {
    __m512d f, reach;
};

template <u32 R>
BOUGH_512 inline Wide wide_of(const Rows& rows, u32 i, __mmask8 live, const Pair& p) {
    const u32 r = R ? R : p.r;
    const __m512d none = _mm512_set1_pd(-0.0);
    __m512d f = _mm512_maskz_loadu_pd(live, rows.z[0] + i);
    __m512d reach = _mm512_mul_pd(_mm512_set1_pd(p.half[0]), _mm512_andnot_pd(none, f));
    for (u32 t = 1; t < r; ++t) {
        const __m512d v = _mm512_maskz_loadu_pd(live, rows.z[t] + i);
        f = _mm512_sub_pd(f, _mm512_mul_pd(_mm512_set1_pd(p.center[t]), v));
        reach = _mm512_add_pd(reach, _mm512_mul_pd(_mm512_set1_pd(p.half[t]), _mm512_andnot_pd(none, v)));
    }
    return {f, reach};
}

template <u32 R>
BOUGH_512 void tally_wide(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    const __m512d low0 = _mm512_set1_pd(p.low[0]), low1 = _mm512_set1_pd(p.low[1]);
    const __m512d high0 = _mm512_set1_pd(p.high[0]), high1 = _mm512_set1_pd(p.high[1]), move = _mm512_set1_pd(p.move);
    u32 n_above[2] = {}, n_open[2] = {};
    __m512d above[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()}, open[2] = {above[0], above[0]};
    for (u32 i = begin; i < end; i += 8) {
        const __mmask8 live = end - i >= 8 ? 0xff : static_cast<__mmask8>((1u << (end - i)) - 1);
        const Wide at = wide_of<R>(rows, i, live, p);
        const __m512d g = _mm512_sub_pd(at.f, _mm512_mul_pd(move, _mm512_maskz_loadu_pd(live, rows.z[p.moved] + i)));
        const __mmask8 a0 = _mm512_mask_cmp_pd_mask(live, _mm512_sub_pd(at.f, at.reach), high0, _CMP_GT_OQ);
        const __mmask8 b0 = _mm512_mask_cmp_pd_mask(live, _mm512_add_pd(at.f, at.reach), low0, _CMP_LT_OQ);
        const __mmask8 a1 = _mm512_mask_cmp_pd_mask(live, _mm512_sub_pd(g, at.reach), high1, _CMP_GT_OQ);
        const __mmask8 b1 = _mm512_mask_cmp_pd_mask(live, _mm512_add_pd(g, at.reach), low1, _CMP_LT_OQ);
        const __mmask8 o0 = static_cast<__mmask8>(live & ~(a0 | b0)), o1 = static_cast<__mmask8>(live & ~(a1 | b1));
        n_open[0] += static_cast<u32>(std::popcount(static_cast<u32>(o0)));
        n_open[1] += static_cast<u32>(std::popcount(static_cast<u32>(o1)));
        if (rows.w) {
            const __m512d w = _mm512_maskz_loadu_pd(live, rows.w + i);
            above[0] = _mm512_mask_add_pd(above[0], a0, above[0], w);
            above[1] = _mm512_mask_add_pd(above[1], a1, above[1], w);
            open[0] = _mm512_mask_add_pd(open[0], o0, open[0], w);
            open[1] = _mm512_mask_add_pd(open[1], o1, open[1], w);
        } else {
            n_above[0] += static_cast<u32>(std::popcount(static_cast<u32>(a0)));
            n_above[1] += static_cast<u32>(std::popcount(static_cast<u32>(a1)));
        }
    }
    for (u32 s : {0u, 1u}) {
        double lanes[2][kLanes];
        _mm512_storeu_pd(lanes[0], above[s]);
        _mm512_storeu_pd(lanes[1], open[s]);
        out.above[s] = rows.w ? sum_of(lanes[0]) : n_above[s];
        out.open[s] = rows.w ? sum_of(lanes[1]) : n_open[s];
        out.n_open[s] = n_open[s];
    }
}
BOUGH_512 void tally_avx512(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    if (p.r == 2)
        tally_wide<2>(rows, begin, end, p, out);
    else if (p.r == 3)
        tally_wide<3>(rows, begin, end, p, out);
    else
        tally_wide<0>(rows, begin, end, p, out);
}
BOUGH_512 u32 keep_avx512(const Rows& rows, u32 begin, u32 end, const Pair& p, u32 which, const KeptRows& out, u32 at) {
    const __m512d low = _mm512_set1_pd(p.low[which]), high = _mm512_set1_pd(p.high[which]);
    const __m512d move = _mm512_set1_pd(which ? p.move : 0.0);
    for (u32 i = begin; i < end; i += 8) {
        const __mmask8 live = end - i >= 8 ? 0xff : static_cast<__mmask8>((1u << (end - i)) - 1);
        const Wide to = wide_of<0>(rows, i, live, p);
        const __m512d f = _mm512_sub_pd(to.f, _mm512_mul_pd(move, _mm512_maskz_loadu_pd(live, rows.z[p.moved] + i)));
        const __mmask8 a = _mm512_mask_cmp_pd_mask(live, _mm512_sub_pd(f, to.reach), high, _CMP_GT_OQ);
        const __mmask8 b = _mm512_mask_cmp_pd_mask(live, _mm512_add_pd(f, to.reach), low, _CMP_LT_OQ);
        const __mmask8 open = static_cast<__mmask8>(live & ~(a | b));
        for (u32 t = 0; t < p.r; ++t)
            _mm512_storeu_pd(out.z[t] + at, _mm512_maskz_compress_pd(open, _mm512_maskz_loadu_pd(live, rows.z[t] + i)));
        if (rows.w)
            _mm512_storeu_pd(out.w + at, _mm512_maskz_compress_pd(open, _mm512_maskz_loadu_pd(live, rows.w + i)));
        const __m256i entry = _mm256_maskz_loadu_epi32(live, rows.entry + i);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.entry + at), _mm256_maskz_compress_epi32(open, entry));
        at += static_cast<u32>(std::popcount(static_cast<u32>(open)));
    }
    return at;
}
BOUGH_512 void sides_avx512(const double* x, u32 n, u32 r, const double* from, const double* normal, const double* size,
                            double error, double tiny, u64& above, u64& doubt) {
    const __m512d none = _mm512_set1_pd(-0.0);
    u64 a = 0, b = 0;
    for (u32 q = 0; q < n; q += 8) {
        __m512d sum = _mm512_setzero_pd(), most = sum;
        for (u32 t = 0; t < r; ++t) {
            const __m512d d = _mm512_sub_pd(_mm512_loadu_pd(x + t * 64 + q), _mm512_set1_pd(from[t]));
            sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_set1_pd(normal[t]), d));
            most = _mm512_add_pd(most, _mm512_mul_pd(_mm512_set1_pd(size[t]), _mm512_andnot_pd(none, d)));
        }
        const __m512d e = _mm512_add_pd(_mm512_mul_pd(_mm512_set1_pd(error), most), _mm512_set1_pd(tiny));
        a |= static_cast<u64>(_mm512_cmp_pd_mask(sum, e, _CMP_GT_OQ)) << q;
        b |= static_cast<u64>(_mm512_cmp_pd_mask(_mm512_andnot_pd(none, sum), e, _CMP_NGT_UQ)) << q;
    }
    const u64 live = n >= 64 ? ~u64{0} : (u64{1} << n) - 1;
    above = a & live;
    doubt = b & live;
}

#endif

constexpr CellKernels kPortable{tally_portable, keep_portable, sides_portable};

}  // namespace

const CellKernels& cell_kernels() {
#ifdef BOUGH_X86
    static constexpr CellKernels avx2{tally_avx2, keep_avx2, sides_avx2};
    static constexpr CellKernels avx512{tally_avx512, keep_avx512, sides_avx512};
    if (kernel_set() == KernelSet::avx512) return avx512;
    if (kernel_set() == KernelSet::avx2) return avx2;
#endif
    return kPortable;
}

}  // namespace bough::elc
