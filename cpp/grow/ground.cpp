#include "grow/ground.hpp"

#include <algorithm>

#include "base/slack.hpp"
#include "grow/known.hpp"
#include "grow/simplify.hpp"
#include "tree/route.hpp"

namespace bough {

namespace {

bool has_gaps(const Table& table, const Column& column) {
    for (u32 row = 0; row < table.n_rows; ++row)
        if (column.kind == ColumnKind::numeric ? is_missing(column.value(row)) : column.codes[row] < 0) return true;
    return false;
}

}  // namespace

Fit::Fit(const Data& d, const Table& w, const Plan& p, Budget& b)
    : data(d), whole(w, b), plan(p), budget(b), limits(p.limits), gaps(d.table.n_columns(), 0) {
    const Registry& registry = Registry::get();
    limits.by_weight = Registry::find(registry.selectors, p.selector.name).by_weight;
    if (p.standardize || Registry::find(registry.splits, p.split.name).needs_moments)
        moments = moments_of(d.table, d.target);
    if (p.missing == Missing::either) return;
    for (u32 c = 0; c < d.table.n_columns(); ++c) {
        b.poll();
        gaps[c] = has_gaps(d.table, d.table.columns[c]);
        any_gaps |= gaps[c] != 0;
    }
    spared.assign(d.table.n_columns(), 0);
    for (u32 c = 0; c < d.table.n_columns() && p.spare_surrogates; ++c) spared[c] = !has_gaps(w, w.columns[c]);
    const auto cut = p.split.params.find("cut");
    const bool below = cut != p.split.params.end() && cut->second == 2;
    if (p.missing == Missing::surrogate) surrogates.emplace(d.table, d.target, whole, below, b);
}

Ground::Ground(const Fit& fit, Team& team) : fit_(fit), table_(fit.data.table), target_(fit.data.target) {
    prepare(team);
}

Ground::Ground(const Fit& fit, Lot lot, Team& team) : fit_(fit), lot_(std::move(lot)) {
    Sample sample;
    sample.whole = false;
    sample.rows = lot_.rows;
    sample.weights = lot_.weights;
    drawn_.emplace(fit.data, sample, fit.budget);
    table_ = drawn_->data().table;
    table_.sorted = nullptr;  // lists of other rows
    table_.places = {};
    target_ = drawn_->data().target;
    if (!lot_.classes.empty()) {
        for (u32 c : target_.classes)
            own_classes_.push_back(
                static_cast<u32>(std::lower_bound(lot_.classes.begin(), lot_.classes.end(), c) - lot_.classes.begin()));
        for (u32 c : lot_.classes)
            if (!target_.scale.empty()) own_scale_.push_back(target_.scale[c]);
        target_.classes = own_classes_;
        target_.scale = own_scale_;
        target_.n_classes = static_cast<u32>(lot_.classes.size());
    }
    prepare(team);
}

void Ground::prepare(Team& team) {
    const Registry& registry = Registry::get();
    const Plan& plan = fit_.plan;
    scorer_ = Registry::find(registry.criteria, plan.criterion).make(target_);
    problem_.table = &table_;
    if (!drawn_) {
        problem_.rows = fit_.rows;
        problem_.ranks = fit_.ranks;
    }
    problem_.target = &target_;
    problem_.all = &fit_.data;
    problem_.whole = &fit_.whole;
    problem_.missing = plan.missing;
    problem_.scorer = scorer_.get();
    problem_.limits = fit_.limits;
    problem_.seed = plan.seed;
    problem_.standardize = plan.standardize;
    problem_.moments = fit_.moments;
    problem_.functions = plan.functions;
    problem_.team = &team;
    problem_.budget = &fit_.budget;
    const auto& selector = Registry::find(registry.selectors, plan.selector.name);
    selector_ = selector.make(problem_, Params(selector.info, plan.selector.params));
    problem_.every_column =
        selector_->passive() && (plan.stop.max_features == 0 || plan.stop.max_features >= table_.n_columns());
    if (!table_.of(ColumnKind::numeric).empty()) {
        const FamilyPlugin& split = Registry::find(registry.splits, plan.split.name);
        if (!split.joined_by.empty()) add_family(Registry::find(registry.splits, split.joined_by), {});
        add_family(split, plan.split.params);
    }
    if (!table_.of(ColumnKind::nominal).empty())
        add_family(Registry::find(registry.nominal, plan.nominal.name), plan.nominal.params);
    keep_rows_ = plan.simplify || target_.weighted() || target_.regression() || !selector_->passive() ||
                 fit_.any_gaps || fit_.surrogates;
    for (const auto& f : families_) keep_rows_ |= f->needs_rows();
    worth_ = Worth(target_, *scorer_, plan.stop, fit_.weight);
    // Costs are of all classes; ranks are of all rows.
    numbers_anew_ = target_.n_classes > kManyClasses && plan.missing == Missing::either && target_.costs.empty() &&
                    target_.losses.empty() && !problem_.ranks;
    alone_ = families_.size() == 1 && selector_->passive() && !selector_->first_of_equals() && !plan.simplify &&
             plan.stop.max_leaf_nodes == 0 && worth_.always() && !numbers_anew_;
    keep_rows_ |= numbers_anew_;
    if (keep_rows_ && !problem_.rows.empty()) {
        rows_.assign(problem_.rows.begin(), problem_.rows.end());
    } else if (keep_rows_) {
        rows_.resize(table_.n_rows);
        for (u32 i = 0; i < table_.n_rows; ++i) rows_[i] = i;
    }
}

void Ground::add_family(const FamilyPlugin& plugin, const std::map<std::string, double>& given) {
    auto family = plugin.make(problem_, Params(plugin.info, given));
    family->index = static_cast<u32>(families_.size());
    families_.push_back(std::move(family));
}

void Ground::begin(Open& open) {
    open.rows_begin = 0;
    open.states.clear();
    for (auto& f : families_) open.states.push_back(f->root());
    enter(open);
}

void Ground::enter(Open& open) {
    Node& node = open.node;
    if (keep_rows_) node.rows = {rows_.data() + open.rows_begin, node.n_rows};
    list_present(node, target_);
}

TreeParts Ground::grow_below(Open& open, Worker& worker) {
    enter(open);
    TreeWriter writer(std::vector<u32>(), fit_.data.target.n_classes, fit_.plan.missing);
    writer.number(lot_.classes);
    families_[0]->grow_below(open.node, open.states[0].get(), fit_.plan.stop, worker, writer);
    return std::move(writer).finish();
}

std::optional<Division> Ground::decide(Open& open, Worker& worker, Decision& decision) {
    const Plan& plan = fit_.plan;
    Node& node = open.node;
    enter(open);
    if (plan.stop.why_stop(node, fit_.limits)) return {};
    // Balances are equal up to a share of the weight; where the first of equal gains wins, all are.
    Best best(scorer_->unit(node), selector_->first_of_equals() ? kInf : node.total);
    search(open, worker, best);
    if (best.empty()) return {};
    decision.candidate = best.winner();
    decision.split = families_[decision.candidate.family]->resolve(node, open.states[decision.candidate.family].get(),
                                                                   decision.candidate);
    std::optional<Division> division = divide(open, decision, worker);
    if (plan.simplify && decision.split.kind == NodeKind::linear) {
        auto left = [&](u32 row) { return division->side(row) == 0; };
        decision.flipped = simplify(decision.split, table_, problem_.moments, node.rows, left, fit_.budget);
        if (decision.flipped) division->flip();
    }
    const bool lacking = lacks(decision.split, node);
    if (lacking && plan.missing == Missing::shared) {
        share_rows(open, decision);
    } else {
        if (plan.missing == Missing::surrogate) {
            add_surrogates(open, decision);
            if (lacking) {  // some rows follow a surrogate
                division.reset();
                division.emplace(divide(open, decision, worker));
            }
        }
        measure_children(open, decision, *division);
    }
    const bool worth = lacking && plan.missing == Missing::surrogate
                           ? known_is_worth_making(open, decision)
                           : worth_.is_worth_making(node, decision.children, decision.improvement);
    if (!worth) return {};
    return division;
}

// Where some rows follow surrogates, a split is judged by the rows that have a value.
bool Ground::known_is_worth_making(const Open& open, Decision& d) const {
    const SplitView split = view_of(d.split, problem_.moments.centers);
    std::vector<u32> rows;
    const Node known =
        known_part(open.node, target_, rows, [&](u32 row) { return answer(split, table_.columns, row) == kNone; });
    std::vector<Node> sides(2);
    std::vector<u32> there;
    for (u32 side : {0u, 1u}) {
        there.clear();
        for (u32 row : rows)
            if (answer(split, table_.columns, row) == side) there.push_back(row);
        measure(sides[side], target_, there);
        list_present(sides[side], target_);
    }
    return worth_.is_worth_making(known, sides, d.improvement);
}

void Ground::search(Open& open, Worker& worker, Best& best) {
    Node& node = open.node;
    const u32 d = table_.n_columns(), most = fit_.plan.stop.max_features;
    Selection selection;
    // Proposes splits of the columns that are up for selection; false: the selector says stop.
    auto propose = [&](Best& found) {
        selection.next.clear();
        if (!selector_->passive() && !selector_->select(node, worker, selection)) return false;
        auto ask = [&](std::span<const u8> allowed, Best& to) {
            node.allowed = allowed;
            for (auto& f : families_) f->propose(node, open.states[f->index].get(), worker, to);
            node.allowed = {};
        };
        auto bits = [&](const Candidate& c) { return families_[c.family]->bits(c); };
        offer_choice(*selector_, *scorer_, node, selection.allowed, ask, bits, found);
        for (std::size_t i = 0; i < selection.next.size() && found.empty(); ++i) {
            std::fill(selection.allowed.begin(), selection.allowed.end(), 0);
            for (u32 c : selection.next[i]) selection.allowed[c] = 1;
            ask(selection.allowed, found);
        }
        return true;
    };
    if (most == 0 || most >= d) {
        if (!selector_->passive()) selection.allowed.assign(d, 1);
        propose(best);
        open.log_p = std::move(selection.log_p);
        return;
    }
    worker.columns.each_group(d, fit_.plan.stop, fit_.plan.seed, node.path, best,
                              [&](std::span<const u32> columns, Best& found) {
                                  selection.allowed.assign(d, 0);
                                  for (u32 c : columns) selection.allowed[c] = 1;
                                  return propose(found);
                              });
    open.log_p = std::move(selection.log_p);
}

Division Ground::divide(const Open& open, const Decision& d, Worker& worker) {
    const Node& node = open.node;
    const SplitView split = view_of(d.split, problem_.moments.centers);
    auto to = [&](u32 row) { return route(split, table_.columns, row); };
    if (d.split.kind == NodeKind::multiway)
        return Division::in_many(worker.division, node.rows, d.split.n_children(), to);
    // Rows that stay are a child that nobody sees.
    if (fit_.plan.missing == Missing::surrogate && split.without == kStopHere && lacks(d.split, node))
        return Division::in_many(worker.division, node.rows, 3, [&](u32 row) { return std::min(to(row), 2u); });
    return Division::in_two(worker.division, node.n_rows, [&](std::vector<u32>& rows) -> u32 {
        Family& family = *families_[d.candidate.family];
        u32 child = 0;
        if (family.side(node, open.states[family.index].get(), d.candidate, rows, child)) {
            if (d.flipped) child = 1 - child;
            if (fit_.plan.missing != Missing::surrogate || !lacks(d.split, node)) return child;
            rows.clear();  // the family knows nothing of surrogates
        }
        for (u32 row : node.rows)
            if (to(row) == child) rows.push_back(row);
        return child;
    });
}

// Does any row of the node lack the value that the split asks for, so that the plan's way is gone?
bool Ground::lacks(const Split& s, const Node& node) const {
    if (!fit_.any_gaps) return false;
    auto gap = [&](u32 c) { return fit_.gaps[c] != 0; };
    if (s.kind == NodeKind::linear ? std::none_of(s.term_columns.begin(), s.term_columns.end(), gap) : !gap(s.column))
        return false;
    const SplitView split = view_of(s, problem_.moments.centers);
    return std::any_of(node.rows.begin(), node.rows.end(),
                       [&](u32 row) { return answer(split, table_.columns, row) == kNone; });
}

// Of a split in two.
void Ground::add_surrogates(const Open& open, Decision& d) {
    const Node& node = open.node;
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
void Ground::share_rows(const Open& open, Decision& d) {
    const Node& node = open.node;
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
    d.lots.assign(n, Lot{});
    std::vector<u32> rows;
    for (u32 c = 0; c < n; ++c) {
        const double share = sizes[c] / known;
        Lot& lot = d.lots[c];
        rows.clear();
        for (u32 i = 0; i < node.n_rows; ++i) {
            if (to[i] != c && !(to[i] == kNone && share > kEqual)) continue;
            const u32 row = node.rows[i];
            rows.push_back(row);
            lot.rows.push_back(lot_.rows.empty() ? row : lot_.rows[row]);
            lot.weights.push_back(target_.weight(row) * (to[i] == c ? 1.0 : share));
        }
        Node& child = d.children[c];
        child.depth = node.depth + 1;
        child.path = child_path(node.path, d.flipped ? 1 - c : c);
        measure(child, target_, rows, lot.weights);
        list_present(child, target_);
    }
    if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear) {
        d.split.saw_missing = true;
        d.split.missing_left = left_is_heavier(sizes[0], sizes[1]);
    }
}

void Ground::measure_children(const Open& open, Decision& d, const Division& division) {
    const Node& node = open.node;
    const u32 n = d.split.n_children();
    d.children.assign(n, Node{});
    for (u32 c = 0; c < n; ++c) {
        d.children[c].depth = node.depth + 1;
        d.children[c].path = child_path(node.path, d.flipped ? 1 - c : c);
    }
    if (!target_.weighted() && !target_.regression() && !division.many()) {  // one side is counted
        Node &listed = d.children[division.front()], &other = d.children[1 - division.front()];
        measure(listed, target_, division.listed());
        other.n_rows = node.n_rows - listed.n_rows;
        other.counts = other.weights = node.counts;
        for (std::size_t c = 0; c < node.counts.size(); ++c)
            other.counts[c] = other.weights[c] = node.counts[c] - listed.counts[c];
        other.total = node.total - listed.total;
    } else {  // each child in the order of its rows
        std::vector<std::vector<u32>> rows(division.n_children());
        for (u32 row : node.rows) rows[division.child(row)].push_back(row);
        for (u32 c = 0; c < n; ++c) measure(d.children[c], target_, rows[c]);
        if (rows.size() > n) measure(d.stayed, target_, rows[n]);
    }
    for (auto& child : d.children) list_present(child, target_);
    if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear)
        if (!d.split.saw_missing && fit_.plan.missing != Missing::surrogate)
            d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
}

