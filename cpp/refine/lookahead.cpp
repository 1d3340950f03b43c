// Good trees in little time: the first split of the best tree of a few levels, again and again; and how the trees of a
// search are written down.
#include <algorithm>

#include "refine/shallow_search.hpp"

namespace bough {

// Trees are offered with stumps that are open, as the search keeps them.
void ShallowSearch::offer(const Subset& all, Found found) {
    if (found.tree.empty() || found.cost >= best_.cost) return;
    best_.cost = found.cost;
    best_.tree = complete(all, found.tree);
    better_(best_.cost);
}

Sketch ShallowSearch::leaf(const Subset& s) const {
    Choice only;
    s.leaf_loss(&only.label);
    return {only};
}

// The best tree of one cut, or a leaf if none is better.
Found ShallowSearch::stump(const Subset& s) const {
    Found best{0, leaf_cost(s), leaf(s)};
    for (u32 l = 0; l < p_.lists.size(); ++l)
        if (Found found = stump_of(s, l, best.cost); found.cost < best.cost) best = std::move(found);
    best.bound = best.cost;
    return best;
}

Found ShallowSearch::stump_of(const Subset& s, u32 l, Cost limit) const {
    Found best;
    best.cost = limit;
    const u32 *e = s.list(l), *end = s.ends_of(l), runs = s.n_runs[l];
    if (runs < 2) return best;
    auto offer = [&](i64 saved, std::size_t left, std::size_t right, auto make) {
        const Cost found = (s.weight - saved) * kFine + 2 * p_.leaf;
        if (found >= best.cost) return;
        Choice ends[2], root = make();
        root.kind = Choice::Kind::split;
        root.list = l;
        ends[0].label = static_cast<u32>(left);
        ends[1].label = static_cast<u32>(right);
        best = {0, found, joined(std::move(root), {ends[0]}, {ends[1]})};
    };
    std::vector<std::vector<i64>> of_value(runs, std::vector<i64>(p_.k, 0));
    std::vector<i64> others = s.saved;
    u32 gap = runs;
    for (u32 i = 0, r = 0; r < runs; ++r) {
        if (s.gap[l] > 0 && end[r] == s.gap_at[l] + s.gap[l]) {
            gap = r;
            continue;
        }
        for (const u32 stop = end[r] > s.gap_at[l] ? end[r] - s.gap[l] : end[r]; i < stop; ++i)
            for (u32 row = s.rows[s.row_of(e[i])], a = 0; a < p_.k; ++a) of_value[r][a] += p_.saves(row, a);
        for (u32 a = 0; a < p_.k; ++a) others[a] -= of_value[r][a];
    }
    if (gap < runs) of_value[gap] = others;
    if (p_.lists[l].nominal) {
        for (u32 a = 0; a < p_.k; ++a)
            for (u32 b = a + 1; b < p_.k; ++b) {
                i64 saved = 0;
                for (const auto& v : of_value) saved += std::max(v[a], v[b]);
                offer(saved, a, b, [&] {
                    Choice root;
                    root.left.assign(p_.lists[l].values.size(), 0);
                    for (u32 r = 0; r < runs; ++r)
                        root.left[s.rank_at(l, end[r] - 1)] = of_value[r][a] >= of_value[r][b];
                    return root;
                });
            }
        return best;
    }
    std::vector<i64> left(p_.k, 0), right = s.saved;
    for (u32 r = 0; r + 1 < runs; ++r) {
        for (u32 a = 0; a < p_.k; ++a) left[a] += of_value[r][a], right[a] -= of_value[r][a];
        const auto a = std::max_element(left.begin(), left.end()), b = std::max_element(right.begin(), right.end());
        offer(*a + *b, a - left.begin(), b - right.begin(), [&] {
            Choice root;
            root.low = s.rank_at(l, end[r] - 1);
            root.high = s.rank_at(l, end[r]);
            return root;
        });
    }
    return best;
}

// With all stumps written down, and the labels of leaves.
Sketch ShallowSearch::complete(const Subset& s, const Sketch& tree) const {
    if (tree[0].kind == Choice::Kind::leaf) return leaf(s);
    if (tree[0].kind == Choice::Kind::stump) return stump(s).tree;
    std::vector<u8> member;
    s.mark(tree[0], member);
    Sketch sides[2];
    for (u8 side : {0, 1}) {
        Subset x(p_);
        x.take_side(s, member, side == 0);
        x.fill(s, member, side == 0);
        if (x.n == s.n) return complete(s, side == 0 ? left_of(tree) : right_of(tree));
        if (x.n > 0) sides[side] = complete(x, side == 0 ? left_of(tree) : right_of(tree));
    }
    return joined(tree[0], sides[0], sides[1]);
}

// The root of the best tree of `look` levels, and below it the same again.
Found ShallowSearch::roll(const Subset& s, u32 depth, u32 look, const Found* first) {
    Found found = first ? *first : solve(s, std::min(depth, look), kAny, 1);
    if (found.tree.empty()) return {0, leaf_cost(s), leaf(s)};
    if (depth <= look || found.tree[0].kind != Choice::Kind::split) found.tree = complete(s, found.tree);
    if (depth <= look || found.tree.size() == 1) return found;
    std::vector<u8> member;
    s.mark(found.tree[0], member);
    Found sides[2];
    for (u8 side : {0, 1}) {
        Subset x(p_);
        x.take_side(s, member, side == 0);
        x.fill(s, member, side == 0);
        sides[side] = roll(x, depth - 1, look);
    }
    return {0, sides[0].cost + sides[1].cost, joined(found.tree[0], sides[0].tree, sides[1].tree)};
}

Found ShallowSearch::lookahead(u32 depth, u32 look) {
    Subset all(p_);
    all.take_all();
    best_ = {least(all, depth), kAny, {}};
    offer(all, {0, leaf_cost(all), leaf(all)});
    for (u32 levels = 2; levels <= std::max(look, 2u) && levels <= std::max(depth - 1, 2u) && !stop_; ++levels) {
        offer(all, roll(all, depth, levels));
    }
    return best_;
}

}  // namespace bough
