#include "refine/alternation.hpp"

#include <algorithm>

#include "base/dot.hpp"
#include "grow/engine.hpp"
#include "grow/refiner.hpp"

namespace bough {

namespace {
constexpr u32 kSmallTree = 64;  // nodes
}

Alternation::Alternation(const Refining& how, const Moments& moments, const AlternationSettings& settings, Team& team)
    : how_(how),
      settings_(settings),
      team_(team),
      moments_(moments),
      losses_(how.data.target, how.data.table.n_rows),
      columns_(ordered_columns(how.data.table, team, how.budget)),
      cuts_(how.data.table, columns_, settings.min_value_rows),
      linear_(how.data.table, columns_, moments, settings.terms, settings.min_value_rows, how.budget),
      shape_(how.data.table, moments) {}

void Alternation::run(double price) {
    price_ = price * losses_.unit();
    refit();
    if (settings_.levels) {
        for (u32 depth = 1; depth <= how_.plan.stop.max_depth && grow(1); ++depth) {
            begin("smooth, depth " + std::to_string(depth));
            passes(false);
        }
    } else {
        grow(how_.plan.stop.max_depth);
        begin("smooth");
        passes(false);
    }
    if (!losses_.regression()) {
        losses_.use_sharp(true);
        for (u32 i = 0; i < shape_.size(); ++i) {
            Branch& b = shape_[i];
            b.searched_at = 0;
            const auto& shares = b.value.shares;  // a leaf that no row comes to
            b.value.label = static_cast<u32>(std::max_element(shares.begin(), shares.end()) - shares.begin());
        }
    }
    finish(price, losses_.regression() ? "smooth, pruned" : "sharp");
}

void Alternation::go_on(double price) {
    char name[60];
    std::snprintf(name, sizeof name, "%s, price %g", losses_.sharp() ? "sharp" : "smooth", price);
    for (u32 i = 0; i < shape_.size(); ++i) shape_[i].searched_at = 0;
    finish(price, name);
}

void Alternation::finish(double price, const std::string& stage) {
    price_ = price * losses_.unit();
    begin(stage);
    for (int round = 0; round < 2; ++round) {
        passes(true);
        collapse();
        note();
    }
}

// ---- growth ---------------------------------------------------------------------------------------------------

bool Alternation::grow(u32 levels) {
    std::vector<u32> leaves;
    for (u32 i = 0; i < shape_.size(); ++i)
        if (shape_[i].leaf() && !rows_[i].empty()) leaves.push_back(i);
    std::vector<std::vector<Split>> grown(leaves.size());
    auto grow_one = [&](std::size_t i, int threads) {
        grow_leaf(leaves[i], rows_[leaves[i]], levels, threads, grown[i]);
    };
    if (leaves.size() < 2)
        grow_one(0, how_.plan.threads);
    else
        team_.each(leaves.size(), [&](std::size_t i, int) { grow_one(i, 1); });
    bool any = false;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        any |= grown[i].size() > 1;
        shape_.grow(leaves[i], grown[i], ++clock_);
    }
    if (any) refit();
    return any;
}

// The splits that growth makes below a leaf, in preorder.
bool Alternation::grow_leaf(u32 leaf, std::span<const u32> rows, u32 levels, int threads,
                            std::vector<Split>& to) const {
    Plan plan = how_.plan;
    const u32 depth = shape_[leaf].depth;
    plan.stop.max_depth = levels < kNone - depth ? std::min(plan.stop.max_depth, depth + levels) : kNone;
    plan.threads = threads;
    Sample sample;
    sample.all_rows = rows.size() == how_.data.table.n_rows;
    sample.rows = rows;
    Data data = how_.data;
    data.target.exponent = data.target.number_exponent = 0;
    const SampledData sampled(data, sample, how_.budget);
    Start start;
    start.depth = depth;
    u64 path = kRootPath;
    std::vector<u8> way;
    for (u32 i = leaf; shape_[i].parent != kNone; i = shape_[i].parent)
        way.push_back(shape_[shape_[i].parent].left == i ? 0 : 1);
    while (!way.empty()) {
        path = child_path(path, way.back());
        way.pop_back();
    }
    start.path = path;
    start.moments = &moments_;
    const Engine engine = without_ranks(sampled.data(), {}, plan);
    const Tree tree(grow_nodes(sampled.data(), how_.full, plan, engine, how_.budget, {}, start), how_.budget);
    for (u32 i = 0; i < tree.n_nodes(); ++i)
        to.push_back(tree.kind(i) == NodeKind::leaf ? Split{} : shape_.full(tree.split(i)));
    return to.size() > 1;
}

