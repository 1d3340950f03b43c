// The loops over rows, compiled once for each kernel set (base/each_kernel_set.hpp).
using namespace bough::elc;

constexpr u32 kLanes = kDotLanes;  // every variant sums weights in eight lanes, so that all round alike

#define BOUGH_LANE BOUGH_TARGET __attribute__((always_inline)) static inline

typedef double Doubles __attribute__((vector_size(kBytes), aligned(8), may_alias));
typedef i64 Longs __attribute__((vector_size(kBytes), aligned(8), may_alias));
constexpr u32 kCount = kBytes / sizeof(double), kParts = kLanes / kCount;

BOUGH_LANE Doubles at(const double* x) { return *reinterpret_cast<const Doubles*>(x); }
BOUGH_LANE Doubles size_of(Doubles x) {
    return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(x) & ~(i64{1} << 63));
}
BOUGH_LANE Doubles where(Longs mask, Doubles x) { return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(x) & mask); }
BOUGH_LANE double sum_of(const Doubles* x) { return sum_lanes(reinterpret_cast<const double*>(x)); }
BOUGH_LANE u32 sum_of(Longs x) {
    i64 sum = 0;
    for (u32 lane = 0; lane < kCount; ++lane) sum += x[lane];
    return static_cast<u32>(sum);
}

// Where the first of the two cells has the rows from i on, and how far its hyperplanes reach about that. R is the
// number of columns, 0: any.
template <u32 R>
BOUGH_LANE void look(const Rows& rows, u32 i, const Pair& p, Doubles& f, Doubles& reach) {
    const u32 r = R ? R : p.r;
    f = at(rows.z[0] + i);
    reach = p.half[0] * size_of(f);
    for (u32 t = 1; t < r; ++t) {
        const Doubles v = at(rows.z[t] + i);
        f -= p.center[t] * v;
        reach += p.half[t] * size_of(v);
    }
}

template <u32 R>
BOUGH_TARGET static void tally_rows(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    Doubles above[2][kParts] = {}, open[2][kParts] = {}, place;
    Longs n_above[2] = {}, n_open[2] = {};
    for (u32 lane = 0; lane < kCount; ++lane) place[lane] = lane;
    for (u32 from = begin; from < end; from += kLanes)
        for (u32 part = 0; part < kParts; ++part) {
            const u32 i = from + part * kCount;
            const Longs live = place < static_cast<double>(end) - static_cast<double>(i);
            Doubles f, reach;
            look<R>(rows, i, p, f, reach);
            for (u32 s : {0u, 1u}) {
                if (s) f -= p.move * at(rows.z[p.moved] + i);
                const Longs a = (f - reach > p.high[s]) & live, b = f + reach < p.low[s], o = ~(a | b) & live;
                n_open[s] -= o;
                n_above[s] -= a;
                if (!rows.w) continue;
                above[s][part] += where(a, at(rows.w + i));
                open[s][part] += where(o, at(rows.w + i));
            }
        }
    for (u32 s : {0u, 1u}) {
        out.n_open[s] = sum_of(n_open[s]);
        out.above[s] = rows.w ? sum_of(above[s]) : sum_of(n_above[s]);
        out.open[s] = rows.w ? sum_of(open[s]) : out.n_open[s];
    }
}

BOUGH_TARGET static void tally(const Rows& rows, u32 begin, u32 end, const Pair& p, Tally& out) {
    if (p.r == 2) return tally_rows<2>(rows, begin, end, p, out);
    p.r == 3 ? tally_rows<3>(rows, begin, end, p, out) : tally_rows<0>(rows, begin, end, p, out);
}

#ifdef BOUGH_MASKED
BOUGH_LANE void put(const double* from, __mmask8 live, __mmask8 open, double* to) {
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd(open, _mm512_maskz_loadu_pd(live, from)));
}
#endif

BOUGH_TARGET static u32 keep(const Rows& rows, u32 begin, u32 end, const Pair& p, u32 which, const KeptRows& out,
                             u32 to) {
    const double move = which ? p.move : 0.0;
    for (u32 i = begin; i < end; i += kCount) {
        Doubles f, reach;
        look<0>(rows, i, p, f, reach);
        f -= move * at(rows.z[p.moved] + i);
        const Longs shut = (f - reach > p.high[which]) | (f + reach < p.low[which]);
#ifdef BOUGH_MASKED
        const __mmask8 live = end - i >= kCount ? 0xff : static_cast<__mmask8>((1u << (end - i)) - 1);
        const __mmask8 open = _mm512_mask_test_epi64_mask(live, (__m512i)~shut, (__m512i)~shut);
        for (u32 t = 0; t < p.r; ++t) put(rows.z[t] + i, live, open, out.z[t] + to);
        if (rows.w) put(rows.w + i, live, open, out.w + to);
        const __m256i entry = _mm256_maskz_loadu_epi32(live, rows.entry + i);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.entry + to), _mm256_maskz_compress_epi32(open, entry));
        to += static_cast<u32>(std::popcount(static_cast<u32>(open)));
#else
        for (u32 lane = 0; lane < std::min(kCount, end - i); ++lane) {
            for (u32 t = 0; t < p.r; ++t) out.z[t][to] = rows.z[t][i + lane];
            if (rows.w) out.w[to] = rows.w[i + lane];
            out.entry[to] = rows.entry[i + lane];
            to += 1 + static_cast<u32>(shut[lane]);
        }
#endif
    }
    return to;
}

BOUGH_TARGET static void sides(const double* x, u32 n, u32 r, const double* from, const double* normal,
                               const double* size, double error, double tiny, u64& above, u64& doubt) {
    Longs bit, a = {}, b = {};
    for (u32 lane = 0; lane < kCount; ++lane) bit[lane] = i64{1} << lane;
    for (u32 q = 0; q < n; q += kCount) {
        Doubles sum = {}, most = {};
        for (u32 t = 0; t < r; ++t) {
            const Doubles d = at(x + t * 64 + q) - from[t];
            sum += normal[t] * d;
            most += size[t] * size_of(d);
        }
        const Doubles e = error * most + tiny;
        const Longs here = bit << static_cast<i64>(q);
        a |= here & (sum > e);
        b |= here & ~(size_of(sum) > e);
    }
    const u64 live = n >= 64 ? ~u64{0} : (u64{1} << n) - 1;
    above = doubt = 0;
    for (u32 lane = 0; lane < kCount; ++lane) {
        above |= static_cast<u64>(a[lane]) & live;
        doubt |= static_cast<u64>(b[lane]) & live;
    }
}

constexpr CellKernels kKernels{tally, keep, sides};

#undef BOUGH_LANE
