#include "distributed/counts.hpp"

#include "base/rng.hpp"
#include "base/threshold.hpp"

namespace bough {

CountStore::CountStore(Layout layout, const Plan& plan, std::span<const double> weights)
    : layout_(std::move(layout)), plan_(plan), shown_(weights.begin(), weights.end()) {
    const Registry& registry = Registry::get();
    for (u32 c = 0; c < layout_.n_table(); ++c) {
        Column column{layout_.numeric(c) ? ColumnKind::numeric : ColumnKind::nominal};
        column.n_values = layout_.n_values[c];
        table_.columns.push_back(column);
    }
    numeric_ = table_.of(ColumnKind::numeric);
    target_.n_classes = layout_.regression ? 0 : layout_.n_classes;
    if (!shown_.empty()) shown_.push_back(shown_[0]);
    target_.weights = shown_;
    target_.leaf = layout_.leaf();
    scorer_ = Registry::find(registry.criteria, plan.criterion).make(target_);
    if (scorer_->traits().regression != layout_.regression)
        throw std::invalid_argument("a criterion of another target");
    const auto cut = plan.split.params.find("cut");
    below_ = cut != plan.split.params.end() && cut->second == 2;
    if (!numeric_.empty() && (by_moments_ = Registry::by_moments(plan.split.name)) != nullptr) {
        params_.emplace(Registry::find(registry.splits, plan.split.name).info, plan.split.params);
        problem_.standardize = plan.standardize;
        if (layout_.n_directions == 0) throw std::invalid_argument("the layout has no directions");
    }
    if (plan.ties_by_seed) tie_places_ = tie_places(layout_.n_table(), plan.seed);
    problem_.table = &table_;
    problem_.target = &target_;
    problem_.scorer = scorer_.get();
    problem_.limits = plan.limits;
    problem_.seed = plan.seed;
    problem_.tie_places = tie_places_;
    problem_.functions = plan.functions;
    problem_.team = &team_;
    problem_.budget = &silent_;
}

void CountStore::begin(const LeafLimits& limits, const SplitAcceptance& acceptance) {
    const Registry& registry = Registry::get();
    problem_.limits = limits;
    acceptance_ = &acceptance;
    const auto& selector = Registry::find(registry.selectors, plan_.selector.name);
    selector_ = selector.make(problem_, Params(selector.info, plan_.selector.params));
    problem_.every_column =
        selector_->passive() && (plan_.stop.max_features == 0 || plan_.stop.max_features >= table_.n_columns());
    if (table_.of(ColumnKind::nominal).empty()) return;
    const auto& nominal = Registry::find(registry.nominal, plan_.nominal.name);
    nominal_ = nominal.make(problem_, Params(nominal.info, plan_.nominal.params));
    nominal_->index = 1;  // the cuts of numbers are family 0
}

// ---- what is known of a node

void CountStore::take_counts(Handle& at, std::shared_ptr<const CellCounts> counts) const {
    const std::size_t k = layout_.n_classes;
    at.counts = std::move(counts);
    at.parent = nullptr;
    at.rest = false;
    for (u32 column = 0; column < n_columns(); ++column)
        for (std::size_t c = 0; c < k && (has_cuts(at, column) || !layout_.numeric(column)); ++c) {
            double sum = 0;
            for (u64 cell = layout_.begin[column]; cell < layout_.begin[column + 1]; ++cell)
                sum += at.counts->rows[cell * k + c];
            if (sum != at.node.counts[c])
                throw std::runtime_error("the counts of a node do not add up to its rows: rows were lost or changed");
        }
}

void CountStore::take_number(Handle& at, const FoundNumber& found, const double* sums) const {
    const std::size_t k = layout_.n_classes;
    NumbersInside& to = at.numbers[found.column];
    const Line* line = line_of(at, found.column);
    bool same = !to.x.empty() && to.x.back() == found.number;
    if (line && !to.x.empty()) {  // one position, unless an edge is between: then they have been counted apart
        const auto& e = line->along.edges;
        auto bin = [&](double x) { return std::lower_bound(e.begin(), e.end(), x); };
        same = found.number - to.last.back() <= line->blur && bin(found.number) == bin(to.last.back());
        if (same) to.last.back() = found.number;
    }
    if (!same) {
        to.x.push_back(found.number);
        to.last.push_back(found.number);
        to.rows.resize(to.rows.size() + k, 0);
        to.weights.resize(to.weights.size() + k, 0.0);
        to.sums.push_back(0.0);
    }
    const std::size_t place = (to.x.size() - 1) * k + found.cls;
    to.rows[place] += found.rows;
    to.weights[place] += weighted() ? sums[layout_.regression ? 1 : 0] : found.rows;
    if (layout_.regression) to.sums[place] += sums[0];
}

void CountStore::add_cell(const Handle& at, u64 cell, Part& to) const {
    for (u32 c : at.node.present) {
        const std::size_t i = cell * layout_.n_classes + c;
        to.add(c, at.counts->rows[i], weight_of(at, i));
        to.sum += sum_of(at, i);
    }
}

// The least or the greatest number of a bin at a node.
double CountStore::end_of(const Handle& at, u32 column, u32 bin, bool greatest) const {
    if (line_of(at, column)) {
        const double* ends =
            at.counts->ends.data() + 2 * (std::size_t{column - layout_.n_table()} * layout_.n_bins(column) + bin);
        return greatest ? ends[1] : -ends[0];
    }
    const auto& edges = layout_.edges[column];
    if (layout_.single(column, bin)) return edges[bin];
    const auto& x = at.numbers[column].x;
    const auto first = bin == 0 ? x.begin() : std::upper_bound(x.begin(), x.end(), edges[bin - 1]);
    const auto last = bin == edges.size() ? x.end() : std::upper_bound(x.begin(), x.end(), edges[bin]);
    if (first == last) throw std::runtime_error("numbers of a bin are not there: rows were lost or changed");
    return greatest ? *(last - 1) : *first;
}

// The tables of the nominal columns at a node.
std::vector<Contingency> CountStore::tables_of(const Handle& at) const {
    std::vector<Contingency> tables(n_columns());
    for (u32 column = 0; column < n_columns(); ++column) {
        if (layout_.numeric(column)) continue;
        Contingency& t = tables[column];
        t.classes = at.node.present;
        t.n_classes = static_cast<u32>(t.classes.size());
        for (u32 v = 0; v < layout_.n_values[column]; ++v) {
            const u64 cell = layout_.begin[column] + v;
            const u32 rows = rows_in(at, cell);
            if (rows == 0) continue;
            t.codes.push_back(v);
            t.rows.push_back(rows);
            for (u32 c : t.classes) t.w.push_back(weight_of(at, cell * layout_.n_classes + c));
            if (layout_.regression) t.z.push_back(sum_of(at, cell));
        }
        t.n_values = static_cast<u32>(t.codes.size());
        t.finish(weighted());
        t.origin = at.node.mean;
    }
    return tables;
}

// ---- the split

Split CountStore::split_of(const Handle& at, const Candidate& c) const {
    if (c.family != 0) return *c.payload.split;
    const u32 column = c.payload.a == kNone ? c.key.column : layout_.column_of(c.payload.a);
    const Line* line = line_of(at, column);
    const bool linear = line && line->along.columns.size() > 1;
    Split s;
    s.kind = linear ? NodeKind::linear : NodeKind::axis;
    s.column = linear ? 0 : line ? line->first : column;
    s.saw_missing = rows_in(at, layout_.missing(column)) > 0;
    if (c.payload.a == kNone) {
        s.cut = kInf;
        return s;
    }
    s.missing_left = (c.key.place & 1) == 0;
    double low, high;
    if (c.payload.b > 0) {
        low = at.numbers[column].last[c.payload.b - 1];
        high = at.numbers[column].x[c.payload.b];
    } else {
        const u32 bin = static_cast<u32>(c.payload.a - layout_.begin[column]);
        low = end_of(at, column, bin, true);
        high = end_of(at, column, next_bin(at, column, bin), false);
    }
    s.cut = cut_between(low, high, below_);
    if (linear) {
        s.term_columns = line->along.columns;
        s.term_weights = line->along.weights;
    }
    return s;
}

void CountStore::resolve(Handle& at, Decision& d) {
    const Candidate& c = d.candidate;
    d.split = split_of(at, c);
    std::vector<Part> parts(d.split.n_children(), Part(layout_.n_classes));
    if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear) {
        const bool by_missing = c.payload.a == kNone;
        const u32 column = by_missing ? d.split.column : layout_.column_of(c.payload.a);
        Part& known = parts[by_missing ? 1 : 0];
        if (!by_missing) known = left_of(at, column, c.payload);
        if (by_missing || (d.split.saw_missing && d.split.missing_left)) add_cell(at, layout_.missing(column), known);
        Part& rest = parts[by_missing ? 0 : 1] = rest_of(at, known);
        for (u32 k : at.node.present)
            if (rest.rows[k] == 0) rest.weights[k] = 0;
    } else {
        for (std::size_t v = 0; v < d.split.values.size(); ++v) {
            const std::size_t to = d.split.kind == NodeKind::multiway ? v : (d.split.goes_left[v] ? 0 : 1);
            add_cell(at, layout_.begin[d.split.column] + d.split.values[v], parts[to]);
        }
    }
    d.children.assign(parts.size(), Node{});
    for (u32 i = 0; i < parts.size(); ++i) {
        Node& child = d.children[i];
        child.depth = at.node.depth + 1;
        child.path = child_path(at.node.path, i);
        child.n_rows = parts[i].n;
        child.counts = std::move(parts[i].rows);
        child.weights = std::move(parts[i].weights);
        for (double w : child.weights) child.total += w;
        list_present(child, target_);
    }
}

bool CountStore::accepts(const Node& node, Decision& d) const {
    if ((d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear) && !d.split.saw_missing)
        d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
    return acceptance_->accepts(node, d.children, 0, d.improvement);
}

void CountStore::divide(Handle& at, Decision& d, std::vector<Handle>& children) const {
    const bool shares = d.children.size() == 2 && fields() == 0 && !by_moments_;  // sums would be rounded
    children.clear();
    children.resize(d.children.size());
    for (u32 c = 0; c < children.size(); ++c) {
        children[c].node = std::move(d.children[c]);
        children[c].open = d.open[c] != 0;
        children[c].id = d.first + c;
        if (shares) children[c].parent = at.counts;
    }
}

}  // namespace bough
