// What all sweeps along a sorted list share. A sweep gives every cut a cheap value, block by block; the
// few that can still win are scored by the criterion's plain gain and offered. What is cheap only
// filters, what is plain decides.
#pragma once

#include <bit>

#include "base/kernels.hpp"
#include "base/threshold.hpp"
#include "data/kernels.hpp"
#include "score/allowed_cuts.hpp"
#include "score/contenders.hpp"
#include "score/criterion.hpp"
#include "score/scorer.hpp"

namespace bough {

inline constexpr u32 kBlock = 256;

// The classes of a block of entries, as bits of words.
struct BlockClasses {
    const u32* words;
    int shift;
    u32 mask;
    u32 operator()(u32 j) const { return words[j] >> shift & mask; }
};

// One list of a column, with what its rows carry.
struct Feed {
    const PackedColumn* from;
    PackedList list;
    const double* weights;  // per row of the table, or null
    const double* z;        // per entry of the list, or null

    u32 row(u32 i) const { return from->packing->row(list.entries[i]); }
    u32 cls(u32 i) const { return from->cls(list.entries[i]); }
    // Of at most kBlock entries; `memory` keeps those that are looked up.
    BlockClasses classes(u32 base, u32 size, u32* memory) const {
        const u32* entries = list.entries + base;
        if (!from->classes) return {entries, from->packing->row_bits, from->packing->class_mask};
        for (u32 j = 0; j < size; ++j) memory[j] = from->cls(entries[j]);
        return {memory, 0, ~u32{0}};
    }
    // Is there room for a cut between entries i and i+1?
    bool separates(u32 i) const {
        if (i + 1 == list.size) return true;
        if ((list.entries[i] ^ list.entries[i + 1]) & from->packing->rank_mask) return true;
        if (!from->ambiguous) return false;
        return std::fabs(from->column->value(row(i)) - from->column->value(row(i + 1))) > from->blur;
    }
};

// The cuts of one list: cut i puts its entries 0 … i, and what is there from the start, on the
// outer side.
struct Run {
    u32 first = 0, last = 0;  // first <= i < last keep the limits on rows
    u32 start_rows = 0;       // rows on the outer side from the start: the missing ones, or none
    bool high = false;        // the outer side is the right one
    bool missing_outer = false;
    u32 before = 0;       // rows of the outer side that are not in the list, by the place of its cuts
    u32 counted = 0;      // entries of the list that the start has counted
    bool inside = false;  // nothing beyond the window is in the list
};

// Completes a cut with its address and offers it.
inline void offer_cut(const Feed& feed, const Run& run, u32 i, Gain gain, double balance, const SideSummaries& values,
                      const CutSink& sink) {
    Candidate c{gain, balance, {sink.column, 0, 0}, sink.family, {}, values};
    const u64 place = run.high ? (u64{1} << 33) - (i + 1) : u64{run.before} + i + 1;
    const bool missing_left = run.missing_outer != run.high;
    c.key.place = place << 1 | (missing_left ? 0 : 1);
    if (sink.projected) {
        const Column& positions = *feed.from->column;
        c.key.direction = sink.direction;
        c.payload.a = sink.direction;
        c.payload.b = missing_left ? 1 : 0;
        c.payload.x = between(positions.value(feed.row(i)), positions.value(feed.row(i + 1)));
    } else {
        c.payload.a = feed.list.id;
        c.payload.b = (i + 1) << 1 | (run.missing_outer ? 1 : 0);
    }
    sink.best->offer(c);
}

// Rows with a value to the left, rows without one to the right: behind every cut of the column.
inline void offer_missing_alone(Gain gain, double balance, const SideSummaries& values, const CutSink& sink) {
    sink.best->offer({gain, balance, {sink.column, ~u64{0}, ~u64{0}}, sink.family, {.a = kNone}, values});
}

// How many entries of a block are of each of at most 64 classes; in lanes, so that equal neighbours do not wait for
// each other.
inline constexpr u32 kCountedClasses = 64;
inline void count_classes(const BlockClasses& classes, u32 size, std::size_t n_classes, u32* counts) {
    constexpr u32 kLanes = 4;
    u32 lanes[kLanes][kCountedClasses];
    for (auto& lane : lanes) std::fill_n(lane, n_classes, 0u);
    u32 i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (u32 lane = 0; lane < kLanes; ++lane) ++lanes[lane][classes(i + lane)];
    for (; i < size; ++i) ++lanes[0][classes(i)];
    for (std::size_t c = 0; c < n_classes; ++c) counts[c] = lanes[0][c] + lanes[1][c] + lanes[2][c] + lanes[3][c];
}

// Is any of the numbers of a block not negative? The sign bit stays set while every one is. In the widest vectors that
// the kernel set has; the numbers themselves are the same in all of them.
template <class Number>
#ifdef BOUGH_X86
__attribute__((always_inline))  // a part of its twins below
#endif
inline bool
reaches_zero(u32 size, const Number& number) {
    u64 signs = ~u64{0};
    for (u32 j = 0; j < size; ++j) signs &= std::bit_cast<u64>(number(j));
    return signs >> 63 == 0;
}
#ifdef BOUGH_X86
template <class Number>
__attribute__((target("avx2"))) bool reaches_zero_avx2(u32 size, const Number& number) {
    return reaches_zero(size, number);
}
template <class Number>
__attribute__((target("avx512f,avx512dq,avx512vl"))) bool reaches_zero_avx512(u32 size, const Number& number) {
    return reaches_zero(size, number);
}
#endif
template <class Number>
bool any_reaches_zero(u32 size, const Number& number) {
#ifdef BOUGH_X86
    if (kernel_set() == KernelSet::avx512) return reaches_zero_avx512(size, number);
    if (kernel_set() == KernelSet::avx2) return reaches_zero_avx2(size, number);
#endif
    return reaches_zero(size, number);
}

// The same of those that are allowed, by x and weight of their outer sides.
template <class Number, class X, class Weight>
bool any_allowed(u32 size, const Number& number, const X& x, const Weight& weight, const AllowedCuts& allowed) {
    if (allowed.all()) return any_reaches_zero(size, number);
    return any_reaches_zero(size, [=](u32 j) {
        const double a = number(j), b = allowed(x(j), weight(j));
        return a < b ? a : b;
    });
}

// Does the gain of any cut of a block reach the floor? Without branches, and without division where
// the criterion has a way.
template <class Two, class Ones, class Outer>
bool any_reaches(const Two& value, u32 size, double floor, Ones ones, Outer outer, const AllowedCuts& allowed) {
    if constexpr (requires { value.level(floor); }) {
        const double level = value.level(floor);
        return any_allowed(size, [=](u32 j) { return value.excess(ones(j), outer(j), level); }, ones, outer, allowed);
    } else {
        bool any = false;
        for (u32 j = 0; j < size; ++j) any |= value(ones(j), outer(j)) >= floor;
        return any;
    }
}

}  // namespace bough
