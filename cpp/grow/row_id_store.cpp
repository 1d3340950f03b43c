#include <algorithm>

#include "base/rng.hpp"
#include "base/slack.hpp"
#include "grow/context.hpp"
#include "grow/known.hpp"
#include "grow/simplify.hpp"
#include "tree/lines.hpp"
#include "tree/route.hpp"

namespace bough {

RowIdStore::Handle RowIdStore::root(std::shared_ptr<GrowthContext> context, Node node) {
    Handle at;
    at.node = std::move(node);
    at.context = std::move(context);
    begin(at);
    return at;
}

// Gives a node that holds all rows of its context what the families remember of it.
void RowIdStore::begin(Handle& at) {
    at.rows_begin = 0;
    at.states.clear();
    for (auto& f : at.context->families) at.states.push_back(f->root());
    enter(at);
    if (fit_.plan.leaf) here_->families[0]->model(at.node);
}

const Node& RowIdStore::enter(Handle& at) {
    if (at.subset && at.open) {  // what is below it grows by itself
        at.context = std::make_shared<GrowthContext>(fit_, std::move(*at.subset), *worker_.team);
        at.subset.reset();
        begin(at);
    }
    if (!at.context) return at.node;
    here_ = at.context.get();
    selection_.log_p.clear();
    if (here_->keeps_rows) at.node.rows = here_->rows.of(at.rows_begin, at.node.n_rows);
    if (here_->keeps_rows) at.node.by_target = here_->rows.ordered(at.rows_begin, at.node.n_rows);
    list_present(at.node, here_->target);
    return at.node;
}

Lists* RowIdStore::compact(const Handle& at) {
    if (!fit_.compacts || !at.open || !here_ || here_->numbers_anew || !at.states[0]) return nullptr;
    if (!worker_.lists) worker_.lists = std::make_unique<Lists>();
    const bool done = here_->families[0]->compact(at.node, at.states[0].get(), *worker_.lists);
    return done ? worker_.lists.get() : nullptr;
}

bool RowIdStore::search(Handle& at, std::span<const u32> columns, bool, Pace&, Best& best) {
    Node& node = at.node;
    fit_.budget.poll();
    auto ask = [&](std::span<const u8> allowed, u32 only, Best& to) {
        node.allowed = allowed;
        node.only = only;
        for (auto& f : here_->families) f->propose(node, at.states[f->index].get(), worker_, to);
        node.allowed = {};
        node.only = kNone;
    };
    auto bits = [&](const Candidate& c) { return here_->families[c.family]->bits(c); };
    const bool any =
        offer_selected(*here_->selector, node, worker_, columns, here_->table.n_columns(), selection_, ask, bits, best);
    if (any && node.lines) node.loss = node.lines->error;
    at.log_p = selection_.log_p;
    return any;
}

void RowIdStore::resolve(Handle& at, Decision& d) {
    const Plan& plan = fit_.plan;
    Node& node = at.node;
    d.flipped = false;
    d.subsets.clear();
    d.known.reset();
    d.stayed = {};
    d.split =
        d.given ? given_split(*d.given, node, here_->problem)
                : here_->families[d.candidate.family]->resolve(node, at.states[d.candidate.family].get(), d.candidate);
    d.lacking = any_missing(d.split, node);
    d.division.reset();
    d.division.emplace(division_of(at, d));
    if (plan.simplify && d.split.kind == NodeKind::linear) {
        auto left = [&](u32 row) { return d.division->side(row) == 0; };
        d.flipped = simplify(d.split, here_->table, here_->problem.moments, node.rows, left, fit_.budget);
        if (d.flipped) d.division->flip();
        d.lacking = any_missing(d.split, node);
    }
    if (d.lacking && plan.missing == Missing::shared) return share_rows(at, d);
    if (plan.missing == Missing::surrogate) {
        add_surrogates(at, d);
        if (d.lacking) {  // some rows follow a surrogate
            d.division.reset();
            d.division.emplace(division_of(at, d));
        }
    }
    const u32 n = d.split.n_children();
    d.children.assign(n, Node{});
    for (u32 c = 0; c < n; ++c) {
        d.children[c].depth = node.depth + 1;
        d.children[c].path = child_path(node.path, d.flipped ? 1 - c : c);
    }
    measure_children(node, here_->target, *d.division, d.children, d.stayed);
    if (plan.leaf) here_->families[0]->model_children(node, d.candidate, d.split, *d.division, d.children);
    if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear)
        if (!d.split.saw_missing && plan.missing != Missing::surrogate)
            d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
}