void Alternation::begin(std::string stage) {
    how_.found.stages.push_back(std::move(stage));
    note();
}

// Another look at the leaves; returns what they cost.
double Alternation::refit() {
    shape_.reach(how_.budget, rows_);
    return shape_.refit(losses_, rows_, clock_);
}

// The objective as it is.
void Alternation::note() {
    how_.found.stage.push_back(static_cast<u32>(how_.found.stages.size() - 1));
    how_.found.objective.push_back(refit() + price_ * shape_.terms()[0]);
    how_.budget.done(how_.data.table.n_rows);
}

// ---- passes ---------------------------------------------------------------------------------------------------

// Until nothing changes, or until a pass saves less than a term costs.
void Alternation::passes(bool to_the_end) {
    for (u32 n = 0; n < settings_.passes && pass(); ++n) {
        const double before = how_.found.objective.back();
        note();
        if (!to_the_end && before - how_.found.objective.back() < price_) return;
    }
}

// Which nodes have another problem than when they were last searched: a split above them, or a split or a value below,
// has changed since.
std::vector<u8> Alternation::changed() const {
    const u32 n = shape_.size();
    std::vector<u64> above(n, 0), below(n, 0);
    for (u32 i = 1; i < n; ++i) above[i] = std::max(above[shape_[i].parent], shape_[shape_[i].parent].split_at);
    std::vector<u8> found(n, 0);
    for (u32 i = n; i-- > 0;) {
        const Branch& b = shape_[i];
        if (b.leaf()) {
            below[i] = b.value_at;
            continue;
        }
        below[i] = std::max(below[b.left], below[b.right]);
        found[i] = std::max(above[i], below[i]) >= b.searched_at;
        below[i] = std::max(below[i], b.split_at);
    }
    return found;
}

bool Alternation::pass() {
    u32 deepest = 0;
    for (u32 i = 0; i < shape_.size(); ++i) deepest = std::max(deepest, shape_[i].depth);
    bool any = false;
    for (u32 depth = deepest; depth-- > 0;) {
        const std::vector<u8> look = changed();
        std::vector<u32> nodes;
        for (u32 i = 0; i < shape_.size(); ++i)
            if (shape_[i].depth == depth && !shape_[i].leaf() && rows_[i].size() > 1 && look[i]) nodes.push_back(i);
        if (nodes.empty()) continue;
        const RowGains gains = gains_at(nodes);
        const std::vector<Offer> cuts = cuts_.best(gains, team_);
        const std::vector<double> terms = shape_.terms();
        std::vector<Offer> offers(nodes.size());
        std::vector<u8> better(nodes.size(), 0);
        if (nodes.size() < static_cast<std::size_t>(team_.size())) {
            for (u32 s = 0; s < nodes.size(); ++s)
                better[s] = update(nodes[s], gains, s, cuts[s], terms, team_, offers[s]);
        } else {
            team_.each(nodes.size(), [&](std::size_t s, int) {
                Team solo(1, how_.budget);
                better[s] = update(nodes[s], gains, static_cast<u32>(s), cuts[s], terms, solo, offers[s]);
            });
        }
        for (u32 s = 0; s < nodes.size(); ++s) {
            Branch& b = shape_[nodes[s]];
            if (better[s]) {
                if (offers[s].exchange) shape_.exchange(nodes[s]);
                if (offers[s].only < 2)
                    b.only = offers[s].only;
                else
                    shape_.set(nodes[s], std::move(offers[s].split), offers[s].terms);
                b.split_at = ++clock_;
                any = true;
            }
            b.searched_at = ++clock_;
        }
    }
    return any;
}

