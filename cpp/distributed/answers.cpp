// What the driver makes of answers.
#include "data/column_sums.hpp"
#include "distributed/driver.hpp"

namespace bough {

namespace {

template <class T>
std::span<const T> part_of(const std::vector<T>& list, std::size_t i, std::size_t n) {
    return std::span(list).subspan(i * n, n);
}

}  // namespace

void Driver::take(Answer&& a, Budget& budget) {
    if (a.ask == Ask::rows) return graft(std::move(a), budget);
    if (a.ask != stage_ || done_) throw std::invalid_argument("an answer to what was not asked");
    std::size_t nodes = asked_.size();
    if (stage_ >= Ask::measure && stage_ <= Ask::spread) nodes = 0, each_unmeasured([&](Node&, u32) { ++nodes; });
    AnswerSize size = store_.layout().size_of(stage_, store_.weighted());
    if (stage_ == Ask::moments)
        nodes = 1, size = {0, 3 * u64{store_.layout().n_table()} + 1, 0, store_.layout().n_table()};
    if (!a.fits(nodes, size)) throw std::invalid_argument("an answer of another size");
    switch (stage_) {
        case Ask::moments:
            return take_moments(a);
        case Ask::measure:
        case Ask::total:
        case Ask::spread:
            return take_measures(a);
        case Ask::sums:
        case Ask::products:
            return take_sums(a, budget);
        case Ask::count:
            take_counts(a);
            list_wanted(budget);
            return look_into(budget);
        default:
            take_found(a, budget);
            return look_into(budget);
    }
}

void Driver::take_moments(const Answer& a) {
    ColumnSums s(next()->centers);
    const double* from = a.sums.data();
    for (auto* v : {&s.weight, &s.sum, &s.squares}) std::copy_n(from, v->size(), v->begin()), from += v->size();
    s.total = *from;
    s.most = a.ends;
    store_.set_moments(s.moments());
    stage_ = Ask::measure;
}

// Rows and weights of nodes by class; or, of numbers to be predicted, their ends, then their exact sums, then those of
// what they lose.
void Driver::take_measures(const Answer& a) {
    const Layout& layout = store_.layout();
    const std::size_t k = layout.n_classes;
    const LeafRule& leaf = store_.target().leaf;
    const bool weighted = store_.weighted();
    if (stage_ == Ask::measure) ends_.clear();
    std::size_t i = 0;
    each_unmeasured([&](Node& node, u32) {
        const std::size_t at = i++;
        if (stage_ == Ask::measure) {
            const auto rows = part_of(a.counts, at, k);
            if (loop_ && !std::equal(rows.begin(), rows.end(), node.counts.begin(), node.counts.end()))
                throw std::runtime_error("a node has other rows than were counted: rows were lost or changed");
            node.counts.assign(rows.begin(), rows.end());
            if (layout.regression) {
                const auto e = part_of(a.ends, at, 4);
                ends_.push_back({-e[0], e[1], -e[2], std::max(0.0, e[3])});
                return;
            }
            const auto weights = part_of(a.sums, at, k);
            node.weights.assign(weights.begin(), weights.end());
            node.total = 0;
            for (double w : weights) node.total += w;
        } else if (stage_ == Ask::total) {
            const bool any = node.counts[0] > 0;
            if (any) node.take(NumberMeasure(ends_[at], weighted, {a.exact[2 * at], a.exact[2 * at + 1]}));
            node.total = any ? node.weight_of(node.sums) : 0.0;
            node.weights.assign(1, node.total);
        } else if (!node.pure && node.counts[0] > 0) {
            const auto losses = part_of(a.exact, at, leaf.squares() ? 1 : 2);
            node.spread = node.loss = LossImage(ends_[at], node.mean, weighted).sum(losses[0]);
            if (!leaf.squares()) node.loss = LossImage(ends_[at], node.mean, weighted, leaf).sum(losses[1]);
        }
    });
    if (layout.regression && stage_ != Ask::spread) {
        stage_ = stage_ == Ask::measure ? Ask::total : Ask::spread;
        return;
    }
    each_unmeasured([&](Node& node, u32) { list_present(node, store_.target()); });
    loop_ ? conclude() : plant();
}

void Driver::take_sums(const Answer& a, Budget& budget) {
    const std::size_t size = store_.layout().size_of(stage_, false).sums;
    const bool scatter = store_.directions()->scatter;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        budget.poll();
        CountStore::Handle& at = level_[asked_[i]].at();
        const auto sums = part_of(a.sums, i, size);
        if (stage_ == Ask::sums)
            store_.take_sums(at, sums.data(), part_of(a.ends, i, a.ends.size() / asked_.size()).data(), a.some[i]);
        if (stage_ == Ask::products || !scatter)
            store_.take_products(at, scatter ? sums : std::span<const double>(), budget);
    }
    stage_ = stage_ == Ask::sums && scatter ? Ask::products : Ask::count;
}

