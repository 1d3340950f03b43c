#include "tree/margins.hpp"

#include <algorithm>
#include <cmath>

#include "tree/route.hpp"

namespace bough {

namespace {

constexpr u32 kSmallTree = 1023, kUpperLevels = 6;

// An inner node.
struct Step {
    u32 node;
    SplitView split;
    bool is_cut;
    u32 first, last;  // its children
};

// The inner nodes that are looked at, the root first: all of a small tree, those of the upper levels of a large one.
std::vector<Step> steps_of(const Tree& tree) {
    std::vector<Step> steps;
    std::vector<u32> level{0}, below;
    for (u32 depth = 0; !level.empty() && (tree.n_nodes() <= kSmallTree || depth < kUpperLevels); ++depth) {
        below.clear();
        for (u32 node : level) {
            const auto children = tree.children(node);
            if (children.empty()) continue;
            const SplitView split = tree.view(node);
            const bool is_cut = split.kind == NodeKind::axis || split.kind == NodeKind::linear;
            steps.push_back({node, split, is_cut, children[0], children.back()});
            for (u32 child : children) below.push_back(child);
        }
        level.swap(below);
    }
    return steps;
}

}  // namespace

std::vector<double> margins(const Tree& tree, std::span<const Column> columns, u32 n_rows,
                            std::optional<std::span<const u32>> listed, Budget& budget) {
    const TreeParts& parts = tree.parts();
    const u32 n = tree.n_nodes();
    const std::vector<Step> steps = steps_of(tree);
    std::vector<u32> place(n, kNone);  // of each node among the steps
    std::vector<double> found(2 * std::size_t{n} + (parts.term_columns.empty() ? 0 : columns.size()), kNaN);
    double *low = found.data(), *high = low + n, *reach = high + n;
    for (u32 i = 0; i < steps.size(); ++i) {
        const Step& s = steps[i];
        place[s.node] = i;
        if (s.is_cut) low[s.node] = -kInf, high[s.node] = kInf;
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
        auto meet = [&](const Step& s) {  // the child on whose side a row's position is; kNone: it has none
            const double x = position(s.split, columns, row);
            if (is_missing(x)) return kNone;
            const bool left = x <= s.split.cut;
            if (left)
                low[s.node] = std::max(low[s.node], x);
            else
                high[s.node] = std::min(high[s.node], x);
            return left ? s.first : s.last;
        };
        for (u32 c : summed)
            if (const double d = std::fabs(columns[c].value(row) - (parts.centers.empty() ? 0.0 : parts.centers[c]));
                d > reach[c])
                reach[c] = d;
        if (tree.missing() == Missing::shared) {
            tree.reach(columns, row, parted);
            for (const Reached& r : parted)
                if (place[r.node] != kNone && steps[place[r.node]].is_cut) meet(steps[place[r.node]]);
            continue;
        }
        for (u32 i = place[0]; i != kNone;) {
            const Step& s = steps[i];
            u32 to = s.is_cut ? meet(s) : kNone;
            if (to == kNone) {
                const u32 child = route(s.split, columns, row);
                if (child == kStopHere) break;
                to = tree.children(s.node)[child];
            }
            i = place[to];
        }
    }
    return found;
}

}  // namespace bough
