// Sweeps for two classes: one count, or one weight, tells all.
#pragma once

#include "score/feed.hpp"

namespace bough {

// Scores a cut plainly, by the weights of the two classes on either side of it.
template <class C>
void offer_pair(const Feed& feed, const Run& run, u32 cut, const double (&outer)[2], const double (&inner)[2],
                double balance, const CutSink& sink) {
    const Side o(outer), i(inner);
    offer_cut(feed, run, cut, C::gain(o, i), balance, run.high ? SideSummaries(i, o) : SideSummaries(o, i), sink);
}

// Two classes, every row weighs 1.
template <class C>
void sweep_two(const Node& node, const Feed& feed, const Run& run, u32 start_one, const CutSink& sink) {
    using Two = TwoClasses<C, true>;
    const double n = node.n_rows, n1 = node.counts[node.present[1]], n0 = n - n1;
    const Two value(n0, n1);
    const double slack = sink.best->reach(Two::slack(sink.best->scale()));
    u32 l1 = start_one, rows = run.start_rows;
    u32 ones[kBlock], looked_up[kBlock];

    for (u32 base = 0; base < run.last; base += kBlock) {
        const u32 size = std::min(kBlock, run.last - base);
        const BlockClasses classes = feed.classes(base, size, looked_up);
        const u32 *e = classes.words, mask = classes.mask << classes.shift, one = node.present[1] << classes.shift;
        const double floor = sink.best->floor() - slack;
        if (C::traits.box_corners && size == kBlock && floor > 0) {
            // The class counts inside the block stay in a box: if no corner can win, no cut can.
            const u32 in_block = list_kernels().count_block(e, mask, one);
            const double a1 = l1, a0 = rows - l1, b1 = a1 + in_block, b0 = a0 + kBlock - in_block;
            const double top = std::max(std::max(value(b1, b0 + b1), value(a1, a0 + a1)),
                                        std::max(value(b1, a0 + b1), value(a1, b0 + a1)));
            if (top < floor) {
                l1 += in_block;
                rows += kBlock;
                continue;
            }
        }
        u32 sum = l1;
        for (u32 j = 0; j < size; ++j) {
            sum += (e[j] & mask) == one;
            ones[j] = sum;
        }
        const double start = rows + 1;
        if (any_reaches(
                value, size, floor, [&](u32 j) { return static_cast<i32>(ones[j]); },
                [&](u32 j) { return start + static_cast<i32>(j); }))
            pick(
                size, floor, slack, [&](u32 j) { return value(ones[j], start + j); },
                [&](u32 j) { return base + j >= run.first && feed.separates(base + j); },
                [&](u32 j) {
                    const double nl = start + j, k1 = ones[j];
                    const double outer[2] = {nl - k1, k1}, inner[2] = {n0 - outer[0], n1 - k1};
                    offer_pair<C>(feed, run, base + j, outer, inner, std::min(nl, n - nl), sink);
                });
        l1 = sum;
        rows += size;
    }
}

// Two classes, rows of any weight.
template <class C>
void sweep_two_weighted(const Node& node, const Feed& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
                        const CutSink& sink) {
    using Two = TwoClasses<C, false>;
    const u32 zero = node.present[0], one = node.present[1];
    const double n0 = node.weights[zero], n1 = node.weights[one];
    const Two value(n0, n1);
    const double slack = sink.best->reach(Two::slack(sink.best->scale()) + kSum * sink.best->scale());
    double l0 = sums.start_w[zero], l1 = sums.start_w[one];
    double zeros[kBlock], ones[kBlock];

    for (u32 base = 0; base < run.last; base += kBlock) {
        const u32 size = std::min(kBlock, run.last - base);
        const double floor = sink.best->floor() - slack;
        auto weight = [&](u32 j) { return feed.weights[feed.row(base + j)]; };
        if (C::traits.box_corners && size == kBlock && floor > 0) {
            double all[4] = {}, of_one[4] = {};  // independent chains
            for (u32 j = 0; j < kBlock; j += 4)
                for (u32 l = 0; l < 4; ++l) {
                    const double w = weight(j + l);
                    all[l] += w;
                    of_one[l] += feed.cls(base + j + l) == one ? w : 0.0;
                }
            const double b1 = l1 + of_one[0] + of_one[1] + of_one[2] + of_one[3];
            const double b0 = l0 + (all[0] + all[1] + all[2] + all[3]) - (b1 - l1);
            const double top = std::max(std::max(value(b1, b0 + b1), value(l1, l0 + l1)),
                                        std::max(value(b1, l0 + b1), value(l1, b0 + l1)));
            if (top < floor) {
                l0 = b0;
                l1 = b1;
                continue;
            }
        }
        for (u32 j = 0; j < size; ++j) {
            const double w = weight(j);
            const bool is_one = feed.cls(base + j) == one;
            l1 += is_one ? w : 0.0;
            l0 += is_one ? 0.0 : w;
            zeros[j] = l0;
            ones[j] = l1;
        }
        if (any_reaches(value, size, floor, [&](u32 j) { return ones[j]; }, [&](u32 j) { return zeros[j] + ones[j]; }))
            pick(
                size, floor, slack, [&](u32 j) { return value(ones[j], zeros[j] + ones[j]); },
                [&](u32 j) {
                    const double wl = zeros[j] + ones[j];
                    if (limits.min_weight > 0 && std::min(wl, node.total - wl) < limits.min_weight) return false;
                    return base + j >= run.first && feed.separates(base + j);
                },
                [&](u32 j) {
                    const double outer[2] = {zeros[j], ones[j]};
                    const double inner[2] = {std::max(0.0, n0 - zeros[j]), std::max(0.0, n1 - ones[j])};
                    const double wl = zeros[j] + ones[j];
                    offer_pair<C>(feed, run, base + j, outer, inner, std::min(wl, node.total - wl), sink);
                });
    }
}

}  // namespace bough
