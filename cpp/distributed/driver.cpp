#include "distributed/driver.hpp"

#include "base/rng.hpp"
#include "distributed/eligible.hpp"

namespace bough {

namespace {

constexpr u32 kSome = 4096;  // rows of a node that tell where bins of its directions are put

}  // namespace

Driver::Driver(Layout layout, const Plan& plan, DriverStart start)
    : plan_(plan),
      start_(std::move(start)),
      store_(std::move(layout), plan_, start_.some),
      rounds_(store_.layout().regression || are_rounded()),
      records_(store_.table(), store_.target(), plan_.missing),
      few_(plan.stop.max_leaf_nodes > 0 ? 0 : start_.few),  // of two nodes the better one is known where both are
      frontier_(plan.stop.max_leaf_nodes) {
    Circumstances circumstances;
    circumstances.numbers = !store_.table().of(ColumnKind::numeric).empty();
    circumstances.regression = store_.layout().regression;
    circumstances.forest = start_.forest;
    circumstances.some = start_.some;
    if (const std::string why = why_in_one_place(plan_, circumstances); !why.empty())
        throw std::invalid_argument(why + " needs the rows of every node in one place");
    if (store_.directions()) stage_ = Ask::moments;
    root_.path = kRootPath;
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
    const Moments& moments = store_.problem().moments;
    if (moments.centered) r.centers = moments.centers;
    if (!splits_.empty()) {
        r.splits = std::exchange(splits_, {});
        return r;
    }
    if (done_) return {};
    r.ask = stage_;
    if (stage_ == Ask::moments) {
        for (const auto& edges : store_.layout().edges)
            r.centers.push_back(edges.empty() ? 0.0 : edges[edges.size() / 2]);
        r.centers.resize(store_.layout().n_table());
        return r;
    }
    if (stage_ <= Ask::spread) {
        if (stage_ != Ask::measure) r.ends = ends_;
        each_unmeasured([&](const Node& node, u32 number) {
            r.nodes.push_back(number);
            if (stage_ == Ask::spread) r.means.push_back(node.mean);
        });
        return r;
    }
    const bool sums = stage_ == Ask::sums || stage_ == Ask::products;
    if (sums) r.centers = moments.centers;
    if (store_.directions() && !sums) r.aim = level_number_;
    for (std::size_t i : asked_) {
        const CountStore::Handle& at = level_[i].at();
        r.nodes.push_back(at.id);
        r.means.push_back(store_.layout().regression ? at.node.mean : 0.0);
        if (sums) r.steps.push_back(std::max(1u, at.node.n_rows / kSome));
        if (stage_ == Ask::products) r.points.insert(r.points.end(), at.moments.mean.begin(), at.moments.mean.end());
        if (r.aim == 0) continue;
        r.directions.emplace_back();
        for (const Line& line : at.lines) r.directions.back().push_back(line.along);
    }
    if (stage_ == Ask::find)
        r.bins.assign(wanted_.begin() + static_cast<std::ptrdiff_t>(looked_),
                      wanted_.begin() + static_cast<std::ptrdiff_t>(until_));
    return r;
}

std::vector<Request> Driver::batches() {
    std::sort(moved_.begin(), moved_.end(), [](const auto& a, const auto& b) {
        return a.first.n_rows != b.first.n_rows ? a.first.n_rows > b.first.n_rows : a.first.id < b.first.id;
    });
    std::vector<Request> found;
    u64 rows = 0;
    for (const auto& [node, record] : moved_) {
        if (found.empty() || rows + node.n_rows > start_.few) {
            Request& r = found.emplace_back();
            r.ask = Ask::rows;
            r.weight = weight_;
            r.min_weight = store_.problem().limits.min_weight;
            r.moments = moments();
            rows = 0;
        }
        found.back().moved.push_back(node);
        rows += node.n_rows;
    }
    return found;
}

u64 Driver::rows_moved() const {
    u64 rows = 0;
    for (const auto& moved : moved_) rows += moved.first.n_rows;
    return rows;
}

u64 Driver::rows_left() const {
    u64 rows = rows_moved();
    for (const Waiting& w : level_) rows += w.at().node.n_rows;
    frontier_.each([&](const Growth::Found& f) { rows += f.open.at.node.n_rows; });
    for (const auto& f : pending_) rows += f->open.at.node.n_rows;
    return rows;
}

}  // namespace bough
