#include "grow/context.hpp"

#include <algorithm>

#include "grow/engine.hpp"

namespace bough {

namespace {

bool has_missing(const Table& table, const Column& column) {
    for (u32 row = 0; row < table.n_rows; ++row)
        if (column.kind == ColumnKind::numeric ? is_missing(column.value(row)) : column.codes[row] < 0) return true;
    return false;
}

}  // namespace

Fit::Fit(const Data& d, const Table& w, const Plan& p, bool c, Budget& b)
    : data(d), full(w, b), plan(p), compacts(c), budget(b), limits(p.limits), missing_in(d.table.n_columns(), 0) {
    const Registry& registry = Registry::get();
    limits.by_weight = Registry::find(registry.selectors, p.selector.name).by_weight;
    if (p.leaf || p.standardize || Registry::find(registry.splits, p.split.name).needs_moments)
        moments = moments_of(d.table, d.target);
    if (p.ties_by_seed) tie_places = bough::tie_places(d.table.n_columns(), p.seed);
    if (p.missing == Missing::either) return;
    for (u32 c = 0; c < d.table.n_columns(); ++c) {
        b.poll();
        missing_in[c] = has_missing(d.table, d.table.columns[c]);
        any_missing |= missing_in[c] != 0;
    }
    spared.assign(d.table.n_columns(), 0);
    for (u32 c = 0; c < d.table.n_columns() && p.spare_surrogates; ++c) spared[c] = !has_missing(w, w.columns[c]);
    const auto cut = p.split.params.find("cut");
    const bool below = cut != p.split.params.end() && cut->second == 2;
    if (p.missing == Missing::surrogate) surrogates.emplace(d.table, d.target, full, below, b);
}

GrowthContext::GrowthContext(const Fit& fit, Team& team) : table(fit.data.table), target(fit.data.target) {
    prepare(fit, team);
}

GrowthContext::GrowthContext(const Fit& fit, RowSubset of, Team& team) : subset(std::move(of)) {
    Sample sample;
    sample.all_rows = false;
    sample.rows = subset.rows;
    sample.weights = subset.weights;
    sampled.emplace(fit.data, sample, fit.budget);
    table = sampled->data().table;
    table.sorted = nullptr;  // lists of other rows
    table.places = {};
    target = sampled->data().target;
    if (!subset.classes.empty()) {
        for (u32 c : target.classes)
            own_classes.push_back(static_cast<u32>(std::lower_bound(subset.classes.begin(), subset.classes.end(), c) -
                                                   subset.classes.begin()));
        for (u32 c : subset.classes)
            if (!target.scale.empty()) own_scale.push_back(target.scale[c]);
        target.classes = own_classes;
        target.scale = own_scale;
        target.n_classes = static_cast<u32>(subset.classes.size());
    }
    prepare(fit, team);
}

Problem problem_of(const Fit& fit, const Table& table, const Target& target, const Scorer& scorer, Team& team) {
    Problem p;
    p.table = &table;
    p.rows = fit.rows;
    p.ranks = fit.ranks;
    p.target = &target;
    p.all = &fit.data;
    p.full = &fit.full;
    p.missing = fit.plan.missing;
    p.scorer = &scorer;
    p.limits = fit.limits;
    p.seed = fit.plan.seed;
    p.tie_places = fit.tie_places;
    p.standardize = fit.plan.standardize;
    p.moments = fit.moments;
    p.functions = fit.plan.functions;
    p.team = &team;
    p.budget = &fit.budget;
    return p;
}

void GrowthContext::prepare(const Fit& fit, Team& team) {
    const Registry& registry = Registry::get();
    const Plan& plan = fit.plan;
    scorer = Registry::find(registry.criteria, plan.criterion).make(target);
    problem = problem_of(fit, table, target, *scorer, team);
    if (sampled) {  // ranks are of all rows
        problem.rows = {};
        problem.ranks = nullptr;
    }
    const SelectorPlugin& selects = Registry::find(registry.selectors, plan.selector.name);
    selector = selects.make(problem, Params(selects.info, plan.selector.params));
    problem.every_column = selector->passive() && !plan.ruled_splits() &&
                           (plan.stop.max_features == 0 || plan.stop.max_features >= table.n_columns());
    if (plan.leaf) {  // it chooses the splits
        add_family(Registry::find(registry.leaves, plan.leaf->name), plan.leaf->params);
    } else if (!table.of(ColumnKind::numeric).empty()) {
        const FamilyPlugin& split = Registry::find(registry.splits, plan.split.name);
        if (!split.joined_by.empty()) add_family(Registry::find(registry.splits, split.joined_by), {});
        add_family(split, plan.split.params);
    }
    if (!table.of(ColumnKind::nominal).empty() && !plan.leaf)
        add_family(Registry::find(registry.nominal, plan.nominal.name), plan.nominal.params);
    keeps_rows = plan.simplify || !plan.first.empty() || target.weighted() || target.regression() ||
                 !selector->passive() || fit.any_missing || fit.surrogates;
    for (const auto& f : families) keeps_rows |= f->needs_rows();
    acceptance = SplitAcceptance(target, *scorer, plan, fit.weight);
    numbers_anew = numbers_classes_anew(plan, problem);
    keeps_rows |= numbers_anew;
    if (keeps_rows) rows.begin(table.n_rows, problem.rows, target);
}

void GrowthContext::add_family(const FamilyPlugin& plugin, const std::map<std::string, double>& given) {
    auto family = make_family(plugin, problem, Params(plugin.info, given));
    family->index = static_cast<u32>(families.size());
    families.push_back(std::move(family));
}

}  // namespace bough
