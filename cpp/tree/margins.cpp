#include "tree/margins.hpp"

#include <algorithm>
#include <cmath>

#include "tree/route.hpp"

namespace bough {

namespace {

constexpr u32 kSmallTree = 1023, kUpperLevels = 6;

// How many nodes are looked at: in preorder all of a small tree, none below the upper levels of a large one.
std::vector<u8> looked_at(const Tree& tree) {
    const u32 n = tree.n_nodes();
    std::vector<u32> depth(n);
    std::vector<u8> found(n, 1);
    for (u32 i = 1; i < n; ++i) {
        depth[i] = depth[tree.parent(i)] + 1;
        found[i] = n <= kSmallTree || depth[i] < kUpperLevels;
    }
    return found;
}

}  // namespace

std::vector<double> margins(const Tree& tree, std::span<const Column> columns, u32 n_rows,
                            std::optional<std::span<const u32>> listed, Budget& budget) {
    const TreeParts& parts = tree.parts();
    const u32 n = tree.n_nodes();
    const std::vector<u8> wanted = looked_at(tree);
    std::vector<double> found(2 * std::size_t{n} + (parts.term_columns.empty() ? 0 : columns.size()), kNaN);
    double *low = found.data(), *high = low + n, *reach = high + n;
    struct Step {
        SplitView split;
        bool inner = false, is_cut = false;
        u32 first = 0, second = 0;
    };
    std::vector<Step> steps(n);
    for (u32 i = 0; i < n; ++i) {
        const auto below = tree.children(i);
        if (!wanted[i] || below.empty()) continue;
        Step& s = steps[i];
        s.split = tree.view(i);
        s.inner = true;
        s.is_cut = s.split.kind == NodeKind::axis || s.split.kind == NodeKind::linear;
        s.first = below[0];
        s.second = below.back();
        if (s.is_cut) low[i] = -kInf, high[i] = kInf;
        for (u32 c : s.split.term_columns) reach[c] = 0;
    }
    std::vector<u32> summed;
    for (u32 c = 0; c < columns.size() && !parts.term_columns.empty(); ++c) {
        if (reach[c] != 0) continue;
        if (columns[c].kind == ColumnKind::nominal)
            reach[c] = 1;  // what a term of one of its values is at most
        else
            summed.push_back(c);
    }
    std::vector<Reached> parted;
    for (u32 at = 0, end = listed ? static_cast<u32>(listed->size()) : n_rows; at < end; ++at) {
        const u32 row = listed ? (*listed)[at] : at;
        if (at % 4096 == 0) budget.poll();
        auto meet = [&](u32 i) {  // the child on whose side a row's position is; kNone: it has none
            const double x = position(steps[i].split, columns, row);
            if (is_missing(x)) return kNone;
            const bool left = x <= steps[i].split.cut;
            if (left)
                low[i] = std::max(low[i], x);
            else
                high[i] = std::min(high[i], x);
            return left ? steps[i].first : steps[i].second;
        };
        for (u32 c : summed)
            if (const double d = std::fabs(columns[c].value(row) - (parts.centers.empty() ? 0.0 : parts.centers[c]));
                d > reach[c])
                reach[c] = d;
        if (tree.missing() == Missing::shared) {
            tree.reach(columns, row, parted);
            for (const Reached& r : parted)
                if (steps[r.node].is_cut) meet(r.node);
            continue;
        }
        for (u32 i = 0; steps[i].inner;) {
            u32 to = steps[i].is_cut ? meet(i) : kNone;
            if (to == kNone) {
                const u32 child = route(steps[i].split, columns, row);
                if (child == kStopHere) break;
                to = tree.children(i)[child];
            }
            i = to;
        }
    }
    return found;
}

}  // namespace bough
