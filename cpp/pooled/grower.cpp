#include "pooled/grower.hpp"

#include "base/rng.hpp"

namespace bough {

PooledGrower::PooledGrower(Layout layout, const Plan& plan, std::vector<double> counts, std::vector<double> weights,
                           std::vector<double> some, u32 few, Moments moments)
    : layout_(std::move(layout)), plan_(plan), some_(std::move(some)), few_(few) {
    const Registry& registry = Registry::get();
    for (u32 c = 0; c < layout_.n_table; ++c) {
        Column column{layout_.numeric(c) ? ColumnKind::numeric : ColumnKind::nominal};
        column.n_values = layout_.n_values[c];
        table_.columns.push_back(column);
    }
    target_.n_classes = layout_.regression ? 0 : layout_.n_classes;
    shown_ = some_;
    if (!some_.empty()) shown_.push_back(some_[0]);
    target_.weights = shown_;
    scorer_ = Registry::find(registry.criteria, plan_.criterion).make(target_);
    const auto cut = plan_.split.params.find("cut");
    below_ = cut != plan_.split.params.end() && cut->second == 2;
    const bool numbers = !table_.of(ColumnKind::numeric).empty();
    const bool bounded = layout_.regression ? scorer_->traits().convex : scorer_->bounds() != nullptr;
    if (scorer_->traits().regression != layout_.regression)
        throw std::invalid_argument("a criterion of another target");
    const FamilyPlugin& split = Registry::find(registry.splits, plan_.split.name);
    const ByMoments* by_moments = find_by_moments(plan_.split.name);
    if (numbers && (!bounded || (plan_.split.name != "axis" && (!by_moments || plan_.simplify))))
        throw std::invalid_argument("numeric columns are cut one by one, by a criterion that can be bounded");
    if (numbers && by_moments) {
        by_moments_ = by_moments;
        params_.emplace(split.info, plan_.split.params);
        numeric_ = table_.of(ColumnKind::numeric);
        problem_.moments = std::move(moments);
        problem_.standardize = plan_.standardize;
        if (problem_.moments.means.size() != layout_.n_table || layout_.n_along() == 0 || plan_.stop.max_features > 0)
            throw std::invalid_argument("directions are over all columns, and need their moments");
    }
    if (plan_.stop.max_leaf_nodes > 0) few_ = 0;  // which of two nodes is the better one is known where both are
    if (plan_.missing != Missing::either)
        throw std::invalid_argument("this plan needs the rows of every node in one place");
    silent_.emplace();
    team_.emplace(1, *silent_);
    worker_.emplace(&*team_, 0);
    problem_.table = &table_;
    problem_.target = &target_;
    problem_.scorer = scorer_.get();
    problem_.limits = plan_.limits;
    problem_.seed = plan_.seed;
    problem_.functions = plan_.functions;
    problem_.team = &*team_;
    problem_.budget = &*silent_;
    const auto& selector = Registry::find(registry.selectors, plan_.selector.name);
    selector_ = selector.make(problem_, Params(selector.info, plan_.selector.params));
    if (selector_->compares() || selector.by_weight)
        throw std::invalid_argument("this selector needs the rows of every node in one place");
    if (numbers && selector.info.name == "conditional_inference")
        throw std::invalid_argument("this selector tests numeric columns by rows, in one place");
    if (target_.wild()) throw std::invalid_argument("the weights of rows are too far apart to be added up");
    problem_.every_column =
        selector_->passive() && (plan_.stop.max_features == 0 || plan_.stop.max_features >= table_.n_columns());
    if (!table_.of(ColumnKind::nominal).empty()) {
        const auto& nominal = Registry::find(registry.nominal, plan_.nominal.name);
        nominal_ = nominal.make(problem_, Params(nominal.info, plan_.nominal.params));
        nominal_->index = 1;  // the cuts of numbers are family 0
    }
    Node root;
    root.path = kRootPath;
    root.counts = std::move(counts);
    root.weights = std::move(weights);
    if (root.counts.size() != layout_.n_classes || root.weights.size() != layout_.n_classes)
        throw std::invalid_argument("there is not one count for each class");
    double n = 0;
    for (double x : root.counts) n += x;
    if (!(n >= 1) || n >= kNone) throw std::invalid_argument("a tree grows from 1 to 2^32 − 2 rows");
    root.n_rows = static_cast<u32>(n);
    for (double w : root.weights) root.total += w;
    record_of_.push_back(records_.add());
    measures_ = layout_.regression || are_rounded(root.total);
    if (measures_) {  // the root waits like the only child of a split
        unmeasured_.push_back(0);
        pending_.emplace_back();
        pending_[0].children.push_back(std::move(root));
    } else {
        plant(std::move(root));
    }
}

// Are sums of weights rounded? They are exact where all weights are multiples of a number that they are not too large
// for; see `some`.
bool PooledGrower::are_rounded(double total) const {
    if (some_.size() < 3) return total > 0x1p53;
    const double parts = some_[2] * kParts;
    return parts != std::floor(parts) || total * kParts * kParts > 0x1p53;
}

void PooledGrower::plant(Node root) {
    weight_ = root.total;
    worth_ = Worth(target_, *scorer_, plan_.stop, weight_);
    Making m;
    m.firsts.push_back(0);
    m.broods.emplace_back();
    m.parents.push_back(nullptr);
    add(std::move(root), 0, record_of_[0], m.broods[0]);
    ask(m);
}

void PooledGrower::measured(std::span<const NumbersSoFar> numbers, std::span<const double> spreads) {
    if (numbers.size() != unmeasured_.size() || spreads.size() != numbers.size())
        throw std::invalid_argument("other nodes than these were to be measured");
    std::size_t at = 0;
    for (Decided& d : pending_)
        for (Node& child : d.children) {
            const NumbersSoFar& own = numbers[at];
            if (own.rows != child.n_rows)
                throw std::runtime_error("a node has other rows than were counted: rows were lost or changed");
            child.weights.assign(1, own.weight);
            child.total = own.weight;
            child.mean = own.rows > 0 ? own.mean() : 0.0;
            child.spread = spreads[at++];
            child.pure = own.low == own.high;
            list_present(child, target_);
        }
    go_on();
}

void PooledGrower::measured(std::span<const double> weights) {
    const std::size_t k = layout_.n_classes;
    if (weights.size() != unmeasured_.size() * k)
        throw std::invalid_argument("other nodes than these were to be measured");
    for (Decided& d : pending_)
        for (Node& child : d.children) {
            child.weights.assign(weights.begin(), weights.begin() + k);
            child.total = 0;
            for (double w : child.weights) child.total += w;
            list_present(child, target_);
            weights = weights.subspan(k);
        }
    go_on();
}

// Makes what waited for nodes to be measured.
void PooledGrower::go_on() {
    unmeasured_.clear();
    if (weight_ > 0) return conclude();
    Node root = std::move(pending_[0].children[0]);
    pending_.clear();
    plant(std::move(root));
}

std::vector<double> PooledGrower::centers() const {
    std::vector<double> centers(asked_.size(), 0.0);
    if (layout_.regression)  // every node is counted itself
        for (std::size_t i = 0; i < asked_.size(); ++i) centers[i] = open_[direct_[i]].node.mean;
    return centers;
}

// Puts a node among those that are left alone, moved or open; `places` gets its place in open_, or kNone.
void PooledGrower::add(Node node, u32 id, u32 record, std::vector<u32>& places) {
    list_present(node, target_);
    places.push_back(kNone);
    if (plan_.stop.why_stop(node, plan_.limits)) {
        records_.make_leaf(record, node, target_);
    } else if (moves(node)) {
        moved_.push_back({id, node.depth, node.n_rows, node.path});
    } else {
        places.back() = static_cast<u32>(open_.size());
        Open open;
        open.node = std::move(node);
        open.id = id;
        open.record = record;
        open_.push_back(std::move(open));
    }
}

// A row takes 8 bytes of each column to move; every split below it that is made from counts takes the counts of a node.
bool PooledGrower::moves(const Node& node) const {
    if (node.n_rows > few_) return false;
    const u32 levels = std::min(20u, plan_.stop.max_depth - std::min(node.depth, plan_.stop.max_depth));
    const double of_node = static_cast<double>(layout_.size()) * (sizeof(u32) + fields() * sizeof(double));
    const double to_count = static_cast<double>(u64{1} << levels) * of_node;
    return static_cast<double>(node.n_rows) * layout_.n_columns() * sizeof(double) <= to_count;
}

// Of two children the smaller is counted, and the other has the rest; sums of numbers would be rounded by that.
void PooledGrower::ask(const Making& m) {
    asked_.clear();
    direct_.clear();
    rests_.clear();
    for (std::size_t b = 0; b < m.broods.size(); ++b) {
        const auto& places = m.broods[b];
        const u32 first = m.firsts[b];
        const bool both = places.size() == 2 && places[0] != kNone && places[1] != kNone;
        if (both && fields() == 0 && !directed()) {
            const u32 small = open_[places[0]].node.n_rows <= open_[places[1]].node.n_rows ? 0 : 1;
            asked_.push_back(first + small);
            direct_.push_back(kNone);
            rests_.push_back({m.parents[b], places[1 - small], places[small]});
            continue;
        }
        for (std::size_t c = 0; c < places.size(); ++c)
            if (places[c] != kNone) {
                asked_.push_back(first + static_cast<u32>(c));
                direct_.push_back(places[c]);
            }
    }
}

void PooledGrower::check(const Open& open) const {
    const std::size_t k = layout_.n_classes;
    for (u32 column = 0; column < layout_.n_columns(); ++column)
        for (std::size_t c = 0; c < k && (has_cuts(open, column) || !layout_.numeric(column)); ++c) {
            double sum = 0;
            for (u64 cell = layout_.begin[column]; cell < layout_.begin[column + 1]; ++cell)
                sum += open.counts->rows[cell * k + c];
            if (sum != open.node.counts[c])
                throw std::runtime_error("the counts of a node do not add up to its rows: rows were lost or changed");
        }
}

void PooledGrower::counted(const u32* rows, const double* sums, const double* ends) {
    if ((sums != nullptr) != (fields() > 0)) throw std::invalid_argument("sums are there or not, in all counts");
    if ((ends != nullptr) != directed()) throw std::invalid_argument("ends are there where there are directions");
    const std::size_t size = layout_.size(), more = n_sums(), n_ends = layout_.n_ends();
    std::size_t rest = 0;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        auto own = std::make_shared<Counts>();
        own->rows.assign(rows + i * size, rows + (i + 1) * size);
        if (sums) own->sums.assign(sums + i * more, sums + (i + 1) * more);
        if (ends) own->ends.assign(ends + i * n_ends, ends + (i + 1) * n_ends);
        if (direct_[i] != kNone) {
            open_[direct_[i]].counts = own;
        } else {
            const Rest& r = rests_[rest++];
            auto other = std::make_shared<Counts>();
            other->rows = r.parent->rows;
            for (std::size_t j = 0; j < size; ++j) other->rows[j] -= own->rows[j];
            open_[r.rest].counts = other;
            open_[r.counted].counts = own;
        }
    }
    for (const Open& open : open_) check(open);
}

