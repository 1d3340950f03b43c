// reduced_error: a part of the rows is kept apart, the tree grows from the others; from the leaves up, a node becomes a
// leaf if that makes no more errors on the rows kept apart.
#include <numeric>

#include "base/slack.hpp"
#include "data/stakes.hpp"
#include "grow/grow.hpp"
#include "pruners/errors.hpp"

namespace bough {

namespace {

constexpr u64 kShuffleStream = 0x726564756365645full;  // of the random numbers that shuffle rows

// Rows that the tree may see, and those kept apart: of each class (numbers: of all) the last part of a shuffle.
void set_apart(const Data& data, double share, u64 seed, std::vector<u32>& seen, std::vector<u32>& kept) {
    double owed = 0;  // what rounding has not yet given
    for (const auto& rows : shuffled_rows(data, true, Rng::at(seed ^ kShuffleStream, kRootPath))) {
        owed += share * static_cast<double>(rows.size());
        const std::size_t apart = std::min(rows.size(), static_cast<std::size_t>(owed + kCount));
        owed -= static_cast<double>(apart);
        kept.insert(kept.end(), rows.end() - static_cast<std::ptrdiff_t>(apart), rows.end());
        seen.insert(seen.end(), rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(apart));
    }
}

// The same as J48 -R -N deals rows out: those of a class together, in the order in which classes first occur, every so
// many of them to a fold; the last fold is kept apart.
void set_fold_apart(const Data& data, u32 folds, std::vector<u32>& seen, std::vector<u32>& kept) {
    const u32 n = data.table.n_rows;
    const auto& classes = data.target.classes;
    std::vector<u32> order(n);
    std::iota(order.begin(), order.end(), 0u);
    for (u32 next = 1; next < n; ++next)
        for (u32 j = next, like = classes[order[next - 1]]; j < n; ++j)
            if (classes[order[j]] == like) std::swap(order[next++], order[j]);
    std::vector<u32> dealt;
    for (u32 first = 0; first < folds; ++first)
        for (u64 j = first; j < n; j += folds) dealt.push_back(order[j]);
    const u32 size = n / folds;  // of the last fold
    seen.assign(dealt.begin(), dealt.end() - static_cast<std::ptrdiff_t>(size));
    kept.assign(dealt.end() - static_cast<std::ptrdiff_t>(size), dealt.end());
}

// The same where the rows that are kept apart are given.
void take_apart(u32 n_rows, std::span<const u32> given, std::vector<u32>& seen, std::vector<u32>& kept) {
    std::vector<u8> apart(n_rows, 0);
    for (u32 row : given)
        if (row < n_rows) apart[row] = 1;
    for (u32 row = 0; row < n_rows; ++row) (apart[row] ? kept : seen).push_back(row);
}

struct ReducedError final : Pruner {
    double share;
    u32 folds;
    explicit ReducedError(const Params& p) : share(p.get("share")), folds(p.count("folds")) {}

    Tree prune(const Tree& tree, const Pruning& how) const override {
        check_classes(tree, "reduced_error");
        const Data& data = *how.data;
        std::vector<u32> seen, kept;
        if (!how.plan->kept.empty())
            take_apart(data.table.n_rows, how.plan->kept, seen, kept);
        else if (folds > 0)
            set_fold_apart(data, folds, seen, kept);
        else
            set_apart(data, share, how.plan->seed, seen, kept);
        if (seen.empty() || kept.empty()) return tree;
        for (auto* rows : {&seen, &kept}) std::sort(rows->begin(), rows->end());
        Plan plan = *how.plan;
        plan.first_or_fail = false;
        plan.prune.clear();
        const Sample sample{false, seen, {}};
        const Tree grown = grow_tree(data, sample, plan, how.budget).tree;
        return pruned(grown, cut(grown, data, kept, Stakes(how.target), how.budget), how.budget);
    }

    // The flags of the nodes that become leaves.
    static std::vector<u8> cut(const Tree& tree, const Data& data, std::span<const u32> kept, const Stakes& stakes,
                               Budget& budget) {
        const Sample sample{false, kept, {}};
        const SampledData sampled(data, sample, budget);
        const Table& table = sampled.data().table;
        const Target& target = sampled.data().target;
        std::vector<std::size_t> predicted(tree.n_nodes());
        for (u32 i = 0; i < tree.n_nodes(); ++i) {  // a branch that no training row took predicts what its parent does
            const ClassWeights w = tree.weights(i);
            predicted[i] = w.most() > 0 ? stakes.of(w) : predicted[tree.parent(i)];
        }
        // What the kept rows cost at each node if it is a leaf, and, first, those that stop there if it is none.
        std::vector<double> as_leaf(tree.n_nodes(), 0.0), errors(tree.n_nodes(), 0.0);
        std::vector<u8> leaves(tree.n_nodes(), 0);
        std::vector<Reached> reached;
        for (u32 row = 0; row < table.n_rows; ++row) {
            if (row % 1024 == 0) budget.poll();
            tree.reach(table.columns, row, reached);
            for (const Reached& r : reached) {
                const double cost = stakes.cost(target.classes[row], predicted[r.node]) * r.share * target.weight(row);
                as_leaf[r.node] += cost;
                if (r.ends) errors[r.node] += cost;
            }
        }
        for (u32 i = tree.n_nodes(); i-- > 0;) {
            for (u32 child : tree.children(i)) errors[i] += errors[child];
            if (tree.kind(i) == NodeKind::leaf || as_leaf[i] <= errors[i] + kErrors * as_leaf[i]) {
                leaves[i] = 1;
                errors[i] = as_leaf[i];
            }
        }
        return leaves;
    }
};

}  // namespace

void register_reduced_error(Registry& r) {
    PrunerPlugin plugin{
        {"reduced_error",
         "from the leaves up, a node becomes a leaf if that makes no more errors on held-out rows",
         "Quinlan 1987; J48 -R",
         {{"share", "share of each class's rows held out for pruning; prune_params={'rows': …} names the rows instead",
           Param::Type::real, 1.0 / 3, 0.001, 0.999},
          {"folds", "instead of a share, hold out the last of this many folds, dealt as by J48 -R -N; 0: use share",
           Param::Type::integer, 0, 0, 1e9}}},
        [](const Params& p) { return std::make_unique<ReducedError>(p); }};
    plugin.needs_data = true;
    r.pruners.push_back(std::move(plugin));
}

}  // namespace bough
