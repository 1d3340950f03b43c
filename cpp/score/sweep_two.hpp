// The sweep for two classes: what both weigh on the outer side tells all.
#pragma once

#include "score/feed.hpp"

namespace bough {

// Weighted, or every row weighs 1; `sums`: what is on the outer side from the start.
template <class C, bool kWeighted>
void sweep_two(const Node& node, const Feed& feed, const Run& run, const Sums& sums, const LeafLimits& limits,
               const CutSink& sink) {
    using Two = TwoClasses<C, !kWeighted>;
    const u32 zero = node.present[0], one = node.present[1];
    const double n0 = node.weights[zero], n1 = node.weights[one], scale = sink.best->scale();
    const Two value(n0, n1);
    const double slack = Two::slack(scale) + (kWeighted ? kSum * scale : 0.0);
    const Standing standing = sink.best->standing(sink.column);
    const AllowedCuts allowed = AllowedCuts::of_two(node, standing, run.high);
    double l0 = sums.start_w[zero], l1 = sums.start_w[one];
    std::conditional_t<kWeighted, double, i32> zeros[kWeighted ? kBlock : 1], ones[kBlock];
    u32 looked_up[kBlock];

    for (u32 base = 0; base < run.last; base += kBlock) {
        const u32 size = std::min(kBlock, run.last - base);
        const double floor = sink.best->floor(standing) - slack, start = l0 + l1 + 1;
        const BlockClasses classes = feed.classes(base, size, looked_up);
        const u32 *e = classes.words, mask = classes.mask << classes.shift, wanted = one << classes.shift;
        if (!kWeighted && C::traits.box_corners && size == kBlock && floor > 0) {
            // The class counts inside the block stay in a box: if no corner can win, no cut can.
            const u32 in_block = list_kernels().count_block(e, mask, wanted);
            const double b1 = l1 + in_block, b0 = l0 + kBlock - in_block;
            const double top = std::max(std::max(value(b1, b0 + b1), value(l1, l0 + l1)),
                                        std::max(value(b1, l0 + b1), value(l1, b0 + l1)));
            if (top < floor || !allowed.any(l1, b1, l0 + l1, b0 + b1)) {
                l0 = b0;
                l1 = b1;
                continue;
            }
        }
        if constexpr (kWeighted) {
            for (u32 j = 0; j < size; ++j) {
                const double w = feed.weights[feed.row(base + j)];
                const bool is_one = (e[j] & mask) == wanted;
                ones[j] = l1 += is_one ? w : 0.0;
                zeros[j] = l0 += is_one ? 0.0 : w;
            }
        } else {
            const i32 before = static_cast<i32>(l1);
            i32 sum = before;
            for (u32 j = 0; j < size; ++j) ones[j] = sum += (e[j] & mask) == wanted;
            l1 = sum;
            l0 += static_cast<i32>(size) - (sum - before);
        }
        auto of_one = [&](u32 j) { return static_cast<double>(ones[j]); };
        auto outside = [&](u32 j) {
            if constexpr (kWeighted)
                return zeros[j] + ones[j];
            else
                return start + static_cast<i32>(j);
        };
        auto sides = [&](u32 j) {
            return SidesOfTwo(kWeighted ? zeros[kWeighted ? j : 0] : outside(j) - ones[j], of_one(j), n0, n1);
        };
        if (!any_reaches(value, size, floor, of_one, outside, allowed)) continue;
        pick<kBlock>(
            size, floor, slack, [&](u32 j) { return value(of_one(j), outside(j)); },
            [&](u32 j) {
                if (kWeighted && limits.min_weight > 0 &&
                    std::min(outside(j), node.total - outside(j)) < limits.min_weight)
                    return Verdict::no;
                if (base + j < run.first || !feed.separates(base + j)) return Verdict::no;
                return allowed.verdict(of_one(j), outside(j));
            },
            [&](u32 j) {
                const double w = outside(j);
                const SidesOfTwo s = sides(j);
                offer_cut(feed, run, base + j, C::gain(Side(s.outer), Side(s.inner)), std::min(w, node.total - w),
                          s.summaries(run.high, node.ruled), sink);
            });
    }
}

}  // namespace bough