std::vector<WantedBin> PooledGrower::wanted(Budget& budget) {
    std::vector<WantedBin> to;
    for (Open& open : open_) {
        budget.poll();
        open.looked.assign(layout_.n_columns(), {});
        open.numbers.assign(layout_.n_columns(), {});
        Best best(scorer_->unit(open.node), selector_->first_of_equals() ? kInf : open.node.total);
        search(open, false, best);
        open.unsure |=
            open.node.n_rows == 2 && !directed();  // the first column that parts them wins, whatever the gains
        if (problem_.every_column && !open.unsure) open.known = best;
        const std::size_t before = to.size();
        want(open, best, to);
        for (std::size_t i = before; i < to.size(); ++i)
            if (to[i].all) open.looked[to[i].column].push_back(to[i].bin);
    }
    return to;
}

void PooledGrower::found(const FoundNumbers& f, Budget& budget) {
    const std::size_t k = layout_.n_classes, n = f.node.size();
    if (f.column.size() != n || f.cls.size() != n || f.rows.size() != n || f.number.size() != n ||
        (!some_.empty() && f.weight.size() != n) || (layout_.regression && f.sum.size() != n))
        throw std::invalid_argument("numbers that were found differ in length");
    std::vector<u32> place(record_of_.size(), kNone);
    for (u32 i = 0; i < open_.size(); ++i) place[open_[i].id] = i;
    std::vector<u32> order(n);
    for (u32 i = 0; i < n; ++i) order[i] = i;
    auto before = [&](u32 a, u32 b) {
        if (f.node[a] != f.node[b]) return f.node[a] < f.node[b];
        if (f.column[a] != f.column[b]) return f.column[a] < f.column[b];
        return f.number[a] < f.number[b];
    };
    std::stable_sort(order.begin(), order.end(), before);
    for (u32 i : order) {
        if (f.node[i] >= place.size() || place[f.node[i]] == kNone || f.column[i] >= layout_.n_columns() ||
            f.cls[i] >= k || early_.contains(place[f.node[i]]) || !has_cuts(open_[place[f.node[i]]], f.column[i]))
            throw std::invalid_argument("numbers were found that nobody asked for");
        const Open& open = open_[place[f.node[i]]];
        Numbers& to = open_[place[f.node[i]]].numbers[f.column[i]];
        const Line* line = line_of(open, f.column[i]);
        bool same = !to.x.empty() && to.x.back() == f.number[i];
        if (line && !to.x.empty()) {  // one position, unless an edge is between: then they have been counted apart
            const auto& e = line->along.edges;
            same =
                f.number[i] - to.last.back() <= line->blur && std::lower_bound(e.begin(), e.end(), f.number[i]) ==
                                                                  std::lower_bound(e.begin(), e.end(), to.last.back());
            if (same) to.last.back() = f.number[i];
        }
        if (!same) {
            to.x.push_back(f.number[i]);
            if (line) to.last.push_back(f.number[i]);
            to.rows.resize(to.rows.size() + k, 0);
            if (!some_.empty()) to.weights.resize(to.weights.size() + k, 0.0);
            if (layout_.regression) to.sums.push_back(0.0);
        }
        const std::size_t at = (to.x.size() - 1) * k + f.cls[i];
        to.rows[at] += f.rows[i];
        if (!some_.empty()) to.weights[at] += f.weight[i];
        if (layout_.regression) to.sums[at] += f.sum[i];
    }
    for (u32 i : order) {
        const u32 at = place[f.node[i]];
        if (early_.contains(at)) continue;
        budget.poll();
        early_[at] = decide(open_[at]);
        open_[at].numbers = {};
    }
}

