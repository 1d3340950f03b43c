// The walk along sorted lists, compiled once for each kernel set (base/each_kernel_set.hpp).

#define BOUGH_LANE BOUGH_TARGET __attribute__((always_inline)) static inline
template <class E>
struct Of {
    typedef E T __attribute__((vector_size(kBytes)));
    static constexpr u32 kCount = kBytes / sizeof(E);
};
template <class E>
BOUGH_LANE typename Of<E>::T all(i32 value) {
    return typename Of<E>::T{} + static_cast<E>(value);
}
template <class V>
BOUGH_LANE i32 lane(V v, u32 j) {
    return v[j];
}
template <class E>
using Vec = typename Of<E>::T;
template <class V>
BOUGH_LANE V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
BOUGH_LANE V smaller(V a, V b) {
    return a < b ? a : b;
}

// Adds to the lanes in which the row is on the left, or on the right.
#ifdef BOUGH_MASKED
template <class E>
using Sides = u32;
template <class E>
BOUGH_LANE u32 sides_of(u32 mask) {
    return mask;
}
BOUGH_LANE Vec<std::int16_t> add_left(Vec<std::int16_t> a, u32 mask, Vec<std::int16_t> v) {
    return (Vec<std::int16_t>)_mm512_mask_add_epi16((__m512i)a, (__mmask32)mask, (__m512i)a, (__m512i)v);
}
BOUGH_LANE Vec<i32> add_left(Vec<i32> a, u32 mask, Vec<i32> v) {
    return (Vec<i32>)_mm512_mask_add_epi32((__m512i)a, (__mmask16)mask, (__m512i)a, (__m512i)v);
}
template <class V>
BOUGH_LANE V add_right(V a, u32 mask, V v) {
    return add_left(a, ~mask, v);
}
#else
template <class E>
using Sides = Vec<E>;  // all bits of a lane, or none
template <class E>
BOUGH_LANE Vec<E> sides_of(u32 mask) {
    Vec<E> bits{};
    for (u32 i = 0; i < Of<E>::kCount; ++i) bits[i] = static_cast<E>(1u << i);
    return (all<E>(static_cast<i32>(mask)) & bits) == bits;
}
template <class V>
BOUGH_LANE V add_left(V a, V sides, V v) {
    return a + (v & sides);
}
template <class V>
BOUGH_LANE V add_right(V a, V sides, V v) {
    return a + (v & ~sides);
}
#endif

// One entry of a list, or one row: its weight goes to its class's sum, counted as 1 or −1, on its side of each split.
template <class E, bool kUnit>
BOUGH_LANE void add_row(const LaneRows& s, u32 first, u32 row, bool second, Vec<E>& left, Vec<E>& right) {
    const Sides<E> side = sides_of<E>(s.masks[row] >> first);
    const i32 w = kUnit ? 1 : s.weights[row];
    const Vec<E> v = all<E>(second ? w : -w);
    left = add_left(left, side, v);
    right = add_right(right, side, v);
}