std::vector<Open> Ground::children_of(Open& open, Decision& d, Division& division, Worker& worker) {
    const u32 n = d.split.n_children();
    std::vector<Open> children(n);
    d.candidate.gain = recorded_gain(*scorer_, open.node, d.children, d.candidate.gain);
    if (!d.lots.empty()) {
        for (u32 c = 0; c < n; ++c) children[c].lot = std::make_unique<Lot>(std::move(d.lots[c]));
    } else {
        bool any_open = false;
        for (u32 c = 0; c < n; ++c) {
            division.open[c] = fit_.plan.stop.why_stop(d.children[c], fit_.limits) == nullptr;
            children[c].ground = open.ground;
            children[c].states.resize(families_.size());
        }
        if (numbers_anew_) number_anew(open, d, division, children);
        for (u32 c = 0; c < n; ++c) any_open |= division.open[c] != 0;
        if (division.n_children() > n) division.open[n] = 0;  // rows that stay
        if (any_open) {
            for (auto& f : families_) {
                std::vector<std::unique_ptr<NodeState>> states(division.n_children());
                f->divide(open.node, open.states[f->index].get(), d.candidate, division, worker, states);
                for (u32 c = 0; c < n; ++c) children[c].states[f->index] = std::move(states[c]);
            }
            if (keep_rows_) divide_rows(open, division, worker, children);
        }
    }
    for (u32 c = 0; c < n; ++c) children[c].node = std::move(d.children[c]);
    return children;
}

