// What becomes of the nodes: they are open, moved or leaves; splits are found and made.
#include "distributed/driver.hpp"

namespace bough {

// Begins with the root, whose rows are known now.
void Driver::plant(Node root) {
    weight_ = root.total;
    n_rows_ = root.n_rows;
    if (start_.forest) problem_.limits.min_weight *= weight_ / start_.weight;
    plan_.limits = problem_.limits;
    const Registry& registry = Registry::get();
    const auto& selector = Registry::find(registry.selectors, plan_.selector.name);
    selector_ = selector.make(problem_, Params(selector.info, plan_.selector.params));
    problem_.every_column =
        selector_->passive() && (plan_.stop.max_features == 0 || plan_.stop.max_features >= table_.n_columns());
    if (!table_.of(ColumnKind::nominal).empty()) {
        const auto& nominal = Registry::find(registry.nominal, plan_.nominal.name);
        nominal_ = nominal.make(problem_, Params(nominal.info, plan_.nominal.params));
        nominal_->index = 1;  // the cuts of numbers are family 0
    }
    acceptance_ = SplitAcceptance(target_, *scorer_, plan_, weight_);
    Making m;
    m.firsts.push_back(0);
    m.broods.emplace_back();
    m.parents.push_back(nullptr);
    add(std::move(root), 0, record_of_[0], m.broods[0]);
    ask(m);
}

// Puts a node among those that are left alone, moved or open; `places` gets its place in open_, or kNone.
void Driver::add(Node node, u32 id, u32 record, std::vector<u32>& places) {
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
bool Driver::moves(const Node& node) const {
    if (node.n_rows > few_) return false;
    const u32 levels = std::min(20u, plan_.stop.max_depth - std::min(node.depth, plan_.stop.max_depth));
    const double of_node = static_cast<double>(layout_.size()) * (sizeof(u32) + fields() * sizeof(double));
    const double to_count = static_cast<double>(u64{1} << levels) * of_node;
    return static_cast<double>(node.n_rows) * layout_.n_columns() * sizeof(double) <= to_count;
}

// Of two children the smaller is counted, and the other has the rest; sums of numbers would be rounded by that.
void Driver::ask(const Making& m) {
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

std::optional<Driver::Decided> Driver::decide(Open& open) {
    Best best = best_for(open);
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

void Driver::make(Decided& d, Making& to) {
    records_.tested(d.open.record, d.open.log_p);
    const double gain = recorded_gain(*scorer_, d.open.node, d.children, d.gain);
    const u32 first = records_.make_inner(d.open.record, std::move(d.split), gain, d.open.node, {}, target_);
    for (u32 c = 0; c < d.children.size(); ++c) record_of_[d.first + c] = first + c;
    to.firsts.push_back(d.first);
    to.broods.emplace_back();
    to.parents.push_back(d.open.counts);
    for (u32 c = 0; c < d.children.size(); ++c) add(std::move(d.children[c]), d.first + c, first + c, to.broods.back());
}

// Splits of the heap, until one leaves children that have to be decided first.
void Driver::make_best(Making& to) {
    while (!best_first_.empty() && open_.empty()) {
        const auto d = best_first_.pop();
        if (best_first_.take(static_cast<u32>(d->children.size()) - 1))
            make(*d, to);
        else
            make_leaf(d->open);
    }
}

// Makes splits whose children are measured.
void Driver::conclude() {
    Making to;
    for (Decided& d : std::exchange(pending_, {})) {
        if ((d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear) && !d.split.saw_missing)
            d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
        if (!acceptance_.accepts(d.open.node, d.children, 0, d.improvement)) {
            make_leaf(d.open);
        } else if (plan_.stop.max_leaf_nodes == 0) {
            make(d, to);
        } else {
            const double improvement = d.improvement;
            best_first_.push(std::make_unique<Decided>(std::move(d)), improvement);
        }
    }
    make_best(to);
    ask(to);
}

}  // namespace bough
