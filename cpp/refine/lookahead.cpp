// Good trees in little time: the first split of the best tree of a few levels, again and again, and improvement of a
// tree as a whole; and how the trees of a search are written down.
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
Sketch ShallowSearch::stump(const Subset& s) const {
    Sketch best = leaf(s);
    Cost least = leaf_cost(s);
    auto offer = [&](i64 saved, auto make) {
        const Cost found = (s.weight - saved) * kFine + 2 * p_.leaf;
        if (found >= least) return;
        least = found;
        best = make();
    };
    auto tree = [&](Choice root, u32 left, u32 right) {
        Choice ends[2];
        ends[0].label = left;
        ends[1].label = right;
        return joined(std::move(root), {ends[0]}, {ends[1]});
    };
    auto add = [&](std::vector<i64>& to, u32 entry) {
        const u32 row = s.rows[s.row_of(entry)];
        if (p_.gains.empty())
            to[s.class_of(entry)] += p_.weight(row);
        else
            for (u32 a = 0; a < p_.k; ++a) to[a] += p_.saves(row, a);
    };
    auto place = [](const std::vector<i64>& v) { return std::max_element(v.begin(), v.end()) - v.begin(); };
    for (u32 f = 0; f < p_.splitters.size(); ++f) {
        const u32 l = p_.splitters[f].list;
        const u32 *e = s.list(l), *end = s.ends_of(l);
        if (s.n_runs[l] < 2 || p_.lists[l].nominal) continue;
        std::vector<i64> left(p_.k, 0), right(p_.k);
        for (u32 i = 0, r = 0; r + 1 < s.n_runs[l]; ++r) {
            for (; i < end[r]; ++i) add(left, e[i]);
            for (u32 a = 0; a < p_.k; ++a) right[a] = s.saved[a] - left[a];
            const auto a = place(left), b = place(right);
            offer(left[a] + right[b],
                  [&] { return tree(s.choice(f, static_cast<i32>(r)), static_cast<u32>(a), static_cast<u32>(b)); });
        }
    }
    for (u32 l = 0; l < p_.lists.size(); ++l) {
        if (!p_.lists[l].nominal || s.n_runs[l] < 2) continue;
        const u32 *e = s.list(l), *end = s.ends_of(l);
        std::vector<std::vector<i64>> of_value(s.n_runs[l], std::vector<i64>(p_.k, 0));
        for (u32 i = 0, r = 0; r < s.n_runs[l]; ++r)
            for (; i < end[r]; ++i) add(of_value[r], e[i]);
        for (u32 a = 0; a < p_.k; ++a)
            for (u32 b = a + 1; b < p_.k; ++b) {
                i64 saved = 0;
                for (const auto& v : of_value) saved += std::max(v[a], v[b]);
                offer(saved, [&] {
                    Choice root;
                    root.kind = Choice::Kind::split;
                    root.list = l;
                    root.left.assign(p_.lists[l].values.size(), 0);
                    for (u32 r = 0; r < of_value.size(); ++r)
                        root.left[p_.lists[l].rank[s.rows[s.row_of(e[end[r] - 1])]]] = of_value[r][a] >= of_value[r][b];
                    return tree(std::move(root), a, b);
                });
            }
    }
    return best;
}

