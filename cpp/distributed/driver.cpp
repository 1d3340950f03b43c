#include "distributed/driver.hpp"

#include "base/rng.hpp"
#include "distributed/eligible.hpp"

namespace bough {

Driver::Driver(Layout layout, const Plan& plan, DriverStart start)
    : layout_(std::move(layout)),
      plan_(plan),
      start_(std::move(start)),
      few_(start_.few),
      best_first_(plan.stop.max_leaf_nodes) {
    const Registry& registry = Registry::get();
    for (u32 c = 0; c < layout_.n_table(); ++c) {
        Column column{layout_.numeric(c) ? ColumnKind::numeric : ColumnKind::nominal};
        column.n_values = layout_.n_values[c];
        table_.columns.push_back(column);
    }
    numeric_ = table_.of(ColumnKind::numeric);
    target_.n_classes = layout_.regression ? 0 : layout_.n_classes;
    shown_ = start_.some;
    if (weighted()) shown_.push_back(shown_[0]);
    target_.weights = shown_;
    Circumstances circumstances;
    circumstances.numbers = !numeric_.empty();
    circumstances.regression = layout_.regression;
    circumstances.forest = start_.forest;
    circumstances.some = start_.some;
    if (const std::string why = why_in_one_place(plan_, circumstances); !why.empty())
        throw std::invalid_argument(why + " needs the rows of every node in one place");
    target_.leaf = layout_.leaf();
    scorer_ = Registry::find(registry.criteria, plan_.criterion).make(target_);
    if (scorer_->traits().regression != layout_.regression)
        throw std::invalid_argument("a criterion of another target");
    const auto cut = plan_.split.params.find("cut");
    below_ = cut != plan_.split.params.end() && cut->second == 2;
    if (!numeric_.empty() && (by_moments_ = find_by_moments(plan_.split.name)) != nullptr) {
        params_.emplace(Registry::find(registry.splits, plan_.split.name).info, plan_.split.params);
        problem_.standardize = plan_.standardize;
        if (layout_.n_directions == 0) throw std::invalid_argument("the layout has no directions");
        stage_ = Ask::moments;
    }
    if (plan_.stop.max_leaf_nodes > 0) few_ = 0;  // which of two nodes is the better one is known where both are
    silent_.emplace();
    team_.emplace(1, *silent_);
    worker_.emplace(&*team_, 0);
    problem_.table = &table_;
    problem_.target = &target_;
    problem_.scorer = scorer_.get();
    problem_.limits = plan_.limits;
    problem_.seed = plan_.seed;
    if (plan_.ties_by_seed) tie_places_ = tie_places(layout_.n_table(), plan_.seed);
    problem_.tie_places = tie_places_;
    problem_.functions = plan_.functions;
    problem_.team = &*team_;
    problem_.budget = &*silent_;
    rounds_ = layout_.regression || are_rounded();
    record_of_.push_back(records_.add());
    pending_.emplace_back();
    pending_[0].children.emplace_back();
    pending_[0].children[0].path = kRootPath;
}

// Are sums of weights rounded? They are exact where all weights are multiples of a number that they are not too large
// for; see DriverStart::some.
bool Driver::are_rounded() const {
    if (start_.some.size() < 3) return start_.weight > 0x1p53;
    const double parts = start_.some[2] * kParts;
    return parts != std::floor(parts) || start_.weight * kParts * kParts > 0x1p53;
}

std::optional<Request> Driver::next() {
    Request r;
    if (problem_.moments.centered) r.centers = problem_.moments.centers;
    if (!splits_.empty()) {
        r.splits = std::exchange(splits_, {});
        return r;
    }
    if (done_) return {};
    r.ask = stage_;
    if (stage_ == Ask::moments) {
        for (const auto& edges : layout_.edges) r.centers.push_back(edges.empty() ? 0.0 : edges[edges.size() / 2]);
        r.centers.resize(layout_.n_table());
    } else if (stage_ >= Ask::measure && stage_ <= Ask::spread) {
        if (stage_ != Ask::measure) r.ends = ends_;
        for (const Decided& d : pending_)
            for (std::size_t c = 0; c < d.children.size(); ++c) {
                r.nodes.push_back(d.first + static_cast<u32>(c));
                if (stage_ == Ask::spread) r.means.push_back(d.children[c].mean);
            }
    } else {
        r.nodes = asked_;
        r.means.assign(asked_.size(), 0.0);
        for (std::size_t i = 0; i < asked_.size() && layout_.regression; ++i)  // every node is counted itself
            r.means[i] = open_[direct_[i]].node.mean;
        if (stage_ == Ask::sums || stage_ == Ask::products) {
            r.centers = problem_.moments.centers;
            r.steps = steps();
        }
        for (std::size_t i = 0; i < asked_.size() && stage_ == Ask::products; ++i) {
            const auto& mean = open_[direct_[i]].moments.mean;
            r.points.insert(r.points.end(), mean.begin(), mean.end());
        }
        if (directed() && (stage_ == Ask::count || stage_ == Ask::find)) {
            r.aim = level_;
            for (u32 at : direct_) {
                r.directions.emplace_back();
                for (const Line& line : open_[at].lines) r.directions.back().push_back(line.along);
            }
        }
        if (stage_ == Ask::find)
            r.bins.assign(wanted_.begin() + static_cast<std::ptrdiff_t>(looked_),
                          wanted_.begin() + static_cast<std::ptrdiff_t>(until_));
    }
    return r;
}

std::vector<Request> Driver::batches() {
    std::vector<MovedNode> nodes = moved_;
    std::sort(nodes.begin(), nodes.end(), [](const MovedNode& a, const MovedNode& b) {
        return a.n_rows != b.n_rows ? a.n_rows > b.n_rows : a.id < b.id;
    });
    std::vector<Request> found;
    u64 rows = 0;
    for (const MovedNode& node : nodes) {
        if (found.empty() || rows + node.n_rows > start_.few) {
            Request r;
            r.ask = Ask::rows;
            r.weight = weight_;
            r.min_weight = plan_.limits.min_weight;
            r.moments = problem_.moments;
            found.push_back(std::move(r));
            rows = 0;
        }
        found.back().moved.push_back(node);
        rows += node.n_rows;
    }
    return found;
}

u64 Driver::rows_moved() const {
    u64 rows = 0;
    for (const MovedNode& n : moved_) rows += n.n_rows;
    return rows;
}

u64 Driver::rows_left() const {
    u64 rows = rows_moved();
    for (const Open& o : open_) rows += o.node.n_rows;
    best_first_.each([&](const Decided& d) { rows += d.open.node.n_rows; });
    for (const Decided& d : pending_) rows += d.open.node.n_rows;
    return rows;
}

}  // namespace bough
