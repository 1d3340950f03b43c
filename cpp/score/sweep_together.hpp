// The sweep for criteria that weigh many cuts in one call, as functions of the user's own do.
#pragma once

#include "score/feed.hpp"

namespace bough {

template <class C>
void sweep_together(const C& criterion, const Node& node, const Feed& feed, const Run& run, const Sums& sums,
                    const LeafLimits& limits, const CutSink& sink) {
    constexpr u32 kTogether = 4096;  // cuts of a call
    const std::size_t k = node.present.size();
    std::vector<double> outer = sums.start_w, out, in;
    std::vector<u32> at;
    auto weigh = [&] {
        if (at.empty()) return;
        const auto& [left, right] = run.high ? std::tie(in, out) : std::tie(out, in);
        const std::vector<double> gains = criterion.gains_of(left, right, static_cast<u32>(k));
        for (std::size_t i = 0; i < at.size(); ++i) {
            auto side = [&](const std::vector<double>& w) {
                return node.view(Side(std::span<const double>(w).subspan(i * k, k)));
            };
            const Side l = side(left), r = side(right);
            const double balance = std::min(l.total, r.total);
            if (balance >= limits.min_weight) offer_cut(feed, run, at[i], gains[i], balance, {l, r, node.ruled}, sink);
        }
        at.clear();
        out.clear();
        in.clear();
    };
    for (u32 i = 0; i < run.last; ++i) {
        outer[feed.cls(i)] += feed.weights ? feed.weights[feed.row(i)] : 1.0;
        if (i < run.first || !feed.separates(i)) continue;
        at.push_back(i);
        for (u32 c : node.present) {
            out.push_back(outer[c]);
            in.push_back(std::max(0.0, node.weights[c] - outer[c]));
        }
        if (at.size() == kTogether) weigh();
    }
    weigh();
}

}  // namespace bough
