// Rows along a direction: sorted, as a column; or, for a criterion that knows a window of positions, only those
// in the window.
#pragma once

#include "base/order.hpp"
#include "base/per_thread.hpp"
#include "score/sweep_many.hpp"

namespace bough {

// Sorted rows as entries; gives the number of gaps between different positions.
template <class C>
u64 pack_order(const Packing& packing, const Projection& p, const u64* order, u32 n, u32* entries) {
    u64 rank = 0;
    for (u32 i = 0; i < n; ++i) {
        const u32 row = static_cast<u32>(order[i]);
        // Positions that differ by rounding only are one position.
        if (i > 0 && p.z[row] - p.z[static_cast<u32>(order[i - 1])] > p.blur) ++rank;
        entries[i] = packing.pack(row, C::traits.regression ? 0 : p.classes[row]) | packing.rank(rank);
    }
    return rank;
}
inline PackedColumn packed_projection(const Packing& packing, const Column& positions, const Projection& p, u64 ranks) {
    PackedColumn column;
    column.packing = &packing;
    column.column = &positions;
    column.classes = packing.has_classes ? nullptr : p.classes;
    column.weights = p.weights;
    column.numbers = p.numbers;
    // Ranks are exact only while their bits do not wrap; then every doubt is settled by `blur`.
    column.ambiguous = ranks >> packing.rank_bits != 0;
    column.blur = p.blur;
    return column;
}

struct WindowSpace {
    Sums sums;
    std::vector<double> lanes, position, weights, z;
    std::vector<u32> inside, classes;
    OrderScratch order;
};

// For a criterion that knows a window of positions: only rows in it are sorted, and not even they
// where the cut could not win though each row chose its side by itself. False if limits, or positions that
// are one across an edge of the window, need every row in order.
template <class C>
bool window_cuts(const C& criterion, const Node& node, const Projection& p, const LeafLimits& limits,
                 const CutSink& sink) {
    constexpr u32 kLanes = 4;  // so that rows of one class do not wait for each other
    auto& s = per_thread<WindowSpace, struct SHere>();
    const u32 n = p.size;
    const std::size_t k = node.weights.size();
    auto weight = [&](u32 i) { return p.weights ? p.weights[i] : 1.0; };
    s.lanes.assign(kLanes * k, 0.0);
    for (u32 i = 0; i < n; ++i) s.lanes[(i % kLanes) * k + p.classes[i]] += weight(i) * (p.z[i] - p.low);
    for (auto* v : {&s.sums.start_w, &s.sums.start_z, &s.sums.total_z}) v->assign(k, 0.0);
    for (u32 c : node.present)
        for (u32 l = 0; l < kLanes; ++l) s.sums.total_z[c] += s.lanes[l * k + c];
    auto many = make_many<C, double>(criterion, node, s.sums, false);
    auto [low, high] = many.window();
    const double margin = kPosition * (std::fabs(low) + std::fabs(high)) + 2 * p.blur;
    low -= margin;
    high += margin;

    // Rows left of the window are summed up, those in it listed.
    s.inside.resize(n);
    s.lanes.assign(2 * kLanes * k, 0.0);
    u32 size = 0, before = 0;
    double below = -kInf, above = kInf;
    for (u32 i = 0; i < n; ++i) {
        const double z = p.z[i] - p.low;
        const bool left = z<low, right = z> high;
        const double w = left ? weight(i) : 0.0;
        double* at = s.lanes.data() + ((i % kLanes) * k + p.classes[i]) * 2;
        at[0] += w;
        at[1] += w * z;
        before += left;
        below = std::max(below, left ? z : -kInf);
        above = std::min(above, right ? z : kInf);
        s.inside[size] = i;
        size += !(left | right);
    }
    s.sums.start_total = 0;
    for (u32 c : node.present) {
        for (u32 l = 0; l < kLanes; ++l) {
            s.sums.start_w[c] += s.lanes[(l * k + c) * 2];
            s.sums.start_z[c] += s.lanes[(l * k + c) * 2 + 1];
        }
        s.sums.start_total += s.sums.start_w[c];
    }
    many.start(s.sums.start_w, s.sums.start_z);
    double bound, unused, inside_weight = 0;
    many.put(bound, unused);
    for (u32 j = 0; j < size; ++j) {
        const u32 i = s.inside[j];
        bound += std::max(0.0, many.step(p.classes[i], weight(i), p.z[i] - p.low));
        inside_weight += weight(i);
    }
    if (bound < sink.best->floor() - tolerance::gain * sink.best->scale()) return true;

    // Every cut of the window must be allowed, and its edges must be gaps.
    const u32 after = n - before - size;
    if (limits.min_rows > 1 || limits.min_weight > 0) {
        if (std::min(before, after) < std::max(1u, limits.min_rows)) return false;
        const double after_weight = node.total - s.sums.start_total - inside_weight;
        if (!(std::min(s.sums.start_total, after_weight) >= limits.min_weight * (1 + kPosition))) return false;
    }
    // The rows of the window, between one row of each side that tells where the next gap begins.
    const u32 head = before > 0 ? 1 : 0;
    s.position.clear();
    s.classes.clear();
    s.weights.clear();
    auto list = [&](double position, u32 cls, double w) {
        s.position.push_back(position);
        s.classes.push_back(cls);
        if (p.weights) s.weights.push_back(w);
    };
    if (before > 0) list(below + p.low, node.present[0], 0);
    for (u32 j = 0; j < size; ++j) list(p.z[s.inside[j]], p.classes[s.inside[j]], weight(s.inside[j]));
    if (after > 0) list(above + p.low, node.present[0], 0);
    Projection part = p;
    part.size = static_cast<u32>(s.position.size());
    part.z = s.position.data();
    part.classes = s.classes.data();
    part.weights = p.weights ? s.weights.data() : nullptr;
    part.low = *std::min_element(s.position.begin(), s.position.end());
    part.high = *std::max_element(s.position.begin(), s.position.end());
    u32 known;
    const u64* order = order_rows(part.z, part.size, part.low, part.high, s.order, *p.budget, known);
    auto gap = [&](u32 i) {
        return part.z[static_cast<u32>(order[i + 1])] - part.z[static_cast<u32>(order[i])] > p.blur;
    };
    if (known < 2) return true;
    if ((before > 0 && !gap(0)) || (after > 0 && !gap(known - 2))) return false;
    const Packing packing(part.size, static_cast<u32>(k));
    auto& entries = per_thread<std::vector<u32>, struct EntriesHere>();
    entries.resize(known);
    const u64 ranks = pack_order<C>(packing, part, order, known, entries.data());
    Column positions{ColumnKind::numeric};
    positions.values = part.z;
    PackedColumn column = packed_projection(packing, positions, part, ranks);
    column.low = {entries.data(), known, 0};
    s.z.resize(known);
    for (u32 i = 0; i < known; ++i) s.z[i] = part.z[static_cast<u32>(order[i])] - p.low;
    const Feed feed{&column, column.low, column.weights, s.z.data()};
    Run run;
    run.last = known - 1;
    run.before = before - head;
    run.counted = head;
    run.inside = true;
    if (feed.weights)
        ManySweep<C, true>(criterion, node, feed, run, s.sums, limits, sink).run();
    else
        ManySweep<C, false>(criterion, node, feed, run, s.sums, limits, sink).run();
    return true;
}

}  // namespace bough
