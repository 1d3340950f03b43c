#include "grow/context.hpp"

#include <algorithm>

#include "base/rng.hpp"
#include "base/slack.hpp"
#include "grow/engine.hpp"
#include "grow/known.hpp"
#include "grow/simplify.hpp"
#include "tree/lines.hpp"
#include "tree/route.hpp"

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

GrowthContext::GrowthContext(const Fit& fit, Team& team) : fit_(fit), table_(fit.data.table), target_(fit.data.target) {
    prepare(team);
}

GrowthContext::GrowthContext(const Fit& fit, RowSubset subset, Team& team) : fit_(fit), subset_(std::move(subset)) {
    Sample sample;
    sample.all_rows = false;
    sample.rows = subset_.rows;
    sample.weights = subset_.weights;
    sampled_.emplace(fit.data, sample, fit.budget);
    table_ = sampled_->data().table;
    table_.sorted = nullptr;  // lists of other rows
    table_.places = {};
    target_ = sampled_->data().target;
    if (!subset_.classes.empty()) {
        for (u32 c : target_.classes)
            own_classes_.push_back(static_cast<u32>(
                std::lower_bound(subset_.classes.begin(), subset_.classes.end(), c) - subset_.classes.begin()));
        for (u32 c : subset_.classes)
            if (!target_.scale.empty()) own_scale_.push_back(target_.scale[c]);
        target_.classes = own_classes_;
        target_.scale = own_scale_;
        target_.n_classes = static_cast<u32>(subset_.classes.size());
    }
    prepare(team);
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

void GrowthContext::prepare(Team& team) {
    const Registry& registry = Registry::get();
    const Plan& plan = fit_.plan;
    scorer_ = Registry::find(registry.criteria, plan.criterion).make(target_);
    problem_ = problem_of(fit_, table_, target_, *scorer_, team);
    if (sampled_) {  // ranks are of all rows
        problem_.rows = {};
        problem_.ranks = nullptr;
    }
    const auto& selector = Registry::find(registry.selectors, plan.selector.name);
    selector_ = selector.make(problem_, Params(selector.info, plan.selector.params));
    problem_.every_column = selector_->passive() && !plan.ruled_splits() &&
                            (plan.stop.max_features == 0 || plan.stop.max_features >= table_.n_columns());
    if (plan.leaf) {  // it chooses the splits
        add_family(Registry::find(registry.leaves, plan.leaf->name), plan.leaf->params);
    } else if (!table_.of(ColumnKind::numeric).empty()) {
        const FamilyPlugin& split = Registry::find(registry.splits, plan.split.name);
        if (!split.joined_by.empty()) add_family(Registry::find(registry.splits, split.joined_by), {});
        add_family(split, plan.split.params);
    }
    if (!table_.of(ColumnKind::nominal).empty() && !plan.leaf)
        add_family(Registry::find(registry.nominal, plan.nominal.name), plan.nominal.params);
    keep_rows_ = plan.simplify || !plan.first.empty() || target_.weighted() || target_.regression() ||
                 !selector_->passive() || fit_.any_missing || fit_.surrogates;
    for (const auto& f : families_) keep_rows_ |= f->needs_rows();
    acceptance_ = SplitAcceptance(target_, *scorer_, plan, fit_.weight);
    numbers_anew_ = numbers_classes_anew(plan, problem_);
    keep_rows_ |= numbers_anew_;
    if (keep_rows_) rows_.begin(table_.n_rows, problem_.rows, target_);
}

void GrowthContext::add_family(const FamilyPlugin& plugin, const std::map<std::string, double>& given) {
    auto family = make_family(plugin, problem_, Params(plugin.info, given));
    family->index = static_cast<u32>(families_.size());
    families_.push_back(std::move(family));
}

void GrowthContext::begin(Handle& at) {
    at.rows_begin = 0;
    at.states.clear();
    for (auto& f : families_) at.states.push_back(f->root());
    enter(at);
    if (fit_.plan.leaf) families_[0]->model(at.node);
}

void GrowthContext::enter(Handle& at) {
    Node& node = at.node;
    if (keep_rows_) node.rows = rows_.of(at.rows_begin, node.n_rows);
    if (keep_rows_) node.by_target = rows_.ordered(at.rows_begin, node.n_rows);
    list_present(node, target_);
}

bool GrowthContext::compact(const Handle& at, Lists& to) const {
    if (!fit_.compacts || numbers_anew_ || !at.states[0]) return false;
    return families_[0]->compact(at.node, at.states[0].get(), to);
}

bool GrowthContext::search(Handle& at, Worker& worker, std::span<const u32> columns, Selection& selection, Best& best) {
    Node& node = at.node;
    auto ask = [&](std::span<const u8> allowed, u32 only, Best& to) {
        node.allowed = allowed;
        node.only = only;
        for (auto& f : families_) f->propose(node, at.states[f->index].get(), worker, to);
        node.allowed = {};
        node.only = kNone;
    };
    auto bits = [&](const Candidate& c) { return families_[c.family]->bits(c); };
    const bool any = offer_selected(*selector_, node, worker, columns, table_.n_columns(), selection, ask, bits, best);
    if (any && node.lines) node.loss = node.lines->error;
    return any;
}

void GrowthContext::resolve(Handle& at, Worker& worker, Decision& d) {
    const Plan& plan = fit_.plan;
    Node& node = at.node;
    d.flipped = false;
    d.subsets.clear();
    d.known.reset();
    d.stayed = {};
    d.split = d.given ? given_split(*d.given, node, problem_)
                      : families_[d.candidate.family]->resolve(node, at.states[d.candidate.family].get(), d.candidate);
    d.division.reset();
    d.division.emplace(division_of(at, worker, d));
    if (plan.simplify && d.split.kind == NodeKind::linear) {
        auto left = [&](u32 row) { return d.division->side(row) == 0; };
        d.flipped = simplify(d.split, table_, problem_.moments, node.rows, left, fit_.budget);
        if (d.flipped) d.division->flip();
    }
    const bool lacking = any_missing(d.split, node);
    if (lacking && plan.missing == Missing::shared) return share_rows(at, d);
    if (plan.missing == Missing::surrogate) {
        add_surrogates(at, d);
        if (lacking) {  // some rows follow a surrogate
            d.division.reset();
            d.division.emplace(division_of(at, worker, d));
        }
    }
    const u32 n = d.split.n_children();
    d.children.assign(n, Node{});
    for (u32 c = 0; c < n; ++c) {
        d.children[c].depth = node.depth + 1;
        d.children[c].path = child_path(node.path, d.flipped ? 1 - c : c);
    }
    measure_children(node, target_, *d.division, d.children, d.stayed);
    if (plan.leaf) families_[0]->model_children(node, d.candidate, d.split, *d.division, d.children);
    if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear)
        if (!d.split.saw_missing && plan.missing != Missing::surrogate)
            d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
    if (lacking && plan.missing == Missing::surrogate) measure_known(at, d);
}

