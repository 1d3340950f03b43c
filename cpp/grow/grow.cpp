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
TreeParts grow_weighed(const Data& data, const Table& whole, const Plan& plan, const Engine& engine, Budget& budget) {
    std::vector<double> alter = weights_in_splits(data.target);
    if (alter.empty()) return grow_nodes(data, whole, plan, engine, budget);
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
    TreeParts parts = grow_nodes(weighed, whole, plan, engine, budget);
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

GrownTree grow_tree(const Data& data, const Sample& sample, const Plan& plan, Budget& budget, PruningTable* table) {
    Engine engine = choose_engine(data, sample, plan, 1);
    std::optional<Ranks> ranks;
    if (engine.store == Engine::Store::ranks) {
        Team team(plan.threads, budget);
        ranks.emplace(data.table, team, budget);
        if (!ranks->complete()) {
            ranks.reset();
            engine = without_ranks(data, sample, plan);
        }
    }
    Tree tree = grow_tree(data, sample, plan, engine, budget, table, ranks ? &*ranks : nullptr);
    return {std::move(tree), std::move(engine.reason)};
}

Tree grow_tree(const Data& data, const Sample& sample, const Plan& plan, const Engine& engine, Budget& budget,
               PruningTable* table, const Ranks* ranks) {
    if (ranks) return Tree(grow_nodes(data, data.table, plan, engine, budget, sample.rows, ranks), budget);
    Drawn drawn(data, sample, budget);
    SortedLists sorted;
    if (rows_again(plan) > 0) drawn.keep_sorted(sorted);
    Tree tree(grow_weighed(drawn.data(), data.table, plan, engine, budget), budget);
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

Tree grow_subtree(const Data& data, const Plan& plan, const Start& start, Budget& budget) {
    Plan own = plan;
    if (own.engine == "ranks") own.engine.clear();
    const Engine engine = without_ranks(data, {}, own);
    return Tree(grow_nodes(data, data.table, plan, engine, budget, {}, nullptr, start), budget);
}

}  // namespace bough
