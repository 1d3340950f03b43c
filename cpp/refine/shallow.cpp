#include "refine/shallow.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/threshold.hpp"
#include "data/column_order.hpp"

namespace bough {

namespace {

constexpr double kMostWeight = 1 << 30;  // of all rows
constexpr u32 kUnlisted = 8;             // a value of this part of the rows is not listed
constexpr u32 kAllSubsets = 5;           // values of which every subset is tried

// The largest number of which all are whole multiples, but for rounding; 0 if there is none that helps.
double common_unit(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.empty() || !(values.back() > 0)) return 0;
    const double nothing = kCount * values.back();
    double unit = 0;
    for (double v : values) {
        double large = std::max(unit, v), small = std::min(unit, v);
        while (small > nothing) {
            const double rest = std::fmod(large, small);
            large = std::exchange(small, small - rest <= nothing ? 0.0 : rest);
        }
        unit = large;
        if (unit > 0 && values.back() / unit > kMostWeight) return 0;
    }
    return unit;
}

// Weights as whole numbers of at most `most` together, and the unit that they are in.
double whole(const std::vector<double>& from, double most, std::vector<i32>& to, bool& rounded) {
    double unit = common_unit(from);
    const double total = std::accumulate(from.begin(), from.end(), 0.0);
    if (unit == 0 || total / unit > most) {
        unit = std::max(total, kTinySize) / most;
        rounded = true;
    }
    for (double w : from) to.push_back(static_cast<i32>(std::llround(w / unit)));
    return unit;
}

}  // namespace

ShallowProblem::ShallowProblem(const Data& data, const Losses& losses, double leaf_price, Team& team, Budget& budget)
    : n(data.table.n_rows), k(std::max(data.target.n_classes, 2u)) {
    weigh(data, losses, leaf_price);
    class_bits = std::bit_width(k - 1);
    if (static_cast<double>(n) * std::exp2(class_bits + 1) > 0x1p32)
        throw std::invalid_argument("the search for the best tree holds at most " +
                                    std::to_string((u64{1} << 32) >> (class_bits + 1)) + " rows of " +
                                    std::to_string(k) + " classes; these are " + std::to_string(n) +
                                    " rows. Take refine='axis'.");
    std::vector<std::vector<RankedColumn>> found(data.table.n_columns());
    team.each(found.size(), [&](std::size_t c, int) { rank(data.table, static_cast<u32>(c), found[c], budget); });
    for (auto& of_column : found)
        for (RankedColumn& list : of_column) {
            std::vector<u32> count(list.values.size(), 0);
            for (u32 r : list.rank) ++count[r];
            const auto most = std::max_element(count.begin(), count.end());
            if (!list.nominal && *most * u64{kUnlisted} >= n) list.top = static_cast<u32>(most - count.begin());
            lists.push_back(std::move(list));
            add_splitters(static_cast<u32>(lists.size() - 1));
        }
}

// What rows cost, beside their best answer, in whole numbers.
void ShallowProblem::weigh(const Data& data, const Losses& losses, double leaf_price) {
    const Target& target = data.target;
    const u32 k_given = target.n_classes;
    std::vector<double> saved(std::size_t{k} * k, 0.0);  // per class and answer
    bool plain = true;
    for (u32 c = 0; c < k_given; ++c) {
        double worst = -kInf;
        for (u32 a = 0; a < k_given; ++a) worst = std::max(worst, losses.cost_of_class(c, a));
        u32 savers = 0;
        for (u32 a = 0; a < k_given; ++a) savers += (saved[c * k + a] = worst - losses.cost_of_class(c, a)) > 0;
        plain &= savers < 2;
    }
    std::vector<u32> best(k, 0);
    std::vector<double> most(k, 0.0), least(k, 0.0), weight(n);
    for (u32 c = 0; c < k; ++c) {
        const auto of = saved.begin() + c * k;
        best[c] = static_cast<u32>(std::max_element(of, of + k) - of);
        most[c] = saved[c * k + best[c]];
        if (c < k_given) least[c] = losses.cost_of_class(c, best[c]);
    }
    classes.resize(n);
    for (u32 row = 0; row < n; ++row) {
        const u32 c = target.classes[row];
        classes[row] = plain ? best[c] : c;
        weight[row] = losses.own(row) * (plain ? most[c] : 1.0);
        base += losses.own(row) * least[c];
    }
    if (plain) {
        unit = whole(weight, kMostWeight, weights, rounded);
    } else {
        const double answer = common_unit(saved), finest = *std::max_element(most.begin(), most.end()) / 1024;
        const double of_answer = std::max(answer, finest);
        rounded = of_answer > answer;
        for (double s : saved) gains.push_back(static_cast<i32>(std::llround(s / of_answer)));
        for (u32 c = 0; c < k; ++c)
            top.push_back(*std::max_element(gains.begin() + c * k, gains.begin() + (c + 1) * k));
        unit = of_answer * whole(weight, kMostWeight / *std::max_element(top.begin(), top.end()), weights, rounded);
    }
    if (plain && std::all_of(weights.begin(), weights.end(), [](i32 w) { return w == 1; })) weights.clear();
    leaf = static_cast<Cost>(std::llround(std::min(leaf_price * losses.unit() / unit, kMostWeight) * kFine));
}