// With all stumps written down, and the labels of leaves.
Sketch ShallowSearch::complete(const Subset& s, const Sketch& tree) const {
    if (tree[0].kind == Choice::Kind::leaf) return leaf(s);
    if (tree[0].kind == Choice::Kind::stump) return stump(s);
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

u32 ShallowSearch::label(const Sketch& tree, u32 row) const {
    u32 at = 0;
    while (tree[at].kind == Choice::Kind::split)
        at += tree[at].goes_left(p_.lists[tree[at].list].rank[row]) ? 1 : tree[at].right;
    return tree[at].label;
}

Cost ShallowSearch::cost(const Subset& s, const Sketch& tree) const {
    i64 loss = s.weight;
    for (u32 row : s.rows) loss -= p_.saves(row, label(tree, row));
    Cost leaves = 0;
    for (const Choice& c : tree) leaves += c.kind == Choice::Kind::leaf;
    return loss * kFine + leaves * p_.leaf;
}

// The root of the best tree of `look` levels, and below it the same again.
Found ShallowSearch::roll(const Subset& s, u32 depth, u32 look) {
    Found found = solve(s, std::min(depth, look), kAny, 1);
    if (found.tree.empty()) return {0, leaf_cost(s), leaf(s)};
    found.tree = complete(s, found.tree);
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

// The best cut for the subtrees as they are; false: the one that is there.
bool ShallowSearch::improve_cut(const Subset& s, Sketch& tree) const {
    const Sketch left = left_of(tree), right = right_of(tree);
    std::vector<i64> gain(s.n);
    std::vector<u8> member;
    s.mark(tree[0], member);
    i64 best = 0;
    for (u32 i = 0; i < s.n; ++i) {
        gain[i] = p_.saves(s.rows[i], label(left, s.rows[i])) - p_.saves(s.rows[i], label(right, s.rows[i]));
        if (member[i]) best += gain[i];
    }
    Cut at{kNone, 0};
    auto take = [&](i64 sum, u32 f, i32 cut) {
        if (sum > best) best = sum, at = {f, cut};
    };
    for (u32 f = 0; f < p_.splitters.size(); ++f) {
        const Splitter& splitter = p_.splitters[f];
        i64 sum = 0;
        if (splitter.left.empty()) {
            const u32 *e = s.list(splitter.list), *end = s.ends_of(splitter.list);
            u32 i = 0;
            for (i32 r = 0; r < s.n_cuts(f); ++r) {
                for (; i < end[r]; ++i) sum += gain[s.row_of(e[i])];
                take(sum, f, r);
            }
            continue;
        }
        s.mark(f, 0, member);
        u32 n_left = 0;
        for (u32 i = 0; i < s.n; ++i)
            if (member[i]) sum += gain[i], ++n_left;
        if (n_left > 0 && n_left < s.n) take(sum, f, 0);
    }
    if (at.splitter == kNone) return false;
    tree = joined(s.choice(at.splitter, at.cut), left, right);
    return true;
}

// In turn the best cut for the subtrees and better subtrees for the cut; of two levels the best tree there is.
Found ShallowSearch::improve(const Subset& s, Sketch tree, u32 depth, u32 rounds) {
    if (depth <= 2) {
        Found found = solve(s, depth, kAny, 1);
        if (found.tree.empty()) return {0, cost(s, tree), tree};
        found.tree = complete(s, found.tree);
        return found;
    }
    Found r{0, cost(s, tree), std::move(tree)};
    for (u32 round = 0; round < rounds && r.tree.size() > 1 && !paused(); ++round) {
        const Cost before = r.cost;
        improve_cut(s, r.tree);
        std::vector<u8> member;
        s.mark(r.tree[0], member);
        Sketch sides[2] = {left_of(r.tree), right_of(r.tree)};
        bool parted = true;
        for (u8 side : {0, 1}) {
            Subset x(p_);
            x.take_side(s, member, side == 0);
            if (!(parted = x.n > 0 && x.n < s.n)) break;
            x.fill(s, member, side == 0);
            Found better = improve(x, sides[side], depth - 1, 2);
            if (better.cost < cost(x, sides[side])) sides[side] = std::move(better.tree);
        }
        if (!parted) break;
        r.tree = joined(r.tree[0], sides[0], sides[1]);
        r.cost = cost(s, r.tree);
        if (r.cost >= before) break;
    }
    r.cost = cost(s, r.tree);
    return r;
}

Found ShallowSearch::lookahead(u32 depth, u32 look) {
    Subset all(p_);
    all.take_all();
    best_ = {least(all, depth), kAny, {}};
    offer(all, {0, leaf_cost(all), leaf(all)});
    for (u32 levels = 2; levels <= std::max(look, 2u) && levels <= std::max(depth - 1, 2u) && !stop_; ++levels) {
        offer(all, roll(all, depth, levels));
        offer(all, improve(all, best_.tree, depth, 4));
    }
    return best_;
}

}  // namespace bough