RowGains Alternation::gains_at(std::span<const u32> nodes) {
    RowGains m;
    const u32 n = how_.data.table.n_rows;
    m.nodes.assign(nodes.begin(), nodes.end());
    m.gain.assign(n, 0.0);
    m.lane.assign((nodes.size() + kDotLanes - 1) / kDotLanes, std::vector<u8>(n, kDotLanes));
    const double least = kObjective * losses_.unit();
    constexpr u32 kRows = 2048;
    struct Piece {
        u32 slot, begin, end;
    };
    std::vector<Piece> pieces;
    for (u32 s = 0; s < nodes.size(); ++s)
        for (u32 i = 0; i < rows_[nodes[s]].size(); i += kRows)
            pieces.push_back({s, i, std::min(i + kRows, static_cast<u32>(rows_[nodes[s]].size()))});
    const Target& target = how_.data.target;
    const u32 k = target.n_classes;
    std::vector<double> cost(std::size_t{shape_.size()} * k);  // of each leaf and class
    for (u32 i = 0; i < shape_.size() && !losses_.regression(); ++i)
        for (u32 c = 0; c < k && shape_[i].leaf(); ++c) cost[i * k + c] = losses_.of_class(c, shape_[i].value);
    // Of a small tree, the leaf that each row reaches from each node below these, from the leaves up.
    bool small = shape_.size() <= kSmallTree;
    for (u32 i = 0; i < shape_.size(); ++i) small &= shape_[i].leaf() || !shape_[i].known.empty();
    ends_.resize(small ? shape_.size() : 0);
    for (u32 i = static_cast<u32>(ends_.size()); i-- > 0;) {
        const Branch& b = shape_[i];
        if (b.depth <= shape_[nodes[0]].depth) continue;
        ends_[i].assign(n, static_cast<u8>(i));
        if (b.leaf()) continue;
        const u8 *left = ends_[b.left].data(), *right = ends_[b.right].data(), *known = b.known.data();
        u8* to = ends_[i].data();
        if (b.only < 2)
            std::copy_n(b.only == 0 ? left : right, n, to);
        else
            for (u32 row = 0; row < n; ++row)
                to[row] = static_cast<u8>((left[row] & -known[row]) | (right[row] & (known[row] - 1)));
    }
    auto leaf_of = [&](u32 i, u32 row) { return small ? ends_[i][row] : shape_.leaf_of(i, row); };
    team_.each(pieces.size(), [&](std::size_t p, int) {
        const Piece& piece = pieces[p];
        const Branch& b = shape_[nodes[piece.slot]];
        for (u32 i = piece.begin; i < piece.end; ++i) {
            const u32 row = rows_[nodes[piece.slot]][i];
            const u32 ends[2] = {leaf_of(b.left, row), leaf_of(b.right, row)};
            double loss[2];
            for (u32 side : {0u, 1u})
                loss[side] = k == 0 ? losses_.of(row, shape_[ends[side]].value)
                                    : losses_.weight(row) * cost[ends[side] * k + target.classes[row]];
            const double left = loss[0], right = loss[1];
            if (std::fabs(right - left) <= least) continue;
            m.gain[row] = right - left;
            m.lane[piece.slot / kDotLanes][row] = piece.slot % kDotLanes;
        }
    });
    for (u32 s = 0; s < nodes.size(); ++s) {
        m.pull.push_back(pull_of(nodes[s]));
        m.begin.push_back(static_cast<u32>(m.rows.size()));
        double total = 0, size = 0;
        for (u32 row : rows_[nodes[s]])
            if (m.gain[row] != 0) {
                m.rows.push_back(row);
                total += m.gain[row];
                size += std::fabs(m.gain[row]);
            }
        m.total.push_back(total);
        m.size.push_back(size);
    }
    m.begin.push_back(static_cast<u32>(m.rows.size()));
    return m;
}

