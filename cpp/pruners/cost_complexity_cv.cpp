// cost_complexity_cv: the subtree of least error + alpha for each leaf, with alpha chosen by cross-validation. Trees
// are grown from parts of the rows by the same plan; nothing is sorted again (data/presort.hpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "base/slack.hpp"
#include "grow/grow.hpp"
#include "pruners/errors.hpp"

namespace bough {

namespace {

constexpr u64 kStream = 0x666f6c64735f6376ull;  // of the random numbers that deal rows out

// What every node costs as a leaf: the cost of its predictions, or the sum of squares about its mean.
std::vector<double> costs_of(const Tree& tree, const Stakes& stakes) {
    check_squares(tree);
    std::vector<double> cost(tree.n_nodes());
    for (u32 i = 0; i < tree.n_nodes(); ++i)
        cost[i] = tree.parts().n_classes == 0 ? tree.spread(i) : stakes.risk(tree.weights(i));
    return cost;
}

// The complexity of every inner node as rpart finds it: from the leaves up, a node's value is what its kept leaves
// save, for each of its kept splits; children of lower complexity are folded first, each as a whole. At most `least`:
// folded.
std::vector<double> folded(const Tree& tree, std::span<const double> cost, double least) {
    std::vector<double> value(tree.n_nodes(), least), below(cost.begin(), cost.end()), splits(tree.n_nodes(), 0.0);
    std::vector<u32> order;
    for (u32 i = tree.n_nodes(); i-- > 0;) {
        const auto children = tree.children(i);
        if (children.empty()) continue;
        double saved = cost[i], kept = static_cast<double>(children.size()) - 1;
        for (u32 c : children) saved -= below[c], kept += splits[c];
        order.assign(children.rbegin(), children.rend());  // of equals the last child is folded first
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return value[a] < value[b]; });
        for (u32 c : order) {
            if (!(saved / kept > value[c])) break;
            saved -= cost[c] - below[c];
            kept -= splits[c];
        }
        if (saved / kept <= least + kSum * cost[0]) continue;  // nothing but rounding
        value[i] = saved / kept;
        below[i] = cost[i] - saved;
        splits[i] = kept;
    }
    return value;
}

// ... never above that of the node above, and equal where only rounding tells them apart.
void level(const Tree& tree, std::vector<double>& value) {
    for (u32 i = 1; i < tree.n_nodes(); ++i) value[i] = std::min(value[i], value[tree.parent(i)]);
    std::vector<u32> order(tree.n_nodes());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return value[a] > value[b]; });
    double last = kInf;
    for (u32 i : order) last = value[i] = value[i] >= last * (1 - kSum) ? last : value[i];
}

// x·2^exponent, or the largest number.
double in_range(double x, int exponent) {
    return std::min(std::ldexp(x, exponent), std::numeric_limits<double>::max());
}

struct CostComplexityCv final : Pruner {
    u32 n_folds, rule;
    double cp, seed;
    bool stratified, as_rpart;
    explicit CostComplexityCv(const Params& p)
        : n_folds(p.count("folds")),
          rule(p.count("rule")),
          cp(p.get("cp")),
          seed(p.get("random_state")),
          stratified(p.flag("stratified")),
          as_rpart(p.count("path") == 1) {}

    // Complexities of the nodes of a tree, `least` for leaves and for what is folded at once.
    std::vector<double> complexities(const Tree& tree, std::span<const double> cost, double least,
                                     Budget& budget) const {
        std::vector<double> value = as_rpart ? folded(tree, cost, least) : weakest_links(tree, cost, budget).alphas;
        for (u32 i = 0; i < tree.n_nodes(); ++i)
            if (tree.kind(i) == NodeKind::leaf || value[i] < least + kSum * cost[0]) value[i] = least;
        level(tree, value);
        return value;
    }