void Driver::take_counts(const Answer& a) {
    const Layout& layout = store_.layout();
    auto part = [](const auto& from, std::size_t i, std::size_t n, auto& to) {
        const auto own = part_of(from, i, n);
        to.assign(own.begin(), own.end());
    };
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        const std::size_t place = asked_[i];
        auto own = std::make_shared<CellCounts>();
        part(a.counts, i, layout.size(), own->rows);
        part(a.sums, i, layout.n_sums(store_.weighted()), own->sums);
        part(a.ends, i, layout.n_ends(), own->ends);
        for (const std::size_t sibling : {place - 1, place + 1})  // that has the rest
            if (sibling < level_.size() && level_[sibling].at().rest &&
                level_[sibling].at().parent == level_[place].at().parent) {
                auto rest = std::make_shared<CellCounts>();
                rest->rows = level_[sibling].at().parent->rows;
                for (std::size_t j = 0; j < rest->rows.size(); ++j) rest->rows[j] -= own->rows[j];
                store_.take_counts(level_[sibling].at(), std::move(rest));
            }
        store_.take_counts(level_[place].at(), std::move(own));
    }
}

// ---- bins that are looked into

void Driver::list_wanted(Budget& budget) {
    wanted_.clear();
    looked_ = 0;
    for (Waiting& one : level_) {
        budget.poll();
        store_.begin_search(one.at());
        store_.want(one.at(), loop_->look(one.found->open), wanted_);
    }
    n_looked_ += wanted_.size();
}

// Goes on with the bins of some nodes, or settles them all.
void Driver::look_into(Budget& budget) {
    if (looked_ == wanted_.size()) return settle(budget);
    u64 rows = 0;
    for (until_ = looked_; until_ < wanted_.size(); ++until_) {
        if (rows >= start_.most_numbers && wanted_[until_].node != wanted_[until_ - 1].node) break;
        rows += wanted_[until_].rows;
    }
    stage_ = Ask::find;
}

// What was found in bins, of some nodes all: these are decided, and need their numbers no more.
void Driver::take_found(const Answer& a, Budget& budget) {
    const std::size_t fields = (store_.layout().regression ? 1 : 0) + (store_.weighted() ? 1 : 0);
    if (a.found_sums.size() != a.found.size() * fields) throw std::invalid_argument("an answer of another size");
    std::vector<u32> place(n_nodes_, kNone), order(a.found.size());
    for (u32 i = 0; i < level_.size(); ++i)
        if (!level_[i].decided) place[level_[i].at().id] = i;
    for (u32 i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](u32 i, u32 j) {
        const FoundNumber &x = a.found[i], &y = a.found[j];
        return std::tie(x.node, x.column, x.number) < std::tie(y.node, y.column, y.number);
    });
    for (u32 i : order) {
        const FoundNumber& found = a.found[i];
        if (found.node >= n_nodes_ || place[found.node] == kNone)
            throw std::invalid_argument("numbers were found that nobody asked for");
        store_.take_number(level_[place[found.node]].at(), found, a.found_sums.data() + i * fields);
    }
    for (; looked_ < until_; ++looked_) {
        budget.poll();
        if (Waiting& one = level_[place[wanted_[looked_].node]]; !one.decided) decide(one);
    }
}

// ---- splits

void Driver::decide(Waiting& one) {
    one.decided = true;
    one.splits = loop_->find(*one.found);
    CountStore::Handle& at = one.at();
    at.numbers = {};
    at.lines = {};
    at.known.reset();
    if (!one.splits) return;
    CountStore::Decision& d = one.found->decision;
    d.first = n_nodes_;
    n_nodes_ += static_cast<u32>(d.children.size());
}

// Finds the splits of all nodes of the level, and makes them as soon as the children are measured, or, where a tree
// grows best first, the best of those that are known.
void Driver::settle(Budget& budget) {
    for (Waiting& one : std::exchange(level_, {})) {
        budget.poll();
        if (!one.decided) decide(one);
        if (!one.splits) {
            loop_->make_leaf(one.found->open);
            continue;
        }
        splits_.push_back({one.at().id, one.found->decision.first, one.found->decision.split});
        pending_.push_back(std::move(one.found));
    }
    // Children are numbered as their splits were decided.
    std::sort(splits_.begin(), splits_.end(), [](auto& a, auto& b) { return a.first < b.first; });
    if (rounds_ && !pending_.empty())
        stage_ = Ask::measure;
    else
        conclude();
}

