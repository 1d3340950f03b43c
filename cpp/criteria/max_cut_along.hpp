// max_cut along a direction without sorting all rows. Moving a row to the left adds w·N_c·(r_c − z), with N_c
// the weight of the other classes and r_c their mean position: left of every r_c the cut only grows, right of
// every r_c it only shrinks. So only the rows between the least and the greatest r_c are sorted, and not even
// they when the cut could not win though each row chose its side by itself.
#pragma once

#include <algorithm>

#include "base/order.hpp"
#include "base/threshold.hpp"
#include "score/scorer.hpp"

namespace bough {

struct MaxCutScratch {
    std::vector<double> w, z, others_w, others_z, lanes, left_w, left_z, right_w, right_z, position, value;
    std::vector<u32> inside;
    OrderScratch order;
};

// Offers the best cuts; false if limits or ties at the edges need every row in order. `gain` is the
// criterion's plain one.
template <bool kWeighted, class GainOf>
bool max_cut_along(const Node& node, const Projection& p, const LeafLimits& limits, const CutSink& sink, GainOf gain) {
    thread_local MaxCutScratch s;
    constexpr u32 kLanes = 4;  // so that rows of one class do not wait for each other
    const u32 n = p.size;
    const std::size_t k = node.weights.size(), present = node.present.size();
    auto weight = [&](u32 i) { return kWeighted ? p.weights[i] : 1.0; };

    s.lanes.assign(kLanes * k, 0.0);
    for (u32 i = 0; i < n; ++i) s.lanes[(i % kLanes) * k + p.classes[i]] += weight(i) * (p.z[i] - p.low);
    s.w.assign(k, 0.0);
    s.z.assign(k, 0.0);
    s.others_w.resize(k);
    s.others_z.resize(k);
    double all = 0, low = kInf, high = -kInf;
    for (u32 c : node.present) {
        for (u32 l = 0; l < kLanes; ++l) s.z[c] += s.lanes[l * k + c];
        all += s.z[c];
    }
    for (u32 c : node.present) {
        s.others_w[c] = node.total - node.weights[c];
        s.others_z[c] = all - s.z[c];
        low = std::min(low, s.others_z[c] / s.others_w[c]);
        high = std::max(high, s.others_z[c] / s.others_w[c]);
    }
    const double margin = 1e-9 * (std::fabs(low) + std::fabs(high)) + 2 * p.blur;
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
    double base = 0, before_weight = 0;
    for (u32 c : node.present) {
        s.w[c] = s.z[c] = 0;
        for (u32 l = 0; l < kLanes; ++l) {
            s.w[c] += s.lanes[(l * k + c) * 2];
            s.z[c] += s.lanes[(l * k + c) * 2 + 1];
        }
        before_weight += s.w[c];
        base += s.w[c] * s.others_z[c] - s.z[c] * s.others_w[c];
    }
    auto step = [&](u32 i) {  // what row i adds to the cut when it moves to the left
        const u32 c = p.classes[i];
        return weight(i) * (s.others_z[c] - (p.z[i] - p.low) * s.others_w[c]);
    };
    double bound = base, inside_weight = 0;
    for (u32 j = 0; j < size; ++j) {
        bound += std::max(0.0, step(s.inside[j]));
        if constexpr (kWeighted) inside_weight += weight(s.inside[j]);
    }
    const double floor = sink.best->floor() - 1e-10 * sink.best->scale();
    if (bound < floor) return true;

    // Every cut of the window must be allowed, and its edges must be gaps.
    const u32 least = std::max(1u, limits.min_rows), after = n - before - size;
    const bool limited = least > 1 || limits.min_weight > 0;
    if (limited) {
        if (before < least || after < least) return false;
        const double after_weight = kWeighted ? node.total - before_weight - inside_weight : after;
        if (!(std::min(before_weight, after_weight) >= limits.min_weight * (1 + 1e-9))) return false;
    }
    s.position.resize(size + 1);
    s.value.resize(size + 1);
    for (u32 j = 0; j < size; ++j) s.position[j] = p.z[s.inside[j]];
    u32 known = 0;
    const u64* order = nullptr;
    if (size > 0) {
        double least_z = kInf, most_z = -kInf;
        for (u32 j = 0; j < size; ++j) {
            least_z = std::min(least_z, s.position[j]);
            most_z = std::max(most_z, s.position[j]);
        }
        order = order_rows(s.position.data(), size, least_z, most_z, s.order, *p.budget, known);
        if (before > 0 && !(least_z - p.low - below > p.blur)) return false;
        if (after > 0 && !(above - (most_z - p.low) > p.blur)) return false;
    } else if (!(above - below > p.blur)) {
        return false;
    }
    auto row = [&](u32 j) { return s.inside[static_cast<u32>(order[j])]; };
    // Cut j has the first j rows of the window on its left.
    auto ends = [&](u32 j) {
        return std::pair(j > 0 ? p.z[row(j - 1)] : below + p.low, j < size ? p.z[row(j)] : above + p.low);
    };
    auto fits = [&](u32 j) {
        if (before + j == 0 || before + j == n) return false;
        const auto [from, to] = ends(j);
        return to - from > p.blur;
    };
    double cut = base, top = -kInf;
    for (u32 j = 0;; ++j) {
        s.value[j] = cut;
        if (cut > top && fits(j)) top = cut;
        if (j == size) break;
        cut += step(row(j));
    }
    const double near = std::max(floor, top - 1e-10 * std::fabs(top));
    if (!(top >= near)) return true;
    for (auto* v : {&s.left_w, &s.left_z, &s.right_w, &s.right_z}) v->resize(present);
    thread_local std::vector<double> total_z;
    total_z.resize(k);
    for (u32 c : node.present) total_z[c] = all - s.others_z[c];
    for (u32 j = 0;; ++j) {
        if (s.value[j] >= near && fits(j)) {
            double total = 0;
            for (std::size_t d = 0; d < present; ++d) {
                const u32 c = node.present[d];
                s.left_w[d] = s.w[c];
                s.left_z[d] = s.z[c];
                s.right_w[d] = std::max(0.0, node.weights[c] - s.w[c]);
                s.right_z[d] = total_z[c] - s.z[c];
                total += s.w[c];
            }
            Candidate c;
            c.gain = gain(Side(s.left_w, s.left_z), Side(s.right_w, s.right_z));
            c.balance = std::min(total, node.total - total);
            c.column = sink.column;
            c.order = along_order(sink.direction) | u64{before + j} << 1 | 1;
            c.family = sink.family;
            c.a = sink.direction;
            const auto [from, to] = ends(j);
            c.cut = between(from, to);
            sink.best->offer(c);
        }
        if (j == size) break;
        const u32 i = row(j);
        s.w[p.classes[i]] += weight(i);
        s.z[p.classes[i]] += weight(i) * (p.z[i] - p.low);
    }
    return true;
}

}  // namespace bough