// Where some rows follow surrogates, a split is judged by the rows that have a value.
void GrowthContext::measure_known(const Handle& at, Decision& d) const {
    const SplitView split = view_of(d.split, problem_.moments.centers);
    std::vector<u32> rows;
    d.known = known_part(at.node, target_, rows, [&](u32 row) { return answer(split, table_.columns, row) == kNone; });
    d.known->rows = {};
    d.known_sides.assign(2, Node{});
    std::vector<u32> there;
    for (u32 side : {0u, 1u}) {
        there.clear();
        for (u32 row : rows)
            if (answer(split, table_.columns, row) == side) there.push_back(row);
        measure(d.known_sides[side], target_, there);
        list_present(d.known_sides[side], target_);
    }
}

// Which child every row of the node goes to.
Division GrowthContext::division_of(const Handle& at, Worker& worker, const Decision& d) {
    const Node& node = at.node;
    const SplitView split = view_of(d.split, problem_.moments.centers);
    auto to = [&](u32 row) { return route(split, table_.columns, row); };
    if (d.split.kind == NodeKind::multiway)
        return Division::in_many(worker.division, node.rows, d.split.n_children(), to);
    // Rows that stay are a child that nobody sees.
    if (fit_.plan.missing == Missing::surrogate && split.without == kStopHere && any_missing(d.split, node))
        return Division::in_many(worker.division, node.rows, 3, [&](u32 row) { return std::min(to(row), 2u); });
    return Division::in_two(worker.division, node.n_rows, [&](std::vector<u32>& rows) -> u32 {
        const u32 by = d.candidate.family;
        u32 child = 0;
        if (!d.given && families_[by]->side(node, at.states[by].get(), d.candidate, rows, child)) {
            if (d.flipped) child = 1 - child;
            if (fit_.plan.missing != Missing::surrogate || !any_missing(d.split, node)) return child;
            rows.clear();  // the family knows nothing of surrogates
        }
        for (u32 row : node.rows)
            if (to(row) == child) rows.push_back(row);
        return child;
    });
}

