// What the driver makes of answers.
#include "data/column_sums.hpp"
#include "distributed/driver.hpp"

namespace bough {

void Driver::take(Answer&& a, Budget& budget) {
    if (a.ask == Ask::rows) return graft(std::move(a), budget);
    if (a.ask != stage_ || done_) throw std::invalid_argument("an answer to what was not asked");
    std::size_t nodes = asked_.size();
    if (stage_ >= Ask::measure && stage_ <= Ask::spread) nodes = 0, each_unmeasured([&](Node&) { ++nodes; });
    AnswerSize size = layout_.size_of(stage_, weighted());
    if (stage_ == Ask::moments) nodes = 1, size = {0, 3 * u64{layout_.n_table()} + 1, 0, layout_.n_table()};
    if (!a.fits(nodes, size)) throw std::invalid_argument("an answer of another size");
    switch (stage_) {
        case Ask::moments:
            return take_moments(a);
        case Ask::measure:
            return measured(a);
        case Ask::total:
            return totalled(a);
        case Ask::spread:
            return spread(a);
        case Ask::sums:
            summed(a);
            if (by_moments_->scatter) {
                stage_ = Ask::products;
                return;
            }
            [[fallthrough]];
        case Ask::products:
            scattered(a.sums, budget);
            stage_ = Ask::count;
            return;
        case Ask::count:
            counted(std::move(a));
            list_wanted(budget);
            return look_into(budget);
        default:
            found(a.found, budget);
            looked_ = until_;
            return look_into(budget);
    }
}

void Driver::take_moments(const Answer& a) {
    ColumnSums s(next()->centers);
    const double* from = a.sums.data();
    for (auto* v : {&s.weight, &s.sum, &s.squares}) std::copy_n(from, v->size(), v->begin()), from += v->size();
    s.total = *from;
    s.most = a.ends;
    problem_.moments = s.moments();
    stage_ = Ask::measure;
}

// Rows and weights of nodes by class, or the ends of their numbers to be predicted.
void Driver::measured(const Answer& a) {
    const std::size_t k = layout_.n_classes;
    const u32* rows = a.counts.data();
    const double *weights = a.sums.data(), *e = a.ends.data();
    ends_.clear();
    each_unmeasured([&](Node& child) {
        std::vector<double> counts(rows, rows + k);
        if (weight_ > 0 && counts != child.counts)
            throw std::runtime_error("a node has other rows than were counted: rows were lost or changed");
        child.counts = std::move(counts);
        rows += k;
        if (layout_.regression) {
            ends_.push_back({-e[0], e[1], -e[2], std::max(0.0, e[3])});
            e += 4;
        } else {
            child.weights.assign(weights, weights + k);
            weights += k;
            child.total = 0;
            for (double w : child.weights) child.total += w;
        }
    });
    if (!layout_.regression) return go_on();
    stage_ = Ask::total;
}

void Driver::totalled(const Answer& a) {
    std::size_t at = 0;
    each_unmeasured([&](Node& child) {
        const ExactSum sums{a.exact[2 * at], a.exact[2 * at + 1]};
        const NumberEnds& ends = ends_[at++];
        if (child.counts[0] > 0) child.take(NumberMeasure(ends, weighted(), sums));
        child.total = child.counts[0] > 0 ? child.weight_of(child.sums) : 0.0;
        child.weights.assign(1, child.total);
    });
    stage_ = Ask::spread;
}

void Driver::spread(const Answer& a) {
    std::size_t at = 0, place = 0;
    each_unmeasured([&](Node& child) {
        const NumberEnds& ends = ends_[at++];
        const i128* sums = a.exact.data() + place;
        place += target_.leaf.squares() ? 1 : 2;
        if (child.pure || !(child.counts[0] > 0)) return;
        child.spread = child.loss = LossImage(ends, child.mean, weighted()).sum(sums[0]);
        if (!target_.leaf.squares()) child.loss = LossImage(ends, child.mean, weighted(), target_.leaf).sum(sums[1]);
    });
    go_on();
}

// Makes what waited for nodes to be measured.
void Driver::go_on() {
    each_unmeasured([&](Node& child) { list_present(child, target_); });
    if (weight_ > 0) {
        conclude();
    } else {
        Node root = std::move(pending_[0].children[0]);
        pending_.clear();
        double n = 0;
        for (double x : root.counts) n += x;
        if (!(n >= 1) || n >= kNone) throw std::invalid_argument("a tree grows from 1 to 2^32 − 2 rows");
        root.n_rows = static_cast<u32>(n);
        plant(std::move(root));
    }
    begin_level();
}

void Driver::begin_level() {
    ++level_;
    done_ = open_.empty();
    stage_ = directed() ? Ask::sums : Ask::count;
}

void Driver::counted(Answer&& a) {
    const std::size_t size = layout_.size(), more = layout_.n_sums(weighted()), n_ends = layout_.n_ends();
    std::size_t rest = 0;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        auto own = std::make_shared<Counts>();
        auto part = [i](auto& from, std::size_t n, auto& to) {
            to.assign(from.begin() + static_cast<std::ptrdiff_t>(i * n),
                      from.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
        };
        part(a.counts, size, own->rows);
        part(a.sums, more, own->sums);
        part(a.ends, n_ends, own->ends);
        if (direct_[i] != kNone) {
            open_[direct_[i]].counts = own;
            continue;
        }
        const Rest& r = rests_[rest++];
        auto other = std::make_shared<Counts>();
        other->rows = r.parent->rows;
        for (std::size_t j = 0; j < size; ++j) other->rows[j] -= own->rows[j];
        open_[r.rest].counts = other;
        open_[r.counted].counts = own;
    }
    for (const Open& open : open_) check(open);
}

void Driver::check(const Open& open) const {
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

// The bins that could hold a better cut than those that are known.
void Driver::list_wanted(Budget& budget) {
    std::vector<WantedBin>& to = wanted_;
    to.clear();
    looked_ = 0;
    for (Open& open : open_) {
        budget.poll();
        open.looked.assign(layout_.n_columns(), {});
        open.numbers.assign(layout_.n_columns(), {});
        Best best = best_for(open);
        search(open, false, best);
        open.unsure |=
            open.node.n_rows == 2 && !directed();  // the first column that parts them wins, whatever the gains
        if (problem_.every_column && !open.unsure) open.known = best;
        const std::size_t before = to.size();
        want(open, best, to);
        for (std::size_t i = before; i < to.size(); ++i)
            if (to[i].all) open.looked[to[i].column].push_back(to[i].bin);
    }
    n_looked_ += to.size();
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

// What was found in them, of some nodes all: these are decided, and need their numbers no more.
void Driver::found(const FoundNumbers& f, Budget& budget) {
    const std::size_t k = layout_.n_classes, n = f.node.size();
    if (f.column.size() != n || f.cls.size() != n || f.rows.size() != n || f.number.size() != n ||
        (weighted() && f.weight.size() != n) || (layout_.regression && f.sum.size() != n))
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
            if (weighted()) to.weights.resize(to.weights.size() + k, 0.0);
            if (layout_.regression) to.sums.push_back(0.0);
        }
        const std::size_t at = (to.x.size() - 1) * k + f.cls[i];
        to.rows[at] += f.rows[i];
        if (weighted()) to.weights[at] += f.weight[i];
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

// Finds the splits of all open nodes, and makes them as soon as the children are measured, or, where a tree grows best
// first, the best of those that are known; children are open then, or left alone, or moved.
void Driver::settle(Budget& budget) {
    std::vector<Open> all = std::exchange(open_, {});
    std::map<u32, std::optional<Decided>> early = std::exchange(early_, {});
    for (u32 i = 0; i < all.size(); ++i) {
        budget.poll();
        const auto known = early.find(i);
        std::optional<Decided> d = known == early.end() ? decide(all[i]) : std::move(known->second);
        if (!d) {
            make_leaf(all[i]);
            continue;
        }
        splits_.push_back({d->open.id, d->first, d->split});
        pending_.push_back(std::move(*d));
    }
    // Children are numbered as their splits were decided.
    std::sort(splits_.begin(), splits_.end(), [](auto& a, auto& b) { return a.first < b.first; });
    if (rounds_ && !pending_.empty()) {
        stage_ = Ask::measure;
        return;
    }
    conclude();
    begin_level();
}

// Puts subtrees in the place of moved nodes.
void Driver::graft(Answer&& a, Budget& budget) {
    if (a.grown.size() != a.counts.size()) throw std::invalid_argument("there is not a subtree for each node");
    for (std::size_t i = 0; i < a.grown.size(); ++i) {
        const auto at =
            std::find_if(moved_.begin(), moved_.end(), [&](const MovedNode& n) { return n.id == a.counts[i]; });
        const TreeParts& parts = a.grown[i].parts;
        if (at == moved_.end() || parts.n_values != layout_.n_values || parts.n_classes != target_.n_classes)
            throw std::invalid_argument("a subtree is not one of this tree");
        records_.make_subtree(record_of_[at->id], Tree(std::move(a.grown[i].parts), budget).parts());
        moved_.erase(at);
    }
}

Tree Driver::finish(Budget& budget) && {
    if (!done_ || !moved_.empty()) throw std::invalid_argument("parts of the tree are missing");
    TreeParts parts = std::move(records_).in_preorder(table_, target_, plan_.missing);
    restore_means(parts, target_, plan_.target_offset);
    if (!parts.term_counts.empty()) {
        if (problem_.moments.centered) parts.centers = problem_.moments.centers;
        parts.spreads = problem_.moments.spreads;
    }
    return Tree(std::move(parts), budget);
}

}  // namespace bough
