#include "grow/forest.hpp"

#include <optional>

#include "data/presort.hpp"

namespace bough {

std::vector<Tree> grow_forest(const Data& data, const Sample& sample, const Plan& plan, const Draw& draw,
                              std::span<const u64> seeds, Budget& budget, std::string* reason) {
    const std::size_t all = sample.all_rows ? data.table.n_rows : sample.rows.size();
    budget.total(static_cast<double>(seeds.size()) * static_cast<double>(draw.size > 0 ? draw.size : all));
    // Fewer trees than threads: one after the other, each by all threads.
    const bool side_by_side = seeds.size() >= static_cast<std::size_t>(plan.threads);
    const double weight = plan.limits.min_weight > 0 ? weight_of(data, sample) : 1.0;
    std::vector<std::optional<Tree>> grown(seeds.size());
    Team team(side_by_side ? plan.threads : 1, budget);
    const Engine engine = choose_engine(data, sample, plan, seeds.size(), draw.balanced, budget);
    SortedLists sorted(data.table, data.target);
    Data shared = data;
    if (!engine.ranks && plan.prune.empty() && seeds.size() > 1) shared.table.sorted = &sorted;
    team.each(seeds.size(), [&](std::size_t t, int) {
        budget.poll();
        const Bootstrap bootstrap(data, sample, draw, seeds[t]);
        Plan own = plan;
        own.seed = seeds[t];
        own.threads = side_by_side ? 1 : plan.threads;
        if (plan.limits.min_weight > 0) own.limits.min_weight *= weight_of(data, bootstrap.sample()) / weight;
        grown[t].emplace(grow_tree(shared, bootstrap.sample(), own, engine, budget));
    });
    std::vector<Tree> trees;
    trees.reserve(grown.size());
    for (auto& tree : grown) trees.push_back(std::move(*tree));
    if (reason) *reason = engine.reason;
    return trees;
}

}  // namespace bough
