#include "grow/engine.hpp"

#include <algorithm>

#include "data/class_weights.hpp"
#include "data/ranks.hpp"
#include "data/stakes.hpp"
#include "grow/context.hpp"
#include "grow/loop.hpp"
#include "stores/bins.hpp"

namespace bough {

namespace {

std::string linear_leaves(const Plan& plan) { return "leaf='" + plan.leaf->name + "' looks at the rows of a node"; }

// Why so many trees of a plan do not grow from ranks; empty: they can, and it is faster.
std::string why_not_ranks(const Data& data, const Sample& sample, const Plan& plan, const FamilyPlugin& split,
                          const Params& params, u64 trees, bool balanced) {
    const Registry& registry = Registry::get();
    const u32 most = plan.stop.max_features;
    const u64 from = split.ranks_from ? split.ranks_from(params) : 0;
    const bool named = plan.engine == "ranks";
    if (data.table.of(ColumnKind::numeric).empty()) return "no column is numeric";
    if (plan.leaf) return linear_leaves(plan);
    if (from == 0) return "split '" + plan.split.name + "' does not search ranks";
    if (!named && trees < from) return "few trees are grown";
    if (most == 0) return "nodes look at all columns";
    if (!named && 2 * u64{most} > data.table.n_columns()) return "nodes look at more than half of the columns";
    if (balanced || !sample.weights.empty() || data.target.weighted() || !weights_in_splits(data.target).empty())
        return "rows differ in weight";
    if (plan.missing != Missing::either) return "missing values are sent by shares or surrogates";
    if (plan.refine) return "the tree is refined";
    if (!plan.prune.empty()) return "the tree is pruned";
    if (!plan.first.empty()) return "the tree begins with a given split";
    const CriterionPlugin& criterion = Registry::find(registry.criteria, plan.criterion);
    if (criterion.traits.projection) return "the criterion looks at positions";
    if (criterion.traits.ordered) return "the criterion follows the target in order";
    if (criterion.function) return "the criterion is a function of your own";
    if (!RankedRows::fit(data)) return "there are too many rows and classes";
    return {};
}

// Why nodes are searched by the numbers of their rows; empty: one family does it, with nobody else asking.
std::string why_row_ids(const Data& data, const Plan& plan, const FamilyPlugin& split) {
    if (data.table.of(ColumnKind::numeric).empty()) return "no column is numeric";
    if (plan.leaf) return linear_leaves(plan);
    if (!data.table.of(ColumnKind::nominal).empty()) return "nominal columns are searched beside numeric ones";
    if (!split.joined_by.empty()) return "split '" + plan.split.name + "' is searched beside '" + split.joined_by + "'";
    if (plan.selector.name != "score") return "selector '" + plan.selector.name + "' chooses columns by their rows";
    if (plan.simplify) return "linear splits are simplified by the rows of a node";
    return {};
}

[[noreturn]] void refuse(const Plan& plan, const std::string& why) {
    throw std::invalid_argument("engine='" + plan.engine + "' cannot grow this tree: " + why +
                                "; leave it out to have one chosen");
}

// The same before anything is made of the table.
Engine named_engine(const Data& data, const Sample& sample, const Plan& plan, u64 trees, bool balanced) {
    const Registry& registry = Registry::get();
    const FamilyPlugin& split = Registry::find(registry.splits, plan.split.name);
    const Params params(split.info, plan.split.params);
    Engine engine;
    const std::string not_ranks = why_not_ranks(data, sample, plan, split, params, trees, balanced),
                      row_ids = plan.engine == "row_ids" ? "it was asked for" : why_row_ids(data, plan, split);
    engine.single = row_ids.empty();
    if (plan.engine == "ranks" && !not_ranks.empty()) refuse(plan, not_ranks);
    if (not_ranks.empty() && plan.engine != "lists" && plan.engine != "row_ids") {
        engine.store = Engine::Store::ranks;
        engine.reason = "ranks: nodes look at " + std::to_string(plan.stop.max_features) + " of " +
                        std::to_string(data.table.n_columns()) + " columns";
        return engine;
    }
    const bool lists = split.lists && split.lists(params);
    const std::string searched = lists ? row_ids : "split '" + plan.split.name + "' looks at rows";
    if (plan.engine == "lists" && !searched.empty()) refuse(plan, searched);
    if (!searched.empty()) {
        engine.reason = "row ids: " + (row_ids.empty() ? searched : row_ids);
        return engine;
    }
    engine.store = Engine::Store::lists;
    const Traits& traits = Registry::find(registry.criteria, plan.criterion).traits;
    engine.compacts = !data.target.weighted() && sample.weights.empty() && plan.missing == Missing::either &&
                      weights_in_splits(data.target).empty() && !balanced && !traits.projection && !traits.ordered;
    engine.reason = "lists: " + (not_ranks == "few trees are grown" ? "every node may look at all columns" : not_ranks);
    return engine;
}

// Why a tree does not grow from bins; empty: it can.
std::string why_not_bins(const Data& data, const Plan& plan, u32 bins) {
    const FamilyPlugin& split = Registry::find(Registry::get().splits, plan.split.name);
    if (bins == 0) return "every distinct number may be a cut";
    if (plan.ruled_splits()) return "rules forbid some splits";
    if (plan.split.name != "axis" || !plan.split.params.empty())
        return "bins are for split 'axis' without split_params";
    if (plan.missing != Missing::either) return "missing values are sent by shares or surrogates";
    if (const std::string why = why_row_ids(data, plan, split); !why.empty()) return why;
    if (!data.target.regression() || data.table.n_columns() * u64{kMostBins + 1} >= kNone)
        return "bins are for numbers";
    return {};
}

}  // namespace

Engine choose_engine(const Data& data, const Sample& sample, const Plan& plan, u64 trees, bool balanced, Budget& budget,
                     u32 bins) {
    if (why_not_bins(data, plan, bins).empty()) {
        Team team(plan.threads, budget);
        Engine engine{Engine::Store::bins, true};
        engine.reason = "bins: at most " + std::to_string(bins) + " of each column";
        engine.bins = std::make_shared<const BinnedTable>(data.table, bins, team, budget);
        return engine;
    }
    Engine engine = named_engine(data, sample, plan, trees, balanced);
    if (engine.store != Engine::Store::ranks) return engine;
    Team team(plan.threads, budget);
    engine.ranks = std::make_shared<const Ranks>(data.table, team, budget);
    if (engine.ranks->complete()) return engine;
    engine = without_ranks(data, sample, plan, balanced);
    if (engine.store == Engine::Store::lists) engine.reason = "lists: ranks do not hold missing values";
    return engine;
}

Engine without_ranks(const Data& data, const Sample& sample, const Plan& plan, bool balanced) {
    Plan own = plan;
    own.stop.max_features = 0;
    if (own.engine == "ranks") own.engine.clear();
    return named_engine(data, sample, own, 1, balanced);
}

std::unique_ptr<Family> make_family(const FamilyPlugin& plugin, const Problem& problem, const Params& params) {
    return problem.ranks && plugin.make_ranked ? plugin.make_ranked(problem) : plugin.make(problem, params);
}

bool numbers_classes_anew(const Plan& plan, const Problem& problem) {
    const Target& target = *problem.target;  // costs are of all classes; ranks are of all rows
    return target.n_classes > kManyClasses && plan.missing == Missing::either && target.costs.empty() &&
           target.losses.empty() && !problem.ranks;
}

namespace {

constexpr auto kNobody = [](auto&...) { return false; };

// Grows a tree by one thread, best first or depth first; hand_over(store, node, worker, out) may write what is below a
// node.
template <class Store, class HandOver>
TreeParts grow_alone(const Fit& fit, Store& store, typename Store::Handle root, Worker& worker,
                     const SplitAcceptance& acceptance, HandOver hand_over) {
    const StopRules& stop = fit.plan.stop;
    if (stop.max_leaf_nodes > 0) {
        Records records(fit.data.table, fit.data.target, fit.plan.missing);
        Loop<Store> loop(store, stop, acceptance, worker.columns, fit.budget, &records);
        loop.best_first(loop.root(std::move(root)), stop.max_leaf_nodes);
        return std::move(records).in_preorder();
    }
    TreeWriter out = writer_for(fit.data.table, fit.data.target, fit.plan.missing);
    Loop<Store> loop(store, stop, acceptance, worker.columns, fit.budget);
    loop.depth_first(loop.root(std::move(root)), out, [&](auto& open) { return hand_over(store, open, worker, out); });
    return std::move(out).finish();
}

// The same by a team: large nodes first, then what is below them side by side. `make(worker)` owns a store of another
// thread.
template <class Store, class Make, class HandOver>
TreeParts grow_from(const Fit& fit, Team& team, Store& store, typename Store::Handle root, Worker& worker,
                    const SplitAcceptance& acceptance, Make make, HandOver hand_over) {
    const StopRules& stop = fit.plan.stop;
    if (stop.max_leaf_nodes > 0 || team.size() == 1)
        return grow_alone(fit, store, std::move(root), worker, acceptance, hand_over);
    struct Later {
        typename Loop<Store>::Open open;
        u32 rows;
        TreeParts parts;
    };
    Records records(fit.data.table, fit.data.target, fit.plan.missing);
    Loop<Store> loop(store, stop, acceptance, worker.columns, fit.budget, &records);
    std::vector<Later> later;
    const u32 n = Loop<Store>::rows_of(root), aside = std::max<u32>(n / (5 * static_cast<u32>(team.size())), 256);
    loop.large_first(loop.root(std::move(root)), aside, [&](typename Loop<Store>::Open open) {
        const u32 rows = Loop<Store>::rows_of(open.at);
        later.push_back({std::move(open), rows, {}});
    });
    std::stable_sort(later.begin(), later.end(), [](const Later& a, const Later& b) { return a.rows > b.rows; });
    Team solo(1, fit.budget);
    std::vector<std::unique_ptr<Worker>> workers(team.size());
    std::vector<decltype(make(worker))> stores(team.size());
    team.each(later.size(), [&](std::size_t i, int helper) {
        if (!workers[helper]) {
            workers[helper] = std::make_unique<Worker>(&solo, fit.data.table.n_rows);
            stores[helper] = make(*workers[helper]);
        }
        auto& own = stores[helper]->store;
        Loop<Store> inner(own, stop, acceptance, workers[helper]->columns, fit.budget);
        TreeWriter out = writer_for(fit.data.table, fit.data.target, fit.plan.missing);
        later[i].open.at = own.adopt(later[i].open.at, store);
        inner.depth_first(std::move(later[i].open), out,
                          [&](auto& open) { return hand_over(own, open, *workers[helper], out); });
        later[i].parts = std::move(out).finish();
    });
    for (Later& one : later) records.make_subtree(one.open.record, std::move(one.parts));
    return std::move(records).in_preorder();
}

TreeParts grow_from_row_ids(const Fit& fit, Team& team, Node root) {
    Worker worker(&team, fit.data.table.n_rows);
    RowIdStore store(fit, worker);
    const auto context = std::make_shared<GrowthContext>(fit, team);
    RowIdStore::Handle at = store.root(context, std::move(root));
    const StopRules& stop = fit.plan.stop;
    at.open = stop.why_stop(at.node, fit.limits) == nullptr;
    struct Own {
        RowIdStore store;
    };
    if (stop.max_leaf_nodes > 0 && at.open && fit.plan.first.empty()) {  // all of it from small lists
        store.enter(at);
        if (Lists* lists = store.compact(at))
            return grow_alone(fit, *lists, lists->root(at.node, context->subset.classes), worker, context->acceptance,
                              kNobody);
    }
    auto make = [&](Worker& w) { return std::make_unique<Own>(Own{RowIdStore(fit, w)}); };
    auto hand_over = [&](RowIdStore& from, Loop<RowIdStore>::Open& open, Worker& w, TreeWriter& out) {
        const RowIdStore::Handle& node = open.at;
        Lists* lists = open.way.first == kNone ? from.compact(node) : nullptr;
        if (!lists) return false;
        Loop<Lists> loop(*lists, stop, node.context->acceptance, w.columns, fit.budget);
        loop.depth_first({lists->root(node.node, node.context->subset.classes), open.way}, out);
        return true;
    };
    return grow_from(fit, team, store, std::move(at), worker, context->acceptance, make, hand_over);
}

TreeParts grow_from_ranks(const Fit& fit, Team& team, Node root) {
    const Registry& registry = Registry::get();
    const FamilyPlugin& split = Registry::find(registry.splits, fit.plan.split.name);
    const Params params(split.info, fit.plan.split.params);
    const Target& target = fit.data.target;
    const auto scorer = Registry::find(registry.criteria, fit.plan.criterion).make(target);
    Team solo(1, fit.budget);
    Problem problem = problem_of(fit, fit.data.table, target, *scorer, team), alone = problem;
    alone.team = &solo;
    RankedRows rows(problem);
    struct Own {
        std::unique_ptr<RankSearch> search;
        RankStore store;
        Own(const Problem& p, RankedRows& r, std::unique_ptr<RankSearch> s)
            : search(std::move(s)), store(p, r, *search) {}
    };
    Own own(problem, rows, split.rank_search(problem, params));
    const SplitAcceptance acceptance(target, *scorer, fit.plan, fit.weight);
    Worker worker(&team, 0);
    RankStore::Handle at = own.store.root(root);
    at.open = fit.plan.stop.why_stop(root, fit.limits) == nullptr;
    auto make = [&](Worker&) { return std::make_unique<Own>(alone, rows, split.rank_search(alone, params)); };
    return grow_from(fit, team, own.store, std::move(at), worker, acceptance, make, kNobody);
}

TreeParts grow_from_bins(const Fit& fit, Team& team, const BinnedTable& table, const Start& start) {
    const Target& target = fit.data.target;
    const auto scorer = Registry::find(Registry::get().criteria, fit.plan.criterion).make(target);
    const Problem problem = problem_of(fit, fit.data.table, target, *scorer, team);
    BinStore store(problem, table, fit.rows);
    BinStore::Handle root = store.root(start.depth, start.path);
    root.open = fit.plan.stop.why_stop(store.enter(root), fit.limits) == nullptr;
    const SplitAcceptance acceptance(target, *scorer, fit.plan, root.total);
    Worker worker(&team, 0);
    return grow_alone(fit, store, root, worker, acceptance, kNobody);
}

TreeParts grow_in_range(const Data& data, const Table& full, const Plan& plan, const Engine& engine, Budget& budget,
                        std::span<const u32> rows, const Start& start) {
    const Target& target = data.target;
    Fit fit(data, full, plan, engine.compacts, budget);
    fit.rows = rows;
    fit.ranks = engine.ranks.get();
    if (start.moments) fit.moments = *start.moments;
    Team team(plan.threads, budget);
    if (engine.bins) return grow_from_bins(fit, team, *engine.bins, start);
    Node root;
    root.depth = start.depth;
    root.path = start.path;
    RowIds all;
    if (rows.empty()) all.begin(data.table.n_rows, {});
    measure(root, target, rows.empty() ? all.of(0, data.table.n_rows) : rows);
    list_present(root, target);
    fit.weight = start.weight > 0 ? start.weight : root.total;
    TreeParts parts = engine.store == Engine::Store::ranks && engine.single
                          ? grow_from_ranks(fit, team, std::move(root))
                          : grow_from_row_ids(fit, team, std::move(root));
    if (plan.leaf) parts.centers = fit.moments.means;
    if (!parts.term_counts.empty()) {
        if (fit.moments.centered) parts.centers = fit.moments.centers;
        parts.spreads = fit.moments.spreads;
    }
    return parts;
}

}  // namespace

TreeParts in_range(const Data& given, const Plan& plan,
                   const std::function<TreeParts(const Data&, const Plan&)>& make) {
    Data data = given;
    Target& target = data.target;
    target.leaf = Registry::leaf(plan.criterion, plan.criterion_params);
    target.ruled = plan.ruled;
    std::vector<double> weights, numbers;
    rescale(target, weights, numbers);
    if (plan.functions.edges) target.edges = &plan.functions.edges;
    Plan own = plan;
    own.limits.min_weight = std::ldexp(plan.limits.min_weight, -target.exponent);
    for (double& price : own.prices) price = std::ldexp(price, -target.leaf.degree() * target.number_exponent);
    own.stop.min_impurity_decrease =
        std::ldexp(plan.stop.min_impurity_decrease, -target.leaf.degree() * target.number_exponent);
    TreeParts parts = make(data, own);
    restore_means(parts, target, plan.target_offset);
    if (target.exponent != 0 || target.number_exponent != 0 || target.wild()) {
        // back to the user's weights and numbers, as far as float64 goes
        auto unscale = [](std::vector<double>& v, int exponent) {
            for (double& x : v) x = std::clamp(std::ldexp(x, exponent), -1.7e308, 1.7e308);
        };
        unscale(parts.leaf_weights, target.exponent);
        const int degree = target.leaf.degree() * target.number_exponent;
        unscale(parts.leaf_spreads, target.exponent + degree);
        unscale(parts.inner_spreads, target.exponent + degree);
        unscale(parts.line_errors, target.exponent + degree);
        unscale(parts.line_gains, degree);
        const Traits& traits = Registry::find(Registry::get().criteria, plan.criterion).traits;
        unscale(parts.gains, traits.degree * target.exponent + degree);
    }
    return parts;
}

TreeParts grow_nodes(const Data& given, const Table& full, const Plan& plan, const Engine& engine, Budget& budget,
                     std::span<const u32> rows, const Start& start) {
    return in_range(given, plan, [&](const Data& data, const Plan& own) {
        return grow_in_range(data, full, own, engine, budget, rows, start);
    });
}

}  // namespace bough