// Predictions have to be in order on both sides of a split of a column that they rise or fall with.
Pull Alternation::pull_of(u32 node) const {
    if (how_.plan.monotonic.empty()) return {};
    double low[2] = {kInf, kInf}, high[2] = {-kInf, -kInf};
    for (u32 side : {0u, 1u}) {
        std::vector<u32> stack{side == 0 ? shape_[node].left : shape_[node].right};
        while (!stack.empty()) {
            const Branch& b = shape_[stack.back()];
            stack.pop_back();
            if (b.leaf()) {
                const double value = losses_.regression() ? b.value.mean : b.value.shares[how_.plan.ruled];
                low[side] = std::min(low[side], value);
                high[side] = std::max(high[side], value);
                continue;
            }
            if (b.only != 1) stack.push_back(b.left);
            if (b.only != 0) stack.push_back(b.right);
        }
    }
    return {how_.plan.monotonic, high[0] <= low[1], low[0] >= high[1]};
}

// Is there a better split of a node? What it is worth is the gain of the rows that go to the left, without the price
// of its terms, and with that of a subtree that no row comes to any more.
bool Alternation::update(u32 node, const RowGains& gains, u32 slot, const Offer& cut, std::span<const double> terms,
                         Team& team, Offer& to) const {
    const Branch& b = shape_[node];
    const double slack = gains.slack(slot) + kObjective * price_, left = price_ * terms[b.left],
                 right = price_ * terms[b.right];
    double worth = b.only == 0 ? gains.total[slot] + right : b.only == 1 ? left : -price_ * b.terms;
    if (b.only == 2)
        for (u32 row : gains.of(slot)) worth += shape_.goes_left(node, row) ? gains.gain[row] : 0.0;
    const double start = worth + slack;
    auto take = [&](double value, Offer offer) {
        if (value <= worth + slack) return;
        worth = value;
        to = std::move(offer);
    };
    Offer one_side;
    one_side.only = 0;
    take(gains.total[slot] + right, one_side);
    one_side.only = 1;
    take(left, one_side);
    if (cut.terms > 0 && cut.gain - price_ > worth + slack) {
        Offer placed = cuts_.placed(gains, slot, cut);
        take(placed.gain - price_, std::move(placed));
    }
    if (settings_.linear && gains.less(slot) > 0) {
        Offer linear = linear_.best(gains, slot, price_, worth, team);
        if (linear.terms > 0) take(linear.gain - price_ * linear.terms, std::move(linear));
    }
    return worth > start;
}

// ---- pruning --------------------------------------------------------------------------------------------------

void Alternation::make_leaf(u32 node, LeafValue value) {
    Branch& b = shape_[node];
    b.left = b.right = kNone;
    b.value = std::move(value);
    b.value_at = ++clock_;
}

// Subtrees that cost more than a leaf become one, and what no row comes to goes.
void Alternation::collapse() {
    std::vector<double> loss(shape_.size(), 0.0), terms(shape_.size(), 0.0);
    const double slack = kObjective * losses_.unit();
    for (u32 i = shape_.size(); i-- > 0;) {
        Branch& b = shape_[i];
        if (b.leaf()) {
            loss[i] = losses_.fit(b.value, rows_[i]);
            continue;
        }
        if (b.only == 2 && rows_[b.left].empty()) b.only = 1;
        if (b.only == 2 && rows_[b.right].empty()) b.only = 0;
        if (b.only < 2) {
            const u32 to = b.only == 0 ? b.left : b.right;
            loss[i] = loss[to];
            terms[i] = terms[to];
            continue;
        }
        LeafValue own = shape_[b.left].value;
        const double cost = losses_.fit(own, rows_[i]);
        loss[i] = loss[b.left] + loss[b.right];
        terms[i] = b.terms + terms[b.left] + terms[b.right];
        if (cost > loss[i] + price_ * terms[i] + slack) continue;
        make_leaf(i, std::move(own));
        loss[i] = cost;
        terms[i] = 0;
    }
    const u32 before = shape_.size();
    shape_.compact();
    if (shape_.size() == before) return;
    for (u32 i = 0; i < shape_.size(); ++i) shape_[i].searched_at = 0;
}

void Alternation::keep_limits() {
    if (shape_.keep_limits(how_.plan.limits, how_.data.target, how_.budget)) begin("limits of leaves");
}

}  // namespace bough