void ShallowProblem::rank(const Table& table, u32 column, std::vector<RankedColumn>& to, Budget& budget) const {
    const Column& x = table.columns[column];
    RankedColumn list;
    list.column = column;
    list.codes = x.kind == ColumnKind::nominal;
    list.rank.assign(n, kNone);
    if (list.codes) {
        std::vector<u32> place(x.n_values, kNone);
        for (u32 row = 0; row < n; ++row) place[static_cast<u32>(x.codes[row])] = 0;
        for (u32 v = 0; v < x.n_values; ++v)
            if (place[v] == 0) {
                place[v] = static_cast<u32>(list.values.size());
                list.values.push_back(v);
            }
        for (u32 row = 0; row < n; ++row) list.rank[row] = place[static_cast<u32>(x.codes[row])];
        list.nominal = list.values.size() > 2;
    } else {
        ColumnOrder order;
        order.sort(x, n, budget);
        for (u32 i = 0; i < order.size(); ++i) {
            if (list.values.empty() || list.values.back() != order.number(i)) list.values.push_back(order.number(i));
            list.rank[order.row(i)] = static_cast<u32>(list.values.size() - 1);
        }
        list.gaps_last = order.size() < n;
    }
    if (list.gaps_last) {
        RankedColumn turned = list;  // the same with rows without a value before all others
        turned.gaps_last = false;
        turned.gaps_first = true;
        turned.values.insert(turned.values.begin(), kNaN);
        for (u32& r : turned.rank) ++r;  // kNone becomes 0
        for (u32& r : list.rank) r = std::min(r, static_cast<u32>(list.values.size()));
        list.values.push_back(kNaN);
        if (turned.values.size() > 2) {
            to.push_back(std::move(list));
            to.push_back(std::move(turned));
            return;
        }
    }
    if (list.values.size() > 1) to.push_back(std::move(list));
}

// The cuts of an ordered column. Of a nominal one all subsets if it has few values; else one value against the others,
// and the first ones in the order of each class's share.
void ShallowProblem::add_splitters(u32 at) {
    const RankedColumn& list = lists[at];
    if (!list.nominal) return splitters.push_back({at, {}});
    const u32 m = static_cast<u32>(list.values.size());
    std::vector<std::vector<u8>> family;
    if (m <= kAllSubsets) {
        for (u32 bits = 1; bits < 1u << (m - 1); ++bits) {
            std::vector<u8> left(m, 0);
            for (u32 v = 0; v + 1 < m; ++v) left[v] = bits >> v & 1;
            family.push_back(std::move(left));
        }
    } else {
        std::vector<double> sums(std::size_t{m} * k, 0.0), total(m, 0.0);
        for (u32 row = 0; row < n; ++row) {
            sums[list.rank[row] * k + classes[row]] += most(row);
            total[list.rank[row]] += most(row);
        }
        for (u32 v = 0; v < m; ++v) {
            family.emplace_back(m, 0);
            family.back()[v] = 1;
        }
        for (u32 c = 0; c < (k == 2 ? 1 : k); ++c) {
            std::vector<u32> order(m);
            std::iota(order.begin(), order.end(), 0u);
            std::stable_sort(order.begin(), order.end(),
                             [&](u32 a, u32 b) { return sums[a * k + c] * total[b] < sums[b * k + c] * total[a]; });
            std::vector<u8> left(m, 0);
            for (u32 v = 0; v + 1 < m; ++v) {
                left[order[v]] = 1;
                family.push_back(left);
            }
        }
        for (auto& left : family)
            if (left[m - 1])
                for (u8& side : left) side = !side;
        std::sort(family.begin(), family.end());
        family.erase(std::unique(family.begin(), family.end()), family.end());
    }
    for (auto& left : family) splitters.push_back({at, std::move(left)});
}

Sketch joined(Choice root, const Sketch& left, const Sketch& right) {
    root.right = static_cast<u32>(1 + left.size());
    Sketch out{std::move(root)};
    out.insert(out.end(), left.begin(), left.end());
    out.insert(out.end(), right.begin(), right.end());
    return out;
}

std::vector<Split> splits_of(const ShallowProblem& problem, const Sketch& tree) {
    std::vector<Split> out;
    std::vector<u32> stack{0};
    while (!stack.empty()) {
        const u32 i = stack.back();
        stack.pop_back();
        const Choice& at = tree[i];
        Split& split = out.emplace_back();
        if (at.kind != Choice::Kind::split) continue;
        const RankedColumn& list = problem.lists[at.list];
        split.column = list.column;
        bool swap = false;
        if (list.codes) {
            split.kind = NodeKind::subset;
            for (u32 r = 0; r < list.values.size(); ++r) {
                split.values.push_back(static_cast<u32>(list.values[r]));
                split.goes_left.push_back(at.goes_left(r));
            }
            split.other = 1;
        } else {
            split.kind = NodeKind::axis;
            const double low = list.values[at.low], high = list.values[at.high];
            swap = is_missing(low);  // rows without a value alone: children change places
            split.cut = is_missing(low) || is_missing(high) ? kInf : between(low, high);
            split.missing_left = list.gaps_first && !swap;
        }
        stack.push_back(i + (swap ? 1 : at.right));
        stack.push_back(i + (swap ? at.right : 1));
    }
    return out;
}

}  // namespace bough