// Makes splits whose children are measured.
void Driver::conclude() {
    std::vector<Growth::Open> children;
    for (auto& found : std::exchange(pending_, {})) {
        if (!loop_->judge(*found)) {
            loop_->make_leaf(found->open);
        } else if (plan_.stop.max_leaf_nodes == 0) {
            loop_->make(*found, children);
        } else {
            const double improvement = found->decision.improvement;
            frontier_.push(std::move(found), improvement);
        }
    }
    place(children);
    while (level_.empty() && !frontier_.empty()) {
        loop_->make_best(frontier_, children);
        place(children);
    }
    begin_level();
}

// Begins with the root, whose rows are known now.
void Driver::plant() {
    double n = 0;
    for (double x : root_.counts) n += x;
    if (!(n >= 1) || n >= kNone) throw std::invalid_argument("a tree grows from 1 to 2^32 − 2 rows");
    root_.n_rows = static_cast<u32>(n);
    n_rows_ = root_.n_rows;
    weight_ = root_.total;
    LeafLimits limits = plan_.limits;
    if (start_.forest) limits.min_weight *= weight_ / start_.weight;
    acceptance_.emplace(store_.target(), *store_.problem().scorer, plan_, weight_);
    store_.begin(limits, *acceptance_);
    loop_.emplace(store_, plan_.stop, *acceptance_, columns_, silent_, &records_);
    CountStore::Handle at;
    at.node = std::move(root_);
    at.open = plan_.stop.why_stop(at.node, limits) == nullptr;
    std::vector<Growth::Open> first;
    first.push_back(loop_->root(std::move(at)));
    place(first);
    begin_level();
}

// Nodes are leaves, or moved, or searched at the next level.
void Driver::place(std::vector<Growth::Open>& nodes) {
    for (Growth::Open& open : nodes) {
        const Node& node = open.at.node;
        if (!open.at.open)
            loop_->make_leaf(open);
        else if (moves(node))
            moved_.push_back({{open.at.id, node.depth, node.n_rows, node.path}, open.record});
        else
            level_.push_back({std::make_unique<Growth::Found>(Growth::Found{std::move(open), {}})});
    }
    nodes.clear();
}

// A row takes 8 bytes of each column to move; every split below it that is made from counts takes the counts of a node.
bool Driver::moves(const Node& node) const {
    if (node.n_rows > few_) return false;
    const Layout& layout = store_.layout();
    const u32 levels = std::min(20u, plan_.stop.max_depth - std::min(node.depth, plan_.stop.max_depth));
    const double of_node = static_cast<double>(layout.size()) * (sizeof(u32) + store_.fields() * sizeof(double));
    const double to_count = static_cast<double>(u64{1} << levels) * of_node;
    return static_cast<double>(node.n_rows) * layout.n_columns() * sizeof(double) <= to_count;
}

// Of two children the smaller is counted, and the other has the rest.
void Driver::begin_level() {
    ++level_number_;
    done_ = level_.empty();
    stage_ = store_.directions() ? Ask::sums : Ask::count;
    asked_.clear();
    auto parent = [&](std::size_t i) { return i < level_.size() ? level_[i].at().parent : nullptr; };
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const bool two = parent(i) && parent(i) == parent(i + 1);
        const bool first = !two || level_[i].at().node.n_rows <= level_[i + 1].at().node.n_rows;
        asked_.push_back(first ? i : i + 1);
        if (!two) continue;
        level_[first ? i + 1 : i].at().rest = true;
        ++i;
    }
}

// Puts subtrees in the place of moved nodes.
void Driver::graft(Answer&& a, Budget& budget) {
    if (a.grown.size() != a.counts.size()) throw std::invalid_argument("there is not a subtree for each node");
    for (std::size_t i = 0; i < a.grown.size(); ++i) {
        const auto at =
            std::find_if(moved_.begin(), moved_.end(), [&](const auto& m) { return m.first.id == a.counts[i]; });
        if (at == moved_.end()) throw std::invalid_argument("a subtree is not one of this tree");
        records_.make_subtree(at->second, Tree(std::move(a.grown[i].parts), budget).parts());
        moved_.erase(at);
    }
}

Tree Driver::finish(Budget& budget) && {
    if (!done_ || !moved_.empty()) throw std::invalid_argument("parts of the tree are missing");
    TreeParts parts = std::move(records_).in_preorder();
    restore_means(parts, store_.target(), plan_.target_offset);
    if (!parts.term_counts.empty()) {
        if (moments().centered) parts.centers = moments().centers;
        parts.spreads = moments().spreads;
    }
    return Tree(std::move(parts), budget);
}

}  // namespace bough
