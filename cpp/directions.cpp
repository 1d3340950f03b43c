#include "directions.hpp"

#include <algorithm>

#include "dot.hpp"
#include "linalg.hpp"
#include "threshold.hpp"

namespace bough {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kNoise = 1e-12;          // of a column's magnitude: a difference this small is rounding
constexpr u64 kShareOut = 200000;         // positions at a node from which its directions are shared out
constexpr u64 kMostPositions = 1u << 22;  // that are projected together
constexpr u32 kMostTogether = 32;         // directions that are

}  // namespace

// ---- what a finder sees --------------------------------------------------------------------------------

DirectionNode::DirectionNode(const Problem& p, const DenseRows& dense, const Node& n, u32 begin, u32 family,
                             Workplace& place, Best& best, TriedDirections& tried)
    : problem(p),
      node(n),
      rng(Rng::at(p.seed, n.path)),
      dense_(dense),
      begin_(begin),
      family_(family),
      place_(place),
      best_(best),
      tried_(tried) {
    for (u32 j = 0; j < dense.n_columns(); ++j)
        if (n.allows(dense.columns[j])) columns.push_back(j);
}

double DirectionNode::unit(u32 j) const {
    return problem.standardize ? problem.moments.spreads[dense_.columns[columns[j]]] : 1.0;
}

double DirectionNode::value(u32 i, u32 j) const {
    const u32 c = dense_.columns[columns[j]];
    const double x = problem.table->columns[c].value(dense_.table_row(begin_ + i));
    return problem.standardize ? (x - problem.moments.centers[c]) / problem.moments.spreads[c] : x;
}

u32 DirectionNode::group(u32 i) const {
    if (problem.target->regression()) return number(i) > node.mean ? 1 : 0;
    const auto at = std::lower_bound(node.present.begin(), node.present.end(), cls(i));
    return static_cast<u32>(at - node.present.begin());
}

NodeMatrix DirectionNode::matrix() const {
    NodeMatrix m;
    m.n = node.n_rows;
    m.d = n_columns();
    m.x.resize(std::size_t{m.n} * m.d);
    m.mean.assign(m.d, 0.0);
    std::vector<double> known(m.d, 0.0);
    for (u32 i = 0; i < m.n; ++i) {
        if (i % 4096 == 0) problem.budget->poll();
        const double *from = dense_.row(begin_ + i), w = weight(i);
        for (u32 j = 0; j < m.d; ++j) m.mean[j] += w * from[columns[j]];  // a missing number is 0
        if (has_missing())
            for (u32 j = 0; j < m.d; ++j) known[j] += missing(i, j) ? 0.0 : w;
    }
    for (u32 j = 0; j < m.d; ++j) {
        const double weight = has_missing() ? known[j] : node.total;
        m.mean[j] = weight > 0 ? m.mean[j] / weight : 0.0;
    }
    std::vector<double> scale(m.d);
    for (u32 j = 0; j < m.d; ++j) scale[j] = 1 / unit(j);
    for (u32 i = 0; i < m.n; ++i) {
        if (i % 4096 == 0) problem.budget->poll();
        const double* from = dense_.row(begin_ + i);
        double* to = m.x.data() + std::size_t{i} * m.d;
        for (u32 j = 0; j < m.d; ++j) to[j] = (from[columns[j]] - m.mean[j]) * scale[j];
        if (has_missing())
            for (u32 j = 0; j < m.d; ++j)
                if (missing(i, j)) to[j] = 0;
    }
    for (u32 j = 0; j < m.d; ++j) m.mean[j] *= scale[j];
    // A column with one value differs from its mean by rounding only.
    std::vector<double> widest(m.d, 0.0);
    for (u32 i = 0; i < m.n; ++i)
        for (u32 j = 0; j < m.d; ++j) widest[j] = std::max(widest[j], std::fabs(m.row(i)[j]));
    for (u32 j = 0; j < m.d; ++j) {
        if (widest[j] == 0 || widest[j] > kNoise * dense_.magnitudes[columns[j]] * scale[j]) continue;
        for (u32 i = 0; i < m.n; ++i) m.x[std::size_t{i} * m.d + j] = 0;
    }
    return m;
}