// Two classes: on each side the sum of weights along a list, those of the first class being negative. The cut where it
// is least has the first class on its left, the one where it is largest the second.
template <class E, bool kUnit>
BOUGH_TARGET void two_classes(const LaneRows& s, u32 first, LaneBlock*, LaneCosts& to) {
    using V = Vec<E>;
    const V none = all<E>(0);
    V total[2] = {none, none}, weight[2] = {none, none}, nominal[2] = {none, none};
    V low[2] = {none, none}, high[2] = {none, none}, low_end[2] = {none, none}, high_end[2] = {none, none};
    const int shift = s.class_bits + 1;
    for (u32 i = 0; i < s.n; ++i) {
        add_row<E, kUnit>(s, first, i, s.classes[i] != 0, total[0], total[1]);
        add_row<E, kUnit>(s, first, i, true, weight[0], weight[1]);
    }
    for (const LaneList& list : s.lists) {
        const u32* e = list.entries;
        V left = none, right = none;
        if (list.nominal) {
            V sum_l = none, sum_r = none;
            for (u32 i = 0; i < s.n; ++i) {
                add_row<E, kUnit>(s, first, e[i] >> shift, e[i] & 2, left, right);
                if (!(e[i] & 1)) continue;
                sum_l = sum_l + larger(left, none - left);
                sum_r = sum_r + larger(right, none - right);
                left = right = none;
            }
            nominal[0] = larger(nominal[0], sum_l);
            nominal[1] = larger(nominal[1], sum_r);
            continue;
        }
        for (u32 i = 0; i < list.skip_begin; ++i) {
            add_row<E, kUnit>(s, first, e[i] >> shift, e[i] & 2, left, right);
            if (!(e[i] & 1)) continue;
            low[0] = smaller(low[0], left), high[0] = larger(high[0], left);
            low[1] = smaller(low[1], right), high[1] = larger(high[1], right);
        }
        left = right = none;
        for (u32 i = list.n; i-- > list.skip_end;) {
            add_row<E, kUnit>(s, first, e[i] >> shift, e[i] & 2, left, right);
            if (i > list.skip_end && !(e[i - 1] & 1)) continue;
            low_end[0] = smaller(low_end[0], left), high_end[0] = larger(high_end[0], left);
            low_end[1] = smaller(low_end[1], right), high_end[1] = larger(high_end[1], right);
        }
    }
    for (u32 side : {0u, 1u})
        for (u32 j = 0; j < Of<E>::kCount; ++j) {
            const i32 sum = lane(total[side], j), n = lane(weight[side], j), zeros = (n - sum) / 2,
                      ones = (n + sum) / 2;
            const i32 least = std::min(lane(low[side], j), sum - lane(high_end[side], j));
            const i32 most = std::max(lane(high[side], j), sum - lane(low_end[side], j));
            const i32 leaf = std::min(zeros, ones);
            to.leaf[side][first + j] = leaf;
            to.stump[side][first + j] =
                std::min(std::min(leaf, (n - lane(nominal[side], j)) / 2), std::min(zeros + least, ones - most));
        }
}

// Sums of what each answer saves on both sides of each split, and the most that one of them saves.
template <class E>
struct Savings {
    Vec<E>*left, *right;
    Vec<E> most_left, most_right;
};
enum class Saves { one, weight, costs };

template <class E, Saves kSaves>
BOUGH_LANE void add_row(const LaneRows& s, u32 first, u32 row, u32 c, Savings<E>& to) {
    const Sides<E> side = sides_of<E>(s.masks[row] >> first);
    const i32 w = kSaves == Saves::one ? 1 : s.weights[row];
    for (u32 a = kSaves == Saves::costs ? 0 : c; a < s.n_classes; ++a) {
        const i32 gain = kSaves == Saves::costs ? w * s.gains[c * s.n_classes + a] : w;
        const Vec<E> v = all<E>(gain);
        to.left[a] = add_left(to.left[a], side, v);
        to.right[a] = add_right(to.right[a], side, v);
        to.most_left = larger(to.most_left, to.left[a]);
        to.most_right = larger(to.most_right, to.right[a]);
        if (kSaves != Saves::costs) break;
    }
}

template <class E>
BOUGH_LANE void reset(Savings<E>& x, u32 k) {
    x.most_left = x.most_right = all<E>(0);
    for (u32 a = 0; a < k; ++a) x.left[a] = x.right[a] = all<E>(0);
}
// What is left of the total.
template <class E>
BOUGH_LANE void complement(Savings<E>& x, const Savings<E>& total, u32 k) {
    x.most_left = x.most_right = all<E>(0);
    for (u32 a = 0; a < k; ++a) {
        x.most_left = larger(x.most_left, x.left[a] = total.left[a] - x.left[a]);
        x.most_right = larger(x.most_right, x.right[a] = total.right[a] - x.right[a]);
    }
}