// Does any row of the node lack the value that the split asks for, so that the plan's way is gone?
bool GrowthContext::any_missing(const Split& s, const Node& node) const {
    if (!fit_.any_missing) return false;
    auto gap = [&](u32 c) { return fit_.missing_in[c] != 0; };
    if (s.kind == NodeKind::linear ? std::none_of(s.term_columns.begin(), s.term_columns.end(), gap) : !gap(s.column))
        return false;
    const SplitView split = view_of(s, problem_.moments.centers);
    return std::any_of(node.rows.begin(), node.rows.end(),
                       [&](u32 row) { return answer(split, table_.columns, row) == kNone; });
}

// Of a split in two.
void GrowthContext::add_surrogates(const Handle& at, Decision& d) {
    const Node& node = at.node;
    double weight[2] = {0, 0};
    std::vector<u32> sides(node.n_rows);
    const SplitView split = view_of(d.split, problem_.moments.centers);
    for (u32 i = 0; i < node.n_rows; ++i) {
        sides[i] = answer(split, table_.columns, node.rows[i]);
        if (sides[i] < 2) weight[sides[i]] += target_.own_weight(node.rows[i]);
    }
    if (d.split.kind == NodeKind::multiway) return;
    d.split.missing_left = left_is_heavier(weight[0], weight[1]);
    d.split.stops = d.split.missing_left && left_is_heavier(weight[1], weight[0]);
    if (d.split.kind == NodeKind::subset) d.split.other = d.split.stops ? kStopHere : d.split.missing_left ? 0 : 1;
    const bool spared = d.split.kind == NodeKind::axis && fit_.spared[d.split.column];
    if (weight[0] > 0 && weight[1] > 0 && !spared)
        d.split.surrogates = fit_.surrogates->find(d.split, node.rows, sides);
}