GroupMeans DirectionNode::group_means() const {
    GroupMeans g;
    g.k = problem.target->regression() ? 2 : static_cast<u32>(node.present.size());
    g.d = n_columns();
    const u32 all = dense_.n_columns();
    g.weight.assign(g.k, 0.0);
    std::vector<double> sum(std::size_t{g.k} * all, 0.0), known;
    if (has_missing()) known.assign(std::size_t{g.k} * all, 0.0);
    std::vector<u32> group_of(std::max<std::size_t>(1, node.weights.size()), 0);
    for (u32 c = 0; c < node.present.size(); ++c) group_of[node.present[c]] = c;
    for (u32 i = 0; i < node.n_rows; ++i) {
        if (i % 65536 == 0) problem.budget->poll();
        const u32 at = problem.target->regression() ? group(i) : group_of[cls(i)];
        const double w = weight(i);
        const double* x = dense_.row(begin_ + i);
        double* to = sum.data() + std::size_t{at} * all;
        g.weight[at] += w;
        for (u32 j = 0; j < all; ++j) to[j] += w * x[j];  // a missing number is 0
        if (has_missing())
            for (u32 j = 0; j < all; ++j)
                if (!dense_.lacks(begin_ + i, j)) known[std::size_t{at} * all + j] += w;
    }
    g.mean.resize(std::size_t{g.k} * g.d);
    g.rounding.resize(g.d);
    for (u32 j = 0; j < g.d; ++j) {
        const u32 c = columns[j];
        const double scale = 1 / unit(j);
        double mean = 0;  // of the node: where the missing ones are
        if (has_missing()) {
            double s = 0, w = 0;
            for (u32 a = 0; a < g.k; ++a) s += sum[std::size_t{a} * all + c], w += known[std::size_t{a} * all + c];
            mean = w > 0 ? s / w : 0.0;
        }
        for (u32 a = 0; a < g.k; ++a) {
            const std::size_t at = std::size_t{a} * all + c;
            const double rest = has_missing() ? (g.weight[a] - known[at]) * mean : 0.0;
            g.mean[std::size_t{a} * g.d + j] = g.weight[a] > 0 ? (sum[at] + rest) / g.weight[a] * scale : 0.0;
        }
        g.rounding[j] = kNoise * dense_.magnitudes[c] * scale;
    }
    return g;
}

// ---- project, sort, sweep ------------------------------------------------------------------------------

// A direction in the user's units with its sign settled; false if it has no length.
bool DirectionNode::prepare(const double* direction, Prepared& p) const {
    const u32 d = n_columns();
    double most = 0;
    for (u32 j = 0; j < d; ++j) most = std::max(most, std::fabs(direction[j]));
    if (!(most > 0) || !std::isfinite(most)) return false;
    double square = 0;
    u32 first = kNone;
    for (u32 j = 0; j < d; ++j) {
        const double w = direction[j] / most;
        if (!(std::fabs(w) > 1e-13)) continue;
        square += w * w;
        if (first == kNone) first = j;
    }
    const double scale = (direction[first] > 0 ? 1 : -1) / std::sqrt(square);
    p.w.assign(dense_.n_columns(), 0.0);
    p.mask.assign(dense_.n_words(), 0);
    p.first = columns[first];
    double reach = 0;
    for (u32 j = 0; j < d; ++j) {
        const double w = direction[j] / most;
        if (!(std::fabs(w) > 1e-13)) continue;
        const u32 c = columns[j];
        p.w[c] = w * scale / unit(j);
        if (!std::isfinite(p.w[c])) return false;
        p.mask[c / 64] |= u64{1} << (c % 64);
        reach += std::fabs(p.w[c]) * dense_.magnitudes[c];
    }
    // Sums in two orders differ by less than this.
    p.blur = (dense_.n_columns() / 4.0 + 16) * kEps * reach;
    return std::isfinite(reach);
}

void DirectionNode::sweep(const Prepared& p, double* z, u32 number, Best& best) const {
    Projection along;
    along.size = node.n_rows;
    along.z = z;
    along.classes = problem.target->regression() ? nullptr : dense_.classes() + begin_;
    along.weights = dense_.weights() ? dense_.weights() + begin_ : nullptr;
    along.numbers = dense_.numbers() ? dense_.numbers() + begin_ : nullptr;
    along.blur = p.blur;
    along.budget = problem.budget;
    along.n_missing = 0;
    if (has_missing())
        for (u32 i = 0; i < node.n_rows; ++i)
            if (dense_.lacks(begin_ + i, p.mask)) z[i] = kNaN, ++along.n_missing;
    double low = kInf, high = -kInf;
    for (u32 i = 0; i < node.n_rows; ++i) {
        low = z[i] < low ? z[i] : low;
        high = z[i] > high ? z[i] : high;
    }
    if (!(high - low > p.blur)) return;
    along.low = low;
    along.high = high;
    problem.scorer->along(node, along, problem.limits, {&best, dense_.columns[p.first], family_, true, number});
}