// Which child every row of the node goes to.
Division RowIdStore::division_of(const Handle& at, const Decision& d) {
    const Node& node = at.node;
    const SplitView split = view_of(d.split, here_->problem.moments.centers);
    auto to = [&](u32 row) { return route(split, here_->table.columns, row); };
    if (d.split.kind == NodeKind::multiway)
        return Division::in_many(worker_.division, node.rows, d.split.n_children(), to);
    // Rows that stay are a child that nobody sees.
    if (fit_.plan.missing == Missing::surrogate && split.without == kStopHere && d.lacking)
        return Division::in_many(worker_.division, node.rows, 3, [&](u32 row) { return std::min(to(row), 2u); });
    return Division::in_two(worker_.division, node.n_rows, [&](std::vector<u32>& rows) -> u32 {
        const u32 by = d.candidate.family;
        u32 child = 0;
        if (!d.given && here_->families[by]->side(node, at.states[by].get(), d.candidate, rows, child)) {
            if (d.flipped) child = 1 - child;
            if (fit_.plan.missing != Missing::surrogate || !d.lacking) return child;
            rows.clear();  // the family knows nothing of surrogates
        }
        for (u32 row : node.rows)
            if (to(row) == child) rows.push_back(row);
        return child;
    });
}

// Does any row of the node lack the value that the split asks for, so that the plan's way is gone?
bool RowIdStore::any_missing(const Split& s, const Node& node) const {
    if (!fit_.any_missing) return false;
    auto gap = [&](u32 c) { return fit_.missing_in[c] != 0; };
    if (s.kind == NodeKind::linear ? std::none_of(s.term_columns.begin(), s.term_columns.end(), gap) : !gap(s.column))
        return false;
    const SplitView split = view_of(s, here_->problem.moments.centers);
    return std::any_of(node.rows.begin(), node.rows.end(),
                       [&](u32 row) { return answer(split, here_->table.columns, row) == kNone; });
}

// The child that each row of a node goes to by a split alone, kNone where it lacks the value.
std::vector<u32> RowIdStore::sides_of(const Split& s, const Node& node) const {
    const SplitView split = view_of(s, here_->problem.moments.centers);
    std::vector<u32> sides;
    for (u32 row : node.rows) sides.push_back(answer(split, here_->table.columns, row));
    return sides;
}

// Of a split in two. Where some rows follow surrogates, it is judged by those that have a value.
void RowIdStore::add_surrogates(const Handle& at, Decision& d) const {
    const Node& node = at.node;
    const std::vector<u32> sides = sides_of(d.split, node);
    double weight[2] = {0, 0};
    std::vector<u32> known, there[2];
    for (u32 i = 0; i < node.n_rows; ++i)
        if (sides[i] < 2) {
            weight[sides[i]] += here_->target.own_weight(node.rows[i]);
            if (d.lacking) there[sides[i]].push_back(node.rows[i]);
        }
    if (d.lacking) {
        u32 i = 0;
        d.known = known_part(node, here_->target, known, [&](u32) { return sides[i++] == kNone; });
        d.known->rows = {};
        d.known_sides.assign(2, Node{});
        for (u32 side : {0u, 1u}) {
            measure(d.known_sides[side], here_->target, there[side]);
            list_present(d.known_sides[side], here_->target);
        }
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
void RowIdStore::share_rows(const Handle& at, Decision& d) const {
    const Node& node = at.node;
    const u32 n = d.split.n_children();
    const std::vector<u32> to = sides_of(d.split, node);
    std::vector<double> sizes(n, 0.0);
    double known = 0;
    for (u32 i = 0; i < node.n_rows; ++i) {
        if (to[i] == kNone) continue;
        sizes[to[i]] += here_->target.weight(node.rows[i]);
        known += here_->target.weight(node.rows[i]);
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
            subset.rows.push_back(here_->subset.rows.empty() ? row : here_->subset.rows[row]);
            subset.weights.push_back(here_->target.weight(row) * (to[i] == c ? 1.0 : share));
        }
        Node& child = d.children[c];
        child.depth = node.depth + 1;
        child.path = child_path(node.path, d.flipped ? 1 - c : c);
        measure(child, here_->target, rows, subset.weights);
        list_present(child, here_->target);
    }
    if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear) {
        d.split.saw_missing = true;
        d.split.missing_left = left_is_heavier(sizes[0], sizes[1]);
    }
}

