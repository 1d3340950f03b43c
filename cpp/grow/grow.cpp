#include "grow/grow.hpp"

#include "base/slack.hpp"
#include "data/presort.hpp"
#include "data/stakes.hpp"
#include "grow/pruner.hpp"
#include "grow/refiner.hpp"

namespace bough {

namespace {

// A tree by the weights that classes have in splits, with leaves that know the rows' own.
template <class Make>
TreeParts weighed(const Data& data, Make make) {
    std::vector<double> alter = weights_in_splits(data.target);
    if (alter.empty()) return make(data);
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
    Data altered = data;
    altered.target.weights = weights;
    altered.target.own = target.weighted() ? target.weights : ones;
    TreeParts parts = make(altered);
    for (std::size_t i = 0; i < parts.leaf_weights.size(); ++i) {
        double& w = parts.leaf_weights[i];
        w /= alter[parts.lists_classes() ? parts.leaf_classes[i] : i % target.n_classes];
        if (!target.weighted() && std::fabs(w - std::round(w)) < kCount * (1 + w)) w = std::round(w);
    }
    return parts;
}

TreeParts refined(const Data& data, const Table& full, const Plan& plan, const Refiner& refiner, Budget& budget,
                  Refinement& found) {
    return in_range(data, plan, [&](const Data& near, const Plan& own) {
        TreeParts parts = refiner.refine({near, full, own, budget, found});
        const int e = near.target.exponent + 2 * near.target.number_exponent;  // back to the user's weights
        for (double& x : found.objective) x = std::ldexp(x, e);
        found.bound = std::ldexp(found.bound, e);
        return parts;
    });
}

std::unique_ptr<Refiner> refiner_of(const Plan& plan) {
    if (!plan.refine) return nullptr;
    const RefinerPlugin& plugin = Registry::find(Registry::get().refiners, plan.refine->name);
    return plugin.make(Params(plugin.info, plan.refine->params));
}

}  // namespace

u32 rows_again(const Plan& plan) {
    const auto refiner = refiner_of(plan);
    u32 times = refiner ? refiner->passes() : 0;
    for (const Part& part : plan.prune) times += Registry::find(Registry::get().pruners, part.name).regrows;
    return times;
}

GrownTree grow_tree(const Data& data, const Sample& sample, const Plan& plan, Budget& budget, PruningTable* table,
                    Refinement* refinement) {
    Engine engine = choose_engine(data, sample, plan, 1, false, budget);
    Tree tree = grow_tree(data, sample, plan, engine, budget, table, refinement);
    return {std::move(tree), std::move(engine.reason)};
}

Tree grow_tree(const Data& data, const Sample& sample, const Plan& plan, const Engine& engine, Budget& budget,
               PruningTable* table, Refinement* refinement) {
    if (engine.ranks || engine.bins)
        return Tree(grow_nodes(data, data.table, plan, engine, budget, sample.rows), budget);
    SampledData sampled(data, sample, budget);
    SortedLists sorted;
    if (rows_again(plan) > 0) sampled.keep_sorted(sorted);
    const auto refiner = refiner_of(plan);
    Refinement unread;
    Tree tree(weighed(sampled.data(),
                      [&](const Data& d) {
                          if (!refiner) return grow_nodes(d, data.table, plan, engine, budget);
                          return refined(d, data.table, plan, *refiner, budget, refinement ? *refinement : unread);
                      }),
              budget);
    if (plan.prune.empty()) return tree;
    Target bare;  // a tree's sums are in the user's weights, whatever the rows have
    bare.n_classes = data.target.n_classes;
    bare.costs = data.target.costs;
    bare.losses = data.target.losses;
    bare.scale = data.target.scale;
    bare.leaf = Registry::leaf(plan.criterion, plan.criterion_params);
    const auto scorer = Registry::find(Registry::get().criteria, plan.criterion).make(bare);
    const u32 grown = tree.n_nodes();
    for (std::size_t stage = 0; stage < plan.prune.size(); ++stage)
        tree = prune(tree, plan.prune[stage], {*scorer, bare, budget, &sampled.data(), &plan, stage, table});
    if (refinement && tree.n_nodes() < grown) refinement->proven = false;  // of the tree before
    return tree;
}

Tree grow_subtree(const Data& data, const Plan& plan, const Start& start, Budget& budget) {
    return Tree(grow_nodes(data, data.table, plan, without_ranks(data, {}, plan), budget, {}, start), budget);
}

}  // namespace bough