void DirectionNode::offer(std::span<const double> directions) {
    const u32 d = n_columns(), n = node.n_rows;
    if (d == 0) return;
    std::vector<Prepared> ready;
    std::vector<u32> numbers;
    for (std::size_t at = 0; at + d <= directions.size(); at += d) {
        Prepared p;
        if (prepare(directions.data() + at, p)) {
            ready.push_back(std::move(p));
            numbers.push_back(n_tried_);
        }
        ++n_tried_;
    }
    const u32 most = std::max<u32>(1, static_cast<u32>(std::min<u64>(kMostTogether, kMostPositions / n)));
    const u32 all = dense_.n_columns();
    auto piece = [&](std::size_t chunk, Best& best) {
        thread_local std::vector<double> z, w;
        const u32 from = static_cast<u32>(chunk) * most;
        const u32 p = std::min<u32>(most, static_cast<u32>(ready.size()) - from);
        w.resize(std::size_t{p} * all);
        z.resize(std::size_t{p} * n);
        for (u32 i = 0; i < p; ++i) std::copy(ready[from + i].w.begin(), ready[from + i].w.end(), w.data() + i * all);
        problem.budget->poll();
        linalg::products(dense_.row(begin_), all, n, w.data(), all, p, all, z.data(), n);
        for (u32 i = 0; i < p; ++i) {
            problem.budget->poll();
            sweep(ready[from + i], z.data() + std::size_t{i} * n, numbers[from + i], best);
        }
    };
    const std::size_t chunks = (ready.size() + most - 1) / most;
    if (place_.team->size() > 1 && u64{n} * ready.size() > kShareOut) {
        std::vector<Best> found(place_.team->size(), best_);
        place_.team->each(chunks, [&](std::size_t chunk, int worker) { piece(chunk, found[worker]); });
        for (const auto& f : found) best_.merge(f);
    } else {
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) piece(chunk, best_);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
        if (!best_.holds(family_, numbers[i])) continue;
        tried_.numbers.push_back(numbers[i]);
        tried_.weights.push_back(std::move(ready[i].w));
    }
    if (tried_.numbers.size() > 64) {  // the ones that were beaten since
        TriedDirections still;
        for (std::size_t i = 0; i < tried_.numbers.size(); ++i)
            if (best_.holds(family_, tried_.numbers[i])) {
                still.numbers.push_back(tried_.numbers[i]);
                still.weights.push_back(std::move(tried_.weights[i]));
            }
        tried_ = std::move(still);
    }
}

bool DirectionNode::best_cut(std::span<const double> direction, Candidate& found) const {
    Prepared p;
    if (!prepare(direction.data(), p)) return false;
    thread_local std::vector<double> z;
    z.resize(node.n_rows);
    linalg::products(dense_.row(begin_), dense_.n_columns(), node.n_rows, p.w.data(), p.w.size(), 1, dense_.n_columns(),
                     z.data(), node.n_rows);
    Best own(problem.scorer->unit(node), node.total);
    sweep(p, z.data(), 0, own);
    if (own.empty()) return false;
    found = own.winner();
    return true;
}

// ---- the family ----------------------------------------------------------------------------------------

namespace {

struct DirectionState final : NodeState {
    u32 begin = 0;
    TriedDirections tried;
};

class DirectionFamily final : public Family {
   public:
    DirectionFamily(const Problem& problem, DirectionFinder find)
        : problem_(problem), find_(std::move(find)), dense_(problem) {}

    bool needs_rows() const override { return false; }

    std::unique_ptr<NodeState> root() override { return std::make_unique<DirectionState>(); }

    void propose(const Node& node, NodeState* state, Workplace& place, Best& best) override {
        auto& own = static_cast<DirectionState&>(*state);
        DirectionNode view(problem_, dense_, node, own.begin, index, place, best, own.tried);
        if (view.n_columns() > 0) find_(view);
    }

