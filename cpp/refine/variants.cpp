// Trees that are nearly as good as the best one: the same bounds, with the limit in the place of the best tree so far.
#include <algorithm>
#include <map>

#include "refine/shallow_search.hpp"

namespace bough {

std::vector<Variant> ShallowSearch::variants_of(const Subset& s, u32 depth, Cost limit, u32 most) {
    std::map<std::vector<u32>, Variant> found;
    const Cost pure = leaf_cost(s);
    if (pure <= limit) found[{kNone}] = {{kNone}, pure, leaf(s)};
    const Cost below = std::min(limit + 1, pure);  // a split costs less than this
    // Rows without a value alone: the list that begins with them and the one that ends with them have the same cut.
    auto twice = [&](const Choice& c) { return p_.lists[c.list].gaps_first && c.low == 0; };
    auto take = [&](u32 list, Cost cost, std::span<const u32> left, std::span<const u32> right, auto make) {
        std::vector<u32> columns{p_.lists[list].column};
        columns.insert(columns.end(), left.begin(), left.end());
        columns.insert(columns.end(), right.begin(), right.end());
        Variant& known = found[columns];
        if (known.tree.empty() || cost < known.cost) known = {columns, cost, make()};
    };
    if (depth == 1) {
        const u32 none[] = {kNone};
        for (u32 l = 0; l < p_.lists.size(); ++l)
            if (Found cut = stump_of(s, l, below); cut.cost < below && !twice(cut.tree[0]))
                take(l, cut.cost, none, none, [&] { return cut.tree; });
    } else if (depth > 1 && s.n > 1) {
        std::vector<Both> cuts;
        depth == 2 ? two_levels(s, below, &cuts) : deep(s, depth, below, 1, nullptr, &cuts);
        std::vector<u8> member;
        for (const Both& cut : cuts) {
            if (paused()) break;
            const Choice root = s.choice(cut.at.splitter, cut.at.cut);
            if (twice(root)) continue;
            s.mark(root, member);
            std::vector<Variant> sides[2];
            for (u8 side : {0, 1}) {
                Subset x(p_);
                x.take_side(s, member, side == 0);
                if (x.n == 0 || x.n == s.n) break;
                x.fill(s, member, side == 0);
                sides[side] = variants_of(x, depth - 1, below - 1 - (side == 0 ? cut.right : cut.left), most);
            }
            const u32 list = p_.splitters[cut.at.splitter].list;
            for (const Variant& left : sides[0])
                for (const Variant& right : sides[1]) {
                    if (left.cost + right.cost >= below) break;  // the others cost more
                    take(list, left.cost + right.cost, left.columns, right.columns,
                         [&] { return joined(root, left.tree, right.tree); });
                }
        }
    }
    std::vector<Variant> out;
    for (auto& [columns, variant] : found) out.push_back(std::move(variant));
    std::stable_sort(out.begin(), out.end(), [](const Variant& a, const Variant& b) { return a.cost < b.cost; });
    if (out.size() > most) out.resize(most);
    return out;
}

std::vector<Variant> ShallowSearch::variants(u32 depth, Cost limit, u32 most) {
    Subset all(p_);
    all.take_all();
    return variants_of(all, depth, limit, most);
}

}  // namespace bough
