#include "grow/grow.hpp"

#include <optional>

#include "base/slack.hpp"
#include "data/answers.hpp"
#include "data/presort.hpp"
#include "data/ranks.hpp"
#include "grow/pruner.hpp"

namespace bough {

namespace {

// A tree by the weights that classes have in splits, with leaves that know the rows' own.
TreeParts grow_weighed(const Data& data, const Table& whole, const Plan& plan, Budget& budget) {
    std::vector<double> alter = weights_in_splits(data.target);
    if (alter.empty()) return grow_parts(data, whole, plan, budget);
    const Target& target = data.target;
    double before = 0, after = 0;
    for (u32 row = 0; row < data.table.n_rows; ++row) {
        before += target.weight(row);
        after += target.weight(row) * alter[target.classes[row]];
    }
    for (double& a : alter) a *= before / after;
    std::vector<double> weights(data.table.n_rows);
    for (u32 row = 0; row < data.table.n_rows; ++row) weights[row] = target.weight(row) * alter[target.classes[row]];
    const std::vector<double> ones(target.weighted() ? 0 : data.table.n_rows, 1.0);
    Data weighed = data;
    weighed.target.weights = weights;
    weighed.target.own = target.weighted() ? target.weights : ones;
    TreeParts parts = grow_parts(weighed, whole, plan, budget);
    auto unweigh = [&](std::vector<double>& found, const std::vector<u32>& classes) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            double& w = found[i];
            w /= alter[parts.lists_classes() ? classes[i] : i % target.n_classes];
            if (!target.weighted() && std::fabs(w - std::round(w)) < kCount * (1 + w)) w = std::round(w);
        }
    };
    unweigh(parts.leaf_weights, parts.leaf_classes);
    unweigh(parts.stay_weights, parts.stay_classes);
    return parts;
}

}  // namespace

u32 rows_again(const Plan& plan) {
    u32 times = 0;
    for (const Part& part : plan.prune) times += Registry::find(Registry::get().pruners, part.name).regrows;
    return times;
}

bool grows_from_ranks(const Data& data, const Sample& sample, const Plan& plan, u64 trees) {
    const Registry& registry = Registry::get();
    const FamilyPlugin& split = Registry::find(registry.splits, plan.split.name);
    const u32 most = plan.stop.max_features;
    return split.by_ranks && most > 0 && 2 * u64{most} <= data.table.n_columns() && sample.weights.empty() &&
           plan.prune.empty() && plan.missing == Missing::either && weights_in_splits(data.target).empty() &&
           !Registry::find(registry.criteria, plan.criterion).traits.projection &&
           !data.table.of(ColumnKind::numeric).empty() &&
           split.by_ranks(data, Params(split.info, plan.split.params), trees);
}

Tree grow(const Data& data, const Sample& sample, const Plan& plan, Budget& budget, PruningTable* table,
          const Ranks* ranks) {
    std::optional<Ranks> own;
    if (!ranks && grows_from_ranks(data, sample, plan, 1)) {
        Team team(plan.threads, budget);
        own.emplace(data.table, team, budget);
        if (own->complete()) ranks = &*own;
    }
    if (ranks) return Tree(grow_parts(data, data.table, plan, budget, sample.rows, ranks), budget);
    Drawn drawn(data, sample, budget);
    SortedLists sorted;
    if (rows_again(plan) > 0) drawn.keep_sorted(sorted);
    Tree tree(grow_weighed(drawn.data(), data.table, plan, budget), budget);
    if (plan.prune.empty()) return tree;
    Target bare;  // a tree's sums are in the user's weights, whatever the rows have
    bare.n_classes = data.target.n_classes;
    bare.costs = data.target.costs;
    bare.losses = data.target.losses;
    bare.scale = data.target.scale;
    const auto scorer = Registry::find(Registry::get().criteria, plan.criterion).make(bare);
    for (std::size_t stage = 0; stage < plan.prune.size(); ++stage)
        tree = prune(tree, plan.prune[stage], {*scorer, bare, budget, &drawn.data(), &plan, stage, table});
    return tree;
}

Tree grow_below(const Data& data, const Plan& plan, const Start& start, Budget& budget) {
    return Tree(grow_parts(data, data.table, plan, budget, {}, nullptr, start), budget);
}

}  // namespace bough