template <class E, Saves kSaves>
BOUGH_TARGET __attribute__((noinline)) void many_classes(const LaneRows& s, u32 first, LaneBlock* blocks,
                                                         LaneCosts& to) {
    using V = Vec<E>;
    const u32 k = s.n_classes, n = s.n;
    const int shift = s.class_bits + 1;
    const u32 of_class = (1u << s.class_bits) - 1;
    V* at = reinterpret_cast<V*>(blocks);
    const V none = all<E>(0);
    Savings<E> total{at, at + k, none, none}, up{at + 2 * k, at + 3 * k, none, none},
        down{at + 4 * k, at + 5 * k, none, none};
    V* const kept = at + 6 * k;  // the most that is saved before (behind) each cut, left and right
    V weight_l = none, weight_r = none;
    reset<E>(total, k);
    for (u32 i = 0; i < n; ++i) {
        add_row<E, kSaves>(s, first, i, s.classes[i], total);
        const i32 w = kSaves == Saves::one      ? 1
                      : kSaves == Saves::weight ? s.weights[i]
                                                : s.weights[i] * s.top[s.classes[i]];
        const Sides<E> side = sides_of<E>(s.masks[i] >> first);
        weight_l = add_left(weight_l, side, all<E>(w));
        weight_r = add_right(weight_r, side, all<E>(w));
    }
    V best_l = total.most_left, best_r = total.most_right;
    for (const LaneList& list : s.lists) {
        const u32* e = list.entries;
        reset<E>(up, k);
        if (list.nominal) {  // two answers: each value has the one that saves more
            for (u32 i = 0; i < k * (k - 1); ++i) kept[i] = none;
            for (u32 i = 0; i < n; ++i) {
                add_row<E, kSaves>(s, first, e[i] >> shift, e[i] >> 1 & of_class, up);
                if (!(e[i] & 1)) continue;
                V* pair = kept;
                for (u32 a = 0; a < k; ++a)
                    for (u32 b = a + 1; b < k; ++b, pair += 2) {
                        pair[0] = pair[0] + larger(up.left[a], up.left[b]);
                        pair[1] = pair[1] + larger(up.right[a], up.right[b]);
                    }
                reset<E>(up, k);
            }
            for (u32 i = 0; i < k * (k - 1); i += 2) {
                best_l = larger(best_l, kept[i]);
                best_r = larger(best_r, kept[i + 1]);
            }
            continue;
        }
        reset<E>(down, k);
        V* end = kept;
        for (u32 i = 0; i < list.skip_begin; ++i) {
            add_row<E, kSaves>(s, first, e[i] >> shift, e[i] >> 1 & of_class, up);
            if (e[i] & 1) *end++ = up.most_left, *end++ = up.most_right;
        }
        V* const middle = end;
        for (u32 i = list.n; i-- > list.skip_end;) {
            add_row<E, kSaves>(s, first, e[i] >> shift, e[i] >> 1 & of_class, down);
            if (i == list.skip_end || (e[i - 1] & 1)) *end++ = down.most_left, *end++ = down.most_right;
        }
        // the other side of the same cuts, in the opposite order
        complement<E>(up, total, k);
        V* cut = middle;
        for (u32 i = list.skip_begin; cut > kept;) {
            cut -= 2;
            best_l = larger(best_l, cut[0] + up.most_left);
            best_r = larger(best_r, cut[1] + up.most_right);
            while (cut > kept && i-- > 0) {
                add_row<E, kSaves>(s, first, e[i] >> shift, e[i] >> 1 & of_class, up);
                if (i > 0 && (e[i - 1] & 1)) break;
            }
        }
        complement<E>(down, total, k);
        cut = end;
        for (u32 i = list.skip_end; cut > middle;) {
            cut -= 2;
            best_l = larger(best_l, cut[0] + down.most_left);
            best_r = larger(best_r, cut[1] + down.most_right);
            while (cut > middle && i < list.n) {
                add_row<E, kSaves>(s, first, e[i] >> shift, e[i] >> 1 & of_class, down);
                if (e[i++] & 1) break;
            }
        }
    }
    for (u32 side : {0u, 1u})
        for (u32 j = 0; j < Of<E>::kCount; ++j) {
            const i32 weight = lane(side ? weight_r : weight_l, j);
            to.leaf[side][first + j] = weight - lane(side ? total.most_right : total.most_left, j);
            to.stump[side][first + j] = weight - lane(side ? best_r : best_l, j);
        }
}

template <class E>
BOUGH_TARGET void costs_of(const LaneRows& s, u32 n_splits, LaneBlock* blocks, LaneCosts& to) {
    for (u32 first = 0; first < n_splits; first += Of<E>::kCount) {
        if (s.gains)
            many_classes<E, Saves::costs>(s, first, blocks, to);
        else if (s.n_classes > 2)
            s.weights ? many_classes<E, Saves::weight>(s, first, blocks, to)
                      : many_classes<E, Saves::one>(s, first, blocks, to);
        else
            s.weights ? two_classes<E, false>(s, first, blocks, to) : two_classes<E, true>(s, first, blocks, to);
    }
}

BOUGH_TARGET void lane_costs(const LaneRows& s, u32 n_splits, LaneBlock* blocks, LaneCosts& to) {
    if (s.wide)
        costs_of<i32>(s, n_splits, blocks, to);
    else
        costs_of<std::int16_t>(s, n_splits, blocks, to);
}

#include "refine/eight_body.hpp"

#undef BOUGH_LANE