std::optional<PooledGrower::Decided> PooledGrower::decide(Open& open) {
    Best best(scorer_->unit(open.node), selector_->first_of_equals() ? kInf : open.node.total);
    if (open.known) {
        best = std::move(*open.known);
        offer_inside(open, best);
    } else {
        search(open, true, best);
    }
    if (best.empty()) return {};
    Decided d;
    d.gain = best.winner().gain;
    d.split = split_of(open, best.winner());
    d.children = children_of(open, best.winner(), d.split);
    d.first = static_cast<u32>(record_of_.size());
    record_of_.resize(record_of_.size() + d.children.size(), kNone);
    d.open = std::move(open);
    d.open.known.reset();
    d.open.looked = {};
    d.open.numbers = {};
    d.open.lines = {};
    return d;
}

void PooledGrower::make(Decided& d, Making& to) {
    const u32 first = static_cast<u32>(records_.nodes.size());
    for (std::size_t c = 0; c < d.children.size(); ++c) record_of_[d.first + c] = records_.add();
    records_.tested(d.open.record, d.open.log_p);
    Record& r = records_.nodes[d.open.record];
    r.gain = recorded_gain(*scorer_, d.open.node, d.children, d.gain);
    r.first_child = first;
    r.rows = d.open.node.n_rows;
    r.split = static_cast<u32>(records_.splits.size());
    records_.splits.push_back(std::move(d.split));
    to.firsts.push_back(d.first);
    to.broods.emplace_back();
    to.parents.push_back(d.open.counts);
    for (u32 c = 0; c < d.children.size(); ++c) add(std::move(d.children[c]), d.first + c, first + c, to.broods.back());
}