    // The cut is put between the two sides as prediction will see them: in the order of `dot`.
    Split resolve(const Node& node, const NodeState* state, const Candidate& c) const override {
        const auto& own = static_cast<const DirectionState&>(*state);
        Split split;
        const std::vector<double>& w = weights_of(own, c);
        const Terms terms = terms_of(w);
        split.missing_left = c.b != 0;
        double left = -kInf, right = kInf, nearest = 0;
        // Positions in any order of summation lie on the same side of the cut, because the gap is wider
        // than rounding.
        each_position(node, own, terms, [&](u32, double z, bool missing) {
            split.saw_missing |= missing;
            if (missing) return;
            if (z <= c.cut)
                left = std::max(left, z);
            else
                right = std::min(right, z);
        });
        nearest = left < right ? between(left, right) : c.cut;
        if (terms.columns.size() > 1) {
            split.kind = NodeKind::linear;
            split.cut = nearest;
            for (u32 t : terms.columns) split.term_columns.push_back(dense_.columns[t]);
            split.term_weights = terms.weights;
            return split;
        }
        split.kind = NodeKind::axis;  // one column: a threshold on its own values
        split.column = dense_.columns[terms.columns[0]];
        const Column& column = problem_.table->columns[split.column];
        double low = -kInf, high = kInf;
        each_position(node, own, terms, [&](u32 i, double z, bool missing) {
            if (missing) return;
            const double x = column.value(dense_.table_row(own.begin + i));
            if (z <= nearest)
                low = std::max(low, x);
            else
                high = std::min(high, x);
        });
        split.cut = between(low, high);
        return split;
    }

    bool side(const Node& node, const NodeState* state, const Candidate& c, std::vector<u32>& rows,
              u32& child) override {
        const auto& own = static_cast<const DirectionState&>(*state);
        const Split split = resolve(node, state, c);
        const Terms terms = terms_of(weights_of(own, c));
        child = 0;
        if (split.kind == NodeKind::axis) {
            const Column& column = problem_.table->columns[split.column];
            for (u32 i = 0; i < node.n_rows; ++i) {
                const u32 row = dense_.table_row(own.begin + i);
                const double x = column.value(row);
                if (is_missing(x) ? split.missing_left : x <= split.cut) rows.push_back(row);
            }
            return true;
        }
        each_position(node, own, terms, [&](u32 i, double z, bool missing) {
            if (missing ? split.missing_left : z <= split.cut) rows.push_back(dense_.table_row(own.begin + i));
        });
        return true;
    }

    void divide(const Node& node, NodeState* state, const Division& division, Workplace& place,
                std::span<std::unique_ptr<NodeState>> children) override {
        auto& own = static_cast<DirectionState&>(*state);
        dense_.divide(own.begin, node.n_rows, division, place);
        u32 begin = own.begin;
        for (u32 c = 0; c < division.n_children; ++c) {
            auto child = std::make_unique<DirectionState>();
            child->begin = begin;
            begin += division.n_rows[c];
            children[c] = std::move(child);
        }
    }

   private:
    struct Terms {
        std::vector<u32> columns;  // of the dense rows
        std::vector<double> weights;
        std::vector<u64> mask;
    };
    Terms terms_of(const std::vector<double>& w) const {
        Terms t;
        t.mask.assign(dense_.n_words(), 0);
        for (u32 j = 0; j < w.size(); ++j)
            if (w[j] != 0) {
                t.columns.push_back(j);
                t.weights.push_back(w[j]);
                t.mask[j / 64] |= u64{1} << (j % 64);
            }
        return t;
    }
    static const std::vector<double>& weights_of(const DirectionState& own, const Candidate& c) {
        const auto at = std::find(own.tried.numbers.begin(), own.tried.numbers.end(), c.a);
        return own.tried.weights[static_cast<std::size_t>(at - own.tried.numbers.begin())];
    }
    // Calls visit(i, position, missing) for every row of the node, positions as prediction computes them.
    template <class Visit>
    void each_position(const Node& node, const DirectionState& own, const Terms& terms, Visit visit) const {
        const u32 n = static_cast<u32>(terms.columns.size());
        const bool whole = n == dense_.n_columns();
        for (u32 i = 0; i < node.n_rows; ++i) {
            const double* x = dense_.row(own.begin + i);
            const bool missing = dense_.has_missing() && dense_.lacks(own.begin + i, terms.mask);
            const double z = whole ? dot(n, terms.weights.data(), x)
                                   : dot(n, terms.weights.data(), [&](u32 t) { return x[terms.columns[t]]; });
            visit(i, z, missing);
        }
    }

    const Problem problem_;
    DirectionFinder find_;
    DenseRows dense_;
};

}  // namespace

FamilyPlugin direction_plugin(Info info, std::function<DirectionFinder(const Problem&, const Params&)> make) {
    FamilyPlugin plugin;
    plugin.info = std::move(info);
    plugin.make = [make](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
        return std::make_unique<DirectionFamily>(p, make(p, params));
    };
    plugin.directions = true;
    return plugin;
}

}  // namespace bough