// A small child of many classes goes on by itself, with the classes that it has.
void Ground::number_anew(const Open& open, Decision& d, Division& division, std::vector<Open>& children) const {
    constexpr u32 kFew = 4;  // rows for as many classes: a node costs as much as it has rows
    bool any = false;
    for (std::size_t c = 0; c < children.size(); ++c) {
        Node& child = d.children[c];
        if (!division.open[c] || kFew * u64{child.n_rows} > target_.n_classes) continue;
        any = true;
        division.open[c] = 0;
        children[c].ground.reset();
        children[c].lot = std::make_unique<Lot>();
        for (u32 i = 0; i < child.present.size(); ++i) {
            u32& at = child.present[i];
            children[c].lot->classes.push_back(lot_.classes.empty() ? at : lot_.classes[at]);
            child.counts[i] = child.counts[at];
            at = i;
        }
        child.counts.resize(child.present.size());
        child.weights = child.present_weights;
    }
    for (u32 row : any ? open.node.rows : std::span<const u32>())
        if (Lot* lot = children[division.child(row)].lot.get())
            lot->rows.push_back(lot_.rows.empty() ? row : lot_.rows[row]);
}

void Ground::divide_rows(const Open& open, const Division& division, Worker& worker, std::vector<Open>& children) {
    worker.spare.grow_to(open.node.n_rows);
    std::vector<Piece> pieces(division.n_children());
    division.part(rows_.data() + open.rows_begin, open.node.n_rows, kNone, pieces.data(),
                  reinterpret_cast<u32*>(worker.spare.data()));
    for (std::size_t c = 0; c < children.size(); ++c) children[c].rows_begin = open.rows_begin + pieces[c].begin;
}

}  // namespace bough