// Splits of the heap, until one leaves children that have to be decided first.
void PooledGrower::make_best(Making& to) {
    while (!best_first_.empty() && open_.empty()) {
        std::pop_heap(best_first_.begin(), best_first_.end(), Decided::later);
        const auto d = std::move(best_first_.back());
        best_first_.pop_back();
        const u32 more = static_cast<u32>(d->children.size()) - 1;
        if (leaves_ + more > plan_.stop.max_leaf_nodes) {
            make_leaf(d->open);
            continue;
        }
        leaves_ += more;
        make(*d, to);
    }
}

std::vector<FoundSplit> PooledGrower::settle(Budget& budget) {
    std::vector<FoundSplit> found;
    std::vector<Open> all = std::exchange(open_, {});
    std::map<u32, std::optional<Decided>> early = std::exchange(early_, {});
    for (u32 i = 0; i < all.size(); ++i) {
        budget.poll();
        Open& open = all[i];
        const auto known = early.find(i);
        std::optional<Decided> d = known == early.end() ? decide(open) : std::move(known->second);
        if (!d) {
            make_leaf(open);
            continue;
        }
        const u32 n = static_cast<u32>(d->children.size());
        found.push_back({d->open.id, d->first, n, d->split});
        for (u32 c = 0; c < n && measures_; ++c) unmeasured_.push_back(d->first + c);
        pending_.push_back(std::move(*d));
    }
    if (unmeasured_.empty()) conclude();
    return found;
}

// Makes splits whose children are measured.
void PooledGrower::conclude() {
    Making to;
    for (Decided& d : std::exchange(pending_, {})) {
        if ((d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear) && !d.split.saw_missing)
            d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
        if (!worth_.is_worth_making(d.open.node, d.children, d.improvement)) {
            make_leaf(d.open);
        } else if (plan_.stop.max_leaf_nodes == 0) {
            make(d, to);
        } else {
            d.number = decided_++;
            best_first_.push_back(std::make_unique<Decided>(std::move(d)));
            std::push_heap(best_first_.begin(), best_first_.end(), Decided::later);
        }
    }
    make_best(to);
    ask(to);
}

Tree PooledGrower::finish(Budget& budget) && {
    TreeParts parts = std::move(records_).in_preorder(table_, target_, plan_.missing, plan_.target_offset);
    if (!parts.term_counts.empty()) {
        if (problem_.moments.centered) parts.centers = problem_.moments.centers;
        parts.spreads = problem_.moments.spreads;
    }
    return Tree(std::move(parts), budget);
}

}  // namespace bough