void RowIdStore::divide(Handle& at, Decision& d, std::vector<Handle>& children) {
    const u32 n = d.split.n_children();
    children.clear();
    children.resize(n);
    for (u32 c = 0; c < n; ++c) {
        children[c].open = d.open[c] != 0;
        if (!d.subsets.empty()) children[c].subset = std::make_unique<RowSubset>(std::move(d.subsets[c]));
    }
    if (d.subsets.empty()) {
        if (!d.division) d.division.emplace(division_of(at, d));
        Division& division = *d.division;
        for (u32 c = 0; c < n; ++c) {
            division.open[c] = d.open[c];
            children[c].context = at.context;
            children[c].states.resize(here_->families.size());
        }
        if (here_->numbers_anew) number_anew(at, d, children);
        bool any_open = false;
        for (u32 c = 0; c < n; ++c) any_open |= division.open[c] != 0;
        if (division.n_children() > n) division.open[n] = 0;  // rows that stay
        for (auto& f : here_->families) {
            if (!any_open) break;
            std::vector<std::unique_ptr<NodeState>> states(division.n_children());
            f->divide(at.node, at.states[f->index].get(), d.candidate, division, worker_, states);
            for (u32 c = 0; c < n; ++c) children[c].states[f->index] = std::move(states[c]);
        }
        if (here_->keeps_rows && any_open) {
            std::vector<Piece> pieces(division.n_children());
            here_->rows.divide(at.rows_begin, at.node.n_rows, division, worker_.spare, pieces);
            for (u32 c = 0; c < n; ++c) children[c].rows_begin = at.rows_begin + pieces[c].begin;
        }
    }
    d.division.reset();
    for (u32 c = 0; c < n; ++c) children[c].node = std::move(d.children[c]);
}

// A small child of many classes goes on by itself, with the classes that it has.
void RowIdStore::number_anew(const Handle& at, Decision& d, std::vector<Handle>& children) const {
    Division& division = *d.division;
    constexpr u32 kFew = 4;  // rows for as many classes: a node costs as much as it has rows
    bool any = false;
    for (std::size_t c = 0; c < children.size(); ++c) {
        Node& child = d.children[c];
        if (!division.open[c] || kFew * u64{child.n_rows} > here_->target.n_classes) continue;
        any = true;
        division.open[c] = 0;
        children[c].context.reset();
        children[c].subset = std::make_unique<RowSubset>();
        for (u32 i = 0; i < child.present.size(); ++i) {
            u32& at = child.present[i];
            children[c].subset->classes.push_back(here_->subset.classes.empty() ? at : here_->subset.classes[at]);
            child.counts[i] = child.counts[at];
            at = i;
        }
        child.counts.resize(child.present.size());
        child.weights = child.present_weights;
    }
    for (u32 row : any ? at.node.rows : std::span<const u32>())
        if (RowSubset* subset = children[division.child(row)].subset.get())
            subset->rows.push_back(here_->subset.rows.empty() ? row : here_->subset.rows[row]);
}

}  // namespace bough