// Rows without the value go to every child in proportion to the weight of those that have it.
void GrowthContext::share_rows(const Handle& at, Decision& d) {
    const Node& node = at.node;
    const u32 n = d.split.n_children();
    std::vector<double> sizes(n, 0.0);
    std::vector<u32> to(node.n_rows);
    double known = 0;
    const SplitView split = view_of(d.split, problem_.moments.centers);
    for (u32 i = 0; i < node.n_rows; ++i) {
        to[i] = answer(split, table_.columns, node.rows[i]);
        if (to[i] == kNone) continue;
        sizes[to[i]] += target_.weight(node.rows[i]);
        known += target_.weight(node.rows[i]);
    }
    d.children.assign(n, Node{});
    d.subsets.assign(n, RowSubset{});
    std::vector<u32> rows;
    for (u32 c = 0; c < n; ++c) {
        const double share = sizes[c] / known;
        RowSubset& subset = d.subsets[c];
        rows.clear();
        for (u32 i = 0; i < node.n_rows; ++i) {
            if (to[i] != c && !(to[i] == kNone && share > kEqual)) continue;
            const u32 row = node.rows[i];
            rows.push_back(row);
            subset.rows.push_back(subset_.rows.empty() ? row : subset_.rows[row]);
            subset.weights.push_back(target_.weight(row) * (to[i] == c ? 1.0 : share));
        }
        Node& child = d.children[c];
        child.depth = node.depth + 1;
        child.path = child_path(node.path, d.flipped ? 1 - c : c);
        measure(child, target_, rows, subset.weights);
        list_present(child, target_);
    }
    if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear) {
        d.split.saw_missing = true;
        d.split.missing_left = left_is_heavier(sizes[0], sizes[1]);
    }
}

void GrowthContext::divide(Handle& at, Worker& worker, Decision& d, std::vector<Handle>& children) {
    const u32 n = d.split.n_children();
    children.clear();
    children.resize(n);
    for (u32 c = 0; c < n; ++c) {
        children[c].open = d.open[c] != 0;
        if (!d.subsets.empty()) children[c].subset = std::make_unique<RowSubset>(std::move(d.subsets[c]));
    }
    if (d.subsets.empty()) {
        if (!d.division) d.division.emplace(division_of(at, worker, d));
        Division& division = *d.division;
        for (u32 c = 0; c < n; ++c) {
            division.open[c] = d.open[c];
            children[c].context = at.context;
            children[c].states.resize(families_.size());
        }
        if (numbers_anew_) number_anew(at, d, children);
        bool any_open = false;
        for (u32 c = 0; c < n; ++c) any_open |= division.open[c] != 0;
        if (division.n_children() > n) division.open[n] = 0;  // rows that stay
        for (auto& f : families_) {
            if (!any_open) break;
            std::vector<std::unique_ptr<NodeState>> states(division.n_children());
            f->divide(at.node, at.states[f->index].get(), d.candidate, division, worker, states);
            for (u32 c = 0; c < n; ++c) children[c].states[f->index] = std::move(states[c]);
        }
        if (keep_rows_ && any_open) {
            std::vector<Piece> pieces(division.n_children());
            rows_.divide(at.rows_begin, at.node.n_rows, division, worker.spare, pieces);
            for (u32 c = 0; c < n; ++c) children[c].rows_begin = at.rows_begin + pieces[c].begin;
        }
    }
    d.division.reset();
    for (u32 c = 0; c < n; ++c) children[c].node = std::move(d.children[c]);
}

// A small child of many classes goes on by itself, with the classes that it has.
void GrowthContext::number_anew(const Handle& at, Decision& d, std::vector<Handle>& children) const {
    Division& division = *d.division;
    constexpr u32 kFew = 4;  // rows for as many classes: a node costs as much as it has rows
    bool any = false;
    for (std::size_t c = 0; c < children.size(); ++c) {
        Node& child = d.children[c];
        if (!division.open[c] || kFew * u64{child.n_rows} > target_.n_classes) continue;
        any = true;
        division.open[c] = 0;
        children[c].context.reset();
        children[c].subset = std::make_unique<RowSubset>();
        for (u32 i = 0; i < child.present.size(); ++i) {
            u32& at = child.present[i];
            children[c].subset->classes.push_back(subset_.classes.empty() ? at : subset_.classes[at]);
            child.counts[i] = child.counts[at];
            at = i;
        }
        child.counts.resize(child.present.size());
        child.weights = child.present_weights;
    }
    for (u32 row : any ? at.node.rows : std::span<const u32>())
        if (RowSubset* subset = children[division.child(row)].subset.get())
            subset->rows.push_back(subset_.rows.empty() ? row : subset_.rows[row]);
}

}  // namespace bough
