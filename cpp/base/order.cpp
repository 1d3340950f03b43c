// Rows get an order-preserving key of at most 32 bits and are sorted by it in two or three radix passes;
// runs that the key leaves tied are sorted by the values themselves.
#include "base/order.hpp"
#include "base/slack.hpp"
#include "base/sort_by_rank.hpp"

#include <algorithm>
#include <bit>

namespace bough {

namespace {

constexpr u32 kFew = 400;  // that one pass sorts nearly

// Order-preserving integer of a number; −0.0 and 0.0 are one value.
u64 key_of(double x) {
    const u64 bits = std::bit_cast<u64>(x + 0.0);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

// Runs a loop over n rows in pieces short enough for an interrupt to be answered in between.
template <class Loop>
void in_chunks(u32 n, Budget& budget, Loop loop) {
    constexpr u32 kChunk = 1u << 19;
    for (u32 begin = 0; begin < n; begin += std::min(kChunk, n - begin)) {
        if (n > kChunk) budget.poll();
        loop(begin, begin + std::min(kChunk, n - begin));
    }
}

// Sorts n words by the upper 32 bits, of which the lowest `bits` are in use; words that agree there
// keep their order.
void sort_upper(u64* a, u64* spare, std::vector<u32>& counts, u32 n, int bits, Budget& budget) {
    const int passes = bits <= 24 ? 2 : 3, width = (bits + passes - 1) / passes;
    const u32 buckets = 1u << width, mask = buckets - 1;
    counts.assign(std::size_t{3} * buckets, 0);
    u32 *c0 = counts.data(), *c1 = c0 + buckets, *c2 = c1 + buckets;
    in_chunks(n, budget, [&](u32 begin, u32 end) {
        for (u32 i = begin; i < end; ++i) {
            const u32 k = static_cast<u32>(a[i] >> 32);
            ++c0[k & mask];
            ++c1[(k >> width) & mask];
            if (passes == 3) ++c2[k >> (2 * width)];
        }
    });
    u64 *from = a, *to = spare;
    for (int pass = 0; pass < passes; ++pass) {
        u32* c = counts.data() + std::size_t{buckets} * pass;
        const int shift = 32 + width * pass;
        if (c[(from[0] >> shift) & mask] == n) continue;  // all alike
        u32 sum = 0;
        for (u32 d = 0; d < buckets; ++d) {
            const u32 size = c[d];
            c[d] = sum;
            sum += size;
        }
        in_chunks(n, budget, [&](u32 begin, u32 end) {
            for (u32 i = begin; i < end; ++i) to[c[(from[i] >> shift) & mask]++] = from[i];
        });
        std::swap(from, to);
    }
    if (from != a) std::copy(from, from + n, a);
}

// Do equal steps of the range hold comparable numbers of rows? Judged by a sample's quartiles.
bool evenly_spread(const double* v, u32 n_rows, double low, double high) {
    if (!(high - low < 1e300) || !(high - low > kTinyNumber)) return false;
    constexpr u32 kSample = 63;
    double sample[kSample];
    u32 n = 0;
    for (u32 s = 0; s < kSample; ++s) {
        const double x = v[static_cast<u64>(s) * n_rows / kSample];
        if (x == x) sample[n++] = x;
    }
    if (n < 8) return false;
    std::sort(sample, sample + n);
    return sample[3 * n / 4] - sample[n / 4] > (high - low) / 64;
}

// Sorts words whose upper halves agree by their values.
void sort_ties(const double* v, u64* words, u32 n) {
    auto less = [v](u64 a, u64 b) {
        const double x = v[static_cast<u32>(a)], y = v[static_cast<u32>(b)];
        return x != y ? x < y : a < b;
    };
    if (n > 16) {
        std::sort(words, words + n, less);
        return;
    }
    for (u32 i = 1; i < n; ++i) {
        const u64 w = words[i];
        u32 j = i;
        for (; j > 0 && less(w, words[j - 1]); --j) words[j] = words[j - 1];
        words[j] = w;
    }
}

}  // namespace

const u64* order_rows(const double* v, u32 n, double low, double high, OrderScratch& scratch, Budget& budget, u32& m) {
    scratch.words.grow_to(n);
    u64* words = scratch.words.data();
    m = 0;
    if (n <= 48) {  // no key pays here
        for (u32 i = 0; i < n; ++i) {
            words[m] = i;
            m += v[i] == v[i];
        }
        sort_ties(v, words, m);
        return words;
    }
    scratch.spare.grow_to(n);
    int bits;
    if (n >= kFew && evenly_spread(v, n, low, high)) {
        // A few more bits than rows: two passes are enough, ties are rare.
        bits = std::min(24, static_cast<int>(std::bit_width(n)) + 4);
        const double scale = static_cast<double>((1u << bits) - 1) / (high - low);
        in_chunks(n, budget, [&](u32 begin, u32 end) {
            for (u32 i = begin; i < end; ++i) {
                const bool known = v[i] == v[i];
                words[m] = static_cast<u64>(((known ? v[i] : low) - low) * scale) << 32 | i;
                m += known;
            }
        });
    } else {
        const u64 first = key_of(low), width = key_of(high) - first;
        const int drop = std::max(0, static_cast<int>(std::bit_width(width)) - 32);
        bits = static_cast<int>(std::bit_width(width >> drop));
        in_chunks(n, budget, [&](u32 begin, u32 end) {
            for (u32 i = begin; i < end; ++i) {
                words[m] = ((key_of(v[i]) - first) >> drop) << 32 | i;
                m += v[i] == v[i];
            }
        });
    }
    if (m < kFew)
        sort_by_rank<u64>(words, m, 32, 0, (u64{1} << bits) - 1, scratch.spare);
    else
        sort_upper(words, scratch.spare.data(), scratch.counts, m, bits, budget);
    // Rows of one number are in order already. Most stand alone: their numbers, here and there, are not read.
    for (u32 i = 1; i < m; ++i) {
        if (words[i] >> 32 != words[i - 1] >> 32) continue;
        if (v[static_cast<u32>(words[i])] == v[static_cast<u32>(words[i - 1])]) continue;
        u32 begin = i - 1, end = i + 1;
        while (begin > 0 && words[begin - 1] >> 32 == words[i] >> 32) --begin;
        while (end < m && words[end] >> 32 == words[i] >> 32) ++end;
        sort_ties(v, words + begin, end - begin);
        i = end - 1;
    }
    return words;
}

}  // namespace bough
