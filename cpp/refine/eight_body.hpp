// Sums over rows: the second part of lanes_body.hpp. No include guard.

typedef double Wide __attribute__((vector_size(kBytes)));
typedef double Unaligned __attribute__((vector_size(kBytes), aligned(8), may_alias));
typedef i64 Bits __attribute__((vector_size(kBytes)));

constexpr u32 kWide = kBytes / 8, kParts = kDotLanes / kWide;

BOUGH_LANE Wide filled(double x) { return Wide{} + x; }
BOUGH_LANE Wide load(const double* x) { return *reinterpret_cast<const Unaligned*>(x); }
BOUGH_LANE void store(double* to, Wide x) { *reinterpret_cast<Unaligned*>(to) = x; }
BOUGH_LANE double sum_of(const Wide* lanes) {
    double l[kDotLanes];
    for (u32 p = 0; p < kParts; ++p) store(l + p * kWide, lanes[p]);
    return sum_lanes(l);
}

// exp(x) for moderate x, without branches: 2^n · e^r, the series of e^r.
BOUGH_LANE Wide exponential(Wide x) {
    constexpr double kRound = 0x1.8p52, kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33;
    const Wide shifted = x * 0x1.71547652b82fep0 + kRound, n = shifted - kRound;
    const Wide r = (x - n * kHigh) - n * kLow;
    Wide sum = filled(1.0 / 479001600);
    for (double c : {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                     1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
        sum = sum * r + c;
    return (Wide)((Bits)sum + ((Bits)shifted << 52));
}

BOUGH_LANE Wide along(const LogitRows& m, u32 at, double from) {
    Wide z = filled(from);
    const double* const* terms = m.terms->data();
    for (std::size_t k = 0, n = m.terms->size(); k < n; ++k) z += m.coefficients[k + 1] * load(terms[k] + at);
    return z;
}

BOUGH_TARGET Two positions(const LogitRows& m, double* to) {
    Wide low = filled(kInf), high = filled(-kInf);
    for (u32 at = 0; at < m.n; at += kWide) {
        const Wide z = along(m, at, 0);
        low = z < low ? z : low;
        high = z > high ? z : high;
        store(to + at, z);
    }
    Two range{kInf, -kInf};
    for (u32 l = 0; l < kWide; ++l) range = {std::min(range.a, low[l]), std::max(range.b, high[l])};
    return range;
}

BOUGH_TARGET Two logit_rows(const LogitRows& m) {
    Wide slopes[kParts] = {}, curves[kParts] = {};
    for (u32 i = 0; i < m.n; i += kDotLanes)
        for (u32 p = 0; p < kParts; ++p) {
            const u32 at = i + p * kWide;
            Wide z = along(m, at, m.coefficients[0]);
            z = z < -kLargest ? filled(-kLargest) : z;
            z = z > kLargest ? filled(kLargest) : z;
            const Wide w = load(m.weight + at), share = 1 / (1 + exponential(-z)), rest = share * (1 - share);
            const Wide slope = w * (load(m.right + at) - share),
                       curve = w * (rest < kLeastCurve ? filled(kLeastCurve) : rest);
            store(m.slope + at, slope);
            store(m.curve + at, curve);
            slopes[p] += slope;
            curves[p] += curve;
        }
    return {sum_of(slopes), sum_of(curves)};
}

template <u32 kY>
BOUGH_LANE Products products_of(u32 n, const double* a, const double* b, const double* x, const double* const* y) {
    Wide sum_a[kParts] = {}, sum_b[kParts] = {}, sums[kY][kParts] = {};
    for (u32 i = 0; i < n; i += kDotLanes)
        for (u32 p = 0; p < kParts; ++p) {
            const u32 at = i + p * kWide;
            const Wide v = load(x + at), bx = load(b + at) * v;
            sum_a[p] += load(a + at) * v;
            sum_b[p] += bx;
            for (u32 j = 0; j < kY; ++j) sums[j][p] += bx * load(y[j] + at);
        }
    Products found{sum_of(sum_a), sum_of(sum_b), {}};
    for (u32 j = 0; j < kY; ++j) found.of[j] = sum_of(sums[j]);
    return found;
}

BOUGH_TARGET Products products(u32 n, const double* a, const double* b, const double* x, const double* const* y,
                               u32 n_y) {
    if (n_y == 1) return products_of<1>(n, a, b, x, y);
    if (n_y == 2) return products_of<2>(n, a, b, x, y);
    return n_y == 3 ? products_of<3>(n, a, b, x, y) : products_of<4>(n, a, b, x, y);
}

// ---- lists: a lane for each node

BOUGH_LANE void add(Wide* lanes, u8 node, double value) {
#ifdef BOUGH_MASKED
    lanes[0] = (Wide)_mm512_mask_add_pd((__m512d)lanes[0], static_cast<__mmask8>(1u << node), (__m512d)lanes[0],
                                        _mm512_set1_pd(value));
#else
    for (u32 p = 0; p < kParts; ++p)
        lanes[p] += (Wide)((Bits)filled(value) & *reinterpret_cast<const Bits*>(&kOnly[node][p * kWide]));
#endif
}

BOUGH_TARGET void most_before(const GainLists& list, double* to) {
    Wide sum[kParts] = {}, most[kParts] = {};
    for (u32 i = list.begin; i < list.end; ++i) {
        const u32 e = list.entries[i], row = e >> 1;
        add(sum, list.node[row], list.gain[row]);
        if (e & 1)
            for (u32 p = 0; p < kParts; ++p) most[p] = sum[p] > most[p] ? sum[p] : most[p];
    }
    for (u32 p = 0; p < kParts; ++p) store(to + p * kWide, most[p]);
}

BOUGH_TARGET void least_behind(const GainLists& list, double* to) {
    Wide sum[kParts] = {}, least[kParts] = {};
    for (u32 i = list.end; i-- > list.begin;) {
        const u32 row = list.entries[i] >> 1;
        add(sum, list.node[row], list.gain[row]);
        if (i == 0 || (list.entries[i - 1] & 1))
            for (u32 p = 0; p < kParts; ++p) least[p] = sum[p] < least[p] ? sum[p] : least[p];
    }
    for (u32 p = 0; p < kParts; ++p) store(to + p * kWide, least[p]);
}

BOUGH_TARGET void sums_of_values(const GainLists& list, double* gains, double* counts) {
    Wide sum[kParts] = {}, count[kParts] = {};
    for (u32 i = list.begin; i < list.end; ++i) {
        const u32 e = list.entries[i], row = e >> 1;
        add(sum, list.node[row], list.gain[row]);
        add(count, list.node[row], 1.0);
        if (!(e & 1)) continue;
        for (u32 p = 0; p < kParts; ++p) {
            store(gains + p * kWide, sum[p]);
            store(counts + p * kWide, count[p]);
            sum[p] = count[p] = Wide{};
        }
        gains += kDotLanes;
        counts += kDotLanes;
    }
}
