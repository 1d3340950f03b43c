// The sweep for weights of wildly different size: both sides are summed from their own end, in long
// double, so that light rows are never lost beside heavy ones. Slow and rare.
#pragma once

#include "score/feed.hpp"
#include "score/scorer.hpp"

namespace bough {

template <class C>
void sweep_exact(const C& criterion, const Node& node, const PackedColumn& column, const double* z,
                 const LeafLimits& limits, const CutSink& sink) {
    using R = long double;
    constexpr bool kZ = C::traits.projection || C::traits.regression;
    auto number = [&](u32 row) { return static_cast<R>(column.numbers[row] - node.mean); };
    constexpr u32 kStep = 1024;
    const u32 known = column.low.size, n_missing = column.missing.size;
    const std::size_t k = node.present.size();
    const Feed feed{&column, column.low, column.weights, z};
    std::vector<u32> dense(node.weights.size(), 0);
    for (std::size_t d = 0; d < k; ++d) dense[node.present[d]] = static_cast<u32>(d);

    struct Totals {
        std::vector<R> w, z;
        explicit Totals(std::size_t n) : w(n, 0), z(n, 0) {}
    };
    auto add = [&](Totals& t, u32 i) {
        const u32 d = C::traits.regression ? 0 : dense[feed.cls(i)];
        const R w = column.weights[feed.row(i)];
        t.w[d] += w;
        if constexpr (C::traits.regression)
            t.z[d] += w * number(feed.row(i));
        else if constexpr (kZ)
            t.z[d] += w * static_cast<R>(feed.z[i]);
    };
    Totals missing(k);
    for (u32 i = 0; i < n_missing; ++i) {
        const u32 row = column.packing->row(column.missing.entries[i]);
        const u32 d = C::traits.regression ? 0 : dense[column.cls(column.missing.entries[i])];
        const R w = column.weights[row];
        missing.w[d] += w;
        if constexpr (C::traits.regression) missing.z[d] += w * number(row);
    }
    auto plus = [&](const Totals& a, const Totals& b) {
        Totals s = a;
        for (std::size_t d = 0; d < k; ++d) s.w[d] += b.w[d], s.z[d] += b.z[d];
        return s;
    };
    const u32 least = std::max(1u, limits.min_rows);
    auto offer = [&](const Totals& left, const Totals& right, u32 n_left, u32 i, bool missing_left) {
        if (n_left < least || node.n_rows - n_left < least) return;
        using S = SideOf<R>;
        const S l = node.view(kZ ? S(left.w, left.z) : S(left.w)), r = node.view(kZ ? S(right.w, right.z) : S(right.w));
        if (l.total < limits.min_weight || r.total < limits.min_weight) return;
        const Gain gain = criterion.gain(l, r);
        const double balance = static_cast<double>(std::min(l.total, r.total));
        if (i == kNone) {
            offer_missing_alone(gain, balance, {l, r, node.ruled}, sink);
        } else {
            offer_cut(feed, Run{.missing_outer = missing_left}, i, gain, balance, {l, r, node.ruled}, sink);
        }
    };

    // Sums of everything right of a cut, kept at every kStep-th cut, then rebuilt between them.
    std::vector<Totals> marks;
    Totals right(k);
    for (u32 i = known; i-- > 0;) {
        if (i + 1 == known || (i + 1) % kStep == 0) marks.push_back(right);
        add(right, i);
    }
    std::reverse(marks.begin(), marks.end());
    Totals left(k);
    std::vector<Totals> rights;
    for (u32 base = 0; base < known; base += kStep) {
        const u32 end = std::min(base + kStep, known);
        rights.assign(end - base, Totals(k));
        Totals r = marks[base / kStep];
        for (u32 i = end; i-- > base;) {
            rights[i - base] = r;
            add(r, i);
        }
        for (u32 i = base; i < end; ++i) {
            add(left, i);
            if (i + 1 == known) {
                if (n_missing && !sink.projected) offer(left, missing, known, kNone, false);
                break;
            }
            if (!feed.separates(i)) continue;
            offer(left, plus(rights[i - base], missing), i + 1, i, false);
            if (n_missing) offer(plus(left, missing), rights[i - base], i + 1 + n_missing, i, true);
        }
    }
}

}  // namespace bough
