#include "tree/margins.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tree/route.hpp"

namespace bough {

namespace {

constexpr u32 kSmallTree = 1023, kUpperLevels = 6;
constexpr int kMostDigits = 17;        // of a float64
constexpr double kRounding = 0x1p-50;  // of a sum of few terms, relative to the sum of their sizes

double rounded(double x, int digits) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1).ptr;
    std::from_chars(text, end, x);
    return x;
}

// So many digits, and any more of them.
u8 digits_of_cut(double cut, double low, double high) {
    const double room = std::min(cut - low, high - cut);  // half a unit of the last digit is no more than that
    int digits = kMostDigits;
    if (room > 0 && cut != 0)
        digits = std::clamp(2 + static_cast<int>(std::floor(std::log10(std::fabs(cut))) -
                                                 std::floor(std::log10(std::min(room, 1e300)))),
                            1, kMostDigits);
    for (; digits > 1; --digits)
        if (const double x = rounded(cut, digits - 1); !(low <= x && x < high)) break;
    return static_cast<u8>(digits);
}

u8 digits_of_weights(const SplitView& s, const double* reach, double low, double high) {
    if (!std::isfinite(high - low)) return 0;
    double size = std::fabs(s.cut);
    for (std::size_t t = 0; t < s.term_columns.size(); ++t) {
        const u32 c = s.term_columns[t];
        size += std::fabs(s.term_weights[t]) * (reach[c] + (s.centers.empty() ? 0.0 : std::fabs(s.centers[c])));
    }
    const double room = (high - low) / 8 - kRounding * size;  // half of what the cut has on its narrower side
    for (int digits = 1; digits < kMostDigits; ++digits) {
        double moved = 0;
        for (std::size_t t = 0; t < s.term_columns.size(); ++t)
            moved += std::fabs(rounded(s.term_weights[t], digits) - s.term_weights[t]) * reach[s.term_columns[t]];
        if (moved <= room) return static_cast<u8>(digits);
    }
    return 0;
}

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

std::vector<u8> digits_of(const Tree& tree, std::span<const double> margins) {
    const u32 n = tree.n_nodes();
    std::vector<u8> found(n);
    for (u32 i = 0; i < n; ++i) {
        const double low = margins[i], high = margins[n + i];
        if (std::isnan(low)) continue;
        const SplitView s = tree.view(i);
        found[i] = s.kind == NodeKind::axis ? digits_of_cut(s.cut, low, high)
                                            : digits_of_weights(s, margins.data() + 2 * n, low, high);
    }
    return found;
}

}  // namespace bough