    Tree prune(const Tree& tree, const Pruning& how) const override {
        const Stakes stakes(how.target);
        const std::vector<double> cost = costs_of(tree, stakes);
        const double least = cp * cost[0], weight = tree.weights(0).sum();
        const std::vector<double> value = complexities(tree, cost, least, how.budget);
        PruningTable table = path(tree, cost, value, least);
        validate(table, how, stakes, weight);
        const double alpha = table.alpha[chosen(table)];
        std::vector<u8> leaves(tree.n_nodes());
        for (u32 i = 0; i < tree.n_nodes(); ++i) leaves[i] = value[i] <= alpha;
        if (how.table) {
            for (double& a : table.alpha) a /= weight;
            for (double& e : table.error) e /= weight;
            *how.table = std::move(table);
        }
        return pruned(tree, leaves, how.budget);
    }

    // Every subtree that is the best for some price of a leaf, smallest first.
    static PruningTable path(const Tree& tree, std::span<const double> cost, std::span<const double> value,
                             double least) {
        std::vector<u32> order;
        for (u32 i = 0; i < tree.n_nodes(); ++i)
            if (value[i] > least) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return value[a] > value[b]; });
        PruningTable table;
        double leaves = 1, error = cost[0];
        auto row = [&](double alpha) {
            table.alpha.push_back(alpha);
            table.leaves.push_back(leaves);
            table.error.push_back(error);
        };
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || value[order[i]] < value[order[i - 1]]) row(value[order[i]]);
            error -= cost[order[i]];
            for (u32 c : tree.children(order[i])) error += cost[c];
            leaves += static_cast<double>(tree.children(order[i]).size()) - 1;
        }
        row(least);
        for (double& e : table.error) e = std::max(e, 0.0);
        return table;
    }

    // ---- cross-validation ----------------------------------------------------------------------------

    // The fold of every row: as given, or dealt out, class by class if stratified.
    std::vector<u32> folds_of(const Data& data, const Plan& plan) const {
        const u32 n = data.table.n_rows, folds = std::min(n_folds, n);
        if (plan.folds.size() == n) return plan.folds;
        std::vector<u32> fold(n);
        u32 next = 0;
        const Rng rng = Rng::at((seed < 0 ? plan.seed : static_cast<u64>(seed)) ^ kStream, kRootPath);
        for (const auto& rows : shuffled_rows(data, stratified, rng))
            for (u32 row : rows) fold[row] = next++ % folds;
        return fold;
    }

    // Sums over held-out rows of what they cost and of its square, by row of the table.
    struct Held {
        std::vector<double> cost, square;
        int exponent;  // numbers count in units of 2^exponent, so that no fourth power leaves the range of a double
        // Rows from … to − 1 of the table: until they are summed up, differences.
        void add(u32 from, u32 to, double weight, double e) {
            cost[from] += weight * e;
            square[from] += weight * e * e;
            if (to == cost.size()) return;
            cost[to] -= weight * e;
            square[to] -= weight * e * e;
        }
    };

    void validate(PruningTable& table, const Pruning& how, const Stakes& stakes, double weight) const {
        const Data& data = *how.data;
        const std::vector<u32> fold = folds_of(data, *how.plan);
        const u32 folds = *std::max_element(fold.begin(), fold.end()) + 1;
        const std::size_t n = table.alpha.size();
        table.cv_error.assign(n, kNaN);
        table.cv_deviation.assign(n, kNaN);
        if (folds < 2) return;
        Plan plan = *how.plan;
        plan.first_or_fail = false;
        plan.prune.resize(how.stage);
        plan.folds.clear();
        plan.spare_surrogates = true;
        Team team(plan.threads, how.budget);
        if (team.size() > 1) plan.threads = 1;
        std::vector<Held> held(folds);
        team.each(folds, [&](std::size_t f, int) {
            held[f] = hold_out(table, data, fold, static_cast<u32>(f), plan, stakes, weight, how.budget);
        });
        for (std::size_t j = 0; j < n; ++j) {
            double cost = 0, square = 0;
            for (const Held& h : held) cost += h.cost[j], square += h.square[j];
            cost = std::max(0.0, cost);  // sums of differences may round below zero
            const double deviation = std::sqrt(std::max(0.0, square - cost * (cost / weight))) / weight;
            table.cv_error[j] = in_range(cost / weight, 2 * held[0].exponent);
            table.cv_deviation[j] = in_range(deviation, 2 * held[0].exponent);
        }
    }

    Held hold_out(const PruningTable& table, const Data& data, std::span<const u32> fold, u32 f, const Plan& plan,
                  const Stakes& stakes, double weight, Budget& budget) const {
        std::vector<u32> seen, kept;
        for (u32 row = 0; row < fold.size(); ++row) (fold[row] == f ? kept : seen).push_back(row);
        const std::size_t n = table.alpha.size();
        const double root = table.error[0] / weight;
        const bool squares = Registry::leaf(plan.criterion, plan.criterion_params).squares();
        const int exponent =
            data.target.regression() && squares && root > 0 && std::isfinite(root) ? std::ilogb(root) / 2 : 0;
        Held held{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0), exponent};
        if (seen.empty() || kept.empty()) return held;
        const Sample sample{false, seen, {}};
        const Tree tree = grow_tree(data, sample, plan, budget).tree;
        const double share = tree.weights(0).sum() / weight;
        const std::vector<double> cost = costs_of(tree, stakes);
        const std::vector<double> value = complexities(tree, cost, table.alpha.back() * share, budget);
        // The first rows of the table, so many, in whose subtree a node is not split.
        std::vector<u32> uncut(tree.n_nodes());
        for (u32 i = 0; i < tree.n_nodes(); ++i) {
            const auto split = [&](u32 j, double v) { return typical(table.alpha, j) * share >= v; };
            u32 low = 0, high = static_cast<u32>(n);
            while (low < high) {
                const u32 middle = (low + high) / 2;
                (split(middle, value[i]) ? low : high) = split(middle, value[i]) ? middle + 1 : middle;
            }
            uncut[i] = tree.kind(i) == NodeKind::leaf ? static_cast<u32>(n) : low;
        }
        follow(tree, uncut, data, kept, plan, stakes, budget, held);
        std::partial_sum(held.cost.begin(), held.cost.end(), held.cost.begin());
        std::partial_sum(held.square.begin(), held.square.end(), held.square.begin());
        return held;
    }

    // The price that stands for a row of the table: between those at which its subtree begins and ends.
    double typical(std::span<const double> alpha, u32 j) const {
        if (j > 0) return std::sqrt(alpha[j - 1]) * std::sqrt(alpha[j]);
        return as_rpart ? 10 * alpha[0] : kInf;
    }

    // Adds the cost of each row that was kept apart where the rows of the table begin for which it ends at a node,
    // and takes it off where they end.
    static void follow(const Tree& tree, std::span<const u32> uncut, const Data& data, std::span<const u32> kept,
                       const Plan& plan, const Stakes& stakes, Budget& budget, Held& held) {
        const Sample sample{false, kept, {}};
        const SampledData sampled(data, sample, budget);
        const Target& target = sampled.data().target;
        std::vector<u32> end(kept.size());
        tree.apply(sampled.data().table.columns, 0, kept.size(), end.data(), true);
        std::vector<std::size_t> predicted(tree.n_nodes());
        for (u32 i = 0; i < tree.n_nodes() && !target.regression(); ++i) predicted[i] = stakes.of(tree.weights(i));
        const LeafRule rule = Registry::leaf(plan.criterion, plan.criterion_params);
        auto error = [&](u32 row, double mean) {
            return rule.of(std::ldexp(target.numbers[row], -held.exponent),
                           std::ldexp(mean - plan.target_offset, -held.exponent));
        };
        std::vector<Reached> reached;
        for (u32 row = 0; row < kept.size(); ++row) {
            if (row % 4096 == 0) budget.poll();
            if (tree.missing() == Missing::shared) {
                tree.reach(sampled.data().table.columns, row, reached);
                if (std::count_if(reached.begin(), reached.end(), [](const Reached& r) { return r.ends; }) > 1) {
                    auto cost = [&](std::span<const double> said) {
                        return target.regression() ? error(row, said[0])
                                                   : stakes.cost(target.classes[row], stakes.of_shares(said));
                    };
                    add_parts(tree, uncut, reached, stakes, target.weight(row), cost, held);
                    continue;
                }
            }
            u32 to = static_cast<u32>(held.cost.size());
            for (u32 i = end[row]; to > 0; i = tree.parent(i)) {
                const u32 from = i == 0 ? 0 : std::min(to, uncut[tree.parent(i)]);
                if (from < to) {
                    const double e = target.regression()
                                         ? error(row, tree.predicted(i, sampled.data().table.columns, row))
                                         : stakes.cost(target.classes[row], predicted[i]);
                    held.add(from, to, target.weight(row), e);
                }
                to = from;
            }
        }
    }

    // The same for a row that is shared: what the nodes where its parts end say together.
    template <class Cost>
    static void add_parts(const Tree& tree, std::span<const u32> uncut, std::span<const Reached> reached,
                          const Stakes& stakes, double weight, Cost cost, Held& held) {
        const std::size_t n = held.cost.size(), k = tree.parts().n_outputs();
        std::vector<double> said((n + 1) * k, 0.0), own(k);
        for (const Reached& r : reached) {  // it ends at a node where that is not split, but all above are
            const u32 from = r.node == 0 ? 0 : uncut[tree.parent(r.node)];
            const u32 to = r.ends ? static_cast<u32>(n) : uncut[r.node];
            if (from >= to) continue;
            u32 like = r.node;  // a branch that no training row took predicts what its parent does
            while (!(stakes.shares(tree.weights(like), own) > 0)) like = tree.parent(like);
            if (tree.parts().n_classes == 0) own[0] = tree.mean(r.node);
            for (std::size_t c = 0; c < k; ++c) {
                said[from * k + c] += r.share * own[c];
                said[to * k + c] -= r.share * own[c];
            }
        }
        for (std::size_t j = 0; j < n; ++j) {
            held.add(static_cast<u32>(j), static_cast<u32>(j + 1), weight, cost({said.data() + j * k, k}));
            for (std::size_t c = 0; c < k; ++c) said[(j + 1) * k + c] += said[j * k + c];
        }
    }

    // The row of the table that the rule takes; without cross-validation the last one.
    std::size_t chosen(const PruningTable& table) const {
        const auto& error = table.cv_error;
        if (rule == 2 || error[0] != error[0]) return error.size() - 1;
        std::size_t least = 0;
        for (std::size_t j = 1; j < error.size(); ++j)
            if (error[j] < error[least] * (1 - kSum)) least = j;
        const double limit = error[least] + (rule == 0 ? table.cv_deviation[least] : 0.0);
        std::size_t j = 0;
        while (error[j] > limit * (1 + kSum)) ++j;
        return j;
    }
};

}  // namespace

void register_cost_complexity_cv(Registry& r) {
    using enum Param::Type;
    PrunerPlugin plugin{
        {"cost_complexity_cv",
         "the subtree with the lowest error + alpha per leaf, alpha chosen by cross-validation",
         "Breiman et al. 1984 (CART)",
         {{"folds", "number of folds, or an array with the fold of each row", integer, 10, 2, 1e9},
          choice_param("rule",
                       "the smallest subtree within one standard error of the lowest error, the one with the "
                       "lowest error, or all that cp leaves",
                       {"one_se", "minimum", "none"}),
          {"stratified", "whether every fold has its share of each class", flag, 1, 0, 1},
          {"random_state", "seed of the folds; -1: the estimator's", integer, -1, -1, 4294967295.0},
          {"cp", "share of the root's error that a leaf has to save to be considered", real, 0, 0, 1},
          choice_param("path", "nested subtrees as defined, or as rpart's shortcut finds them", {"exact", "rpart"})}},
        [](const Params& p) { return std::make_unique<CostComplexityCv>(p); }};
    plugin.needs_data = true;
    plugin.regrows = 9;
    r.pruners.push_back(std::move(plugin));
}

}  // namespace bough
