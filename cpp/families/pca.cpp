// pca: principal components of all training rows, found once and tried at every node. Every component is over all
// columns, so a row that lacks a number takes part as if that were the column's mean: it could never be separated
// otherwise. Where nothing is missing and every node may split every column, the rows of a table of classes are
// projected once and what grows is an axis tree of their positions.
#include <algorithm>

#include "base/memory.hpp"
#include "base/scale.hpp"
#include "directions/components.hpp"
#include "directions/positions.hpp"
#include "directions/prepare.hpp"
#include "families/axis_projected.hpp"
#include "grow/simplify.hpp"

namespace bough {

namespace {

// Calls visit(row, j, number) for the numbers of some columns, a few rows of all of them at a time.
template <class Visit>
void each_number(const Table& table, u32 begin, u32 end, std::span<const u32> columns, Budget& budget, Visit visit) {
    constexpr u32 kRows = 64;
    for (u32 size; begin < end; begin += size) {
        size = std::min(kRows, end - begin);
        budget.poll();
        for (u32 j = 0; j < columns.size(); ++j) {
            const Column& column = table.columns[columns[j]];
            for (u32 row = begin; row < begin + size; ++row) visit(row, j, column.value(row));
        }
    }
}

// Rows of the table side by side, about the means and in search units.
void read_rows(const Problem& p, u32 begin, u32 end, std::span<const u32> columns, double* to) {
    const std::size_t d = columns.size();
    std::vector<double> means(d), scales(d);
    for (std::size_t j = 0; j < d; ++j) {
        means[j] = p.moments.means[columns[j]];
        scales[j] = p.standardize ? 1 / p.moments.spreads[columns[j]] : 1.0;
    }
    const Target& target = p.all->target;
    const bool weighted = target.weighted();
    each_number(p.all->table, begin, end, columns, *p.budget, [&](u32 row, u32 j, double number) {
        const double v = (number - means[j]) * scales[j];
        to[(row - begin) * d + j] = is_missing(v) ? 0.0 : weighted ? v * std::sqrt(target.weight(row)) : v;
    });
}

// The numeric columns that are not at their center in every row: no other takes part in a component.
std::vector<u32> varying_columns(const Problem& p) {
    std::vector<u32> columns = p.all->table.of(ColumnKind::numeric);
    std::erase_if(columns, [&](u32 c) { return !(p.moments.magnitudes[c] > 0); });
    return columns;
}

// One row for each component, over some columns, in search units.
std::vector<double> components_of(const Problem& p, u32 most, std::span<const u32> columns) {
    const u32 n = p.all->table.n_rows;  // also where a branch grows from a part of it
    const u32 d = static_cast<u32>(columns.size()), share = std::min(n, linalg::rows_at_once(u64{d} * d));
    if (d == 0) return {};
    RawBuffer<double> x;
    if (d <= n) {  // a share of the rows after the other, in a cache
        x = RawBuffer<double>(std::size_t{share} * d);
        std::vector<double> gram(std::size_t{d} * d);
        double largest = 0;
        for (u32 begin = 0, size; begin < n; begin += size) {
            size = std::min(share, n - begin);
            read_rows(p, begin, begin + size, columns, x.data());
            largest = std::max(largest, largest_of({x.data(), std::size_t{size} * d}));
            linalg::gram_of_columns(x.data(), d, size, d, gram.data(), *p.budget, begin > 0);
        }
        if (wild_exponent({&largest, 1}) == 0) return widest_axes(std::move(gram), d, most, p.budget);
    }
    x = RawBuffer<double>(std::size_t{n} * d);
    read_rows(p, 0, n, columns, x.data());
    return components(x.data(), n, d, most, p.budget);
}

bool projects_once(const Problem& p) {
    if (!p.every_column || p.missing != Missing::either || p.target->regression()) return false;
    if (!p.moments.centered) return true;  // columns with missing values have centers
    bool some_missing = false;
    each_number(*p.table, 0, p.table->n_rows, p.table->of(ColumnKind::numeric), *p.budget,
                [&](u32, u32, double x) { some_missing |= is_missing(x); });
    return !some_missing;
}

// All rows along all components.
struct Positions {
    Positions(const Problem& p, u32 most) : columns(varying_columns(p)) {
        constexpr u32 kTogether = 32;    // components, and the same ones whatever the number of threads
        constexpr u32 kRows = 1u << 14;  // a share of the work
        constexpr u32 kNearRows = 272;   // rows that stay in a cache while components pass
        const std::vector<double> found = components_of(p, most, columns);
        const u32 n = p.table->n_rows, d = static_cast<u32>(columns.size());
        std::vector<u32> all(d);
        for (u32 j = 0; j < d; ++j) all[j] = j;
        std::vector<double> w(d);
        for (std::size_t at = 0; at < found.size(); at += d) {
            Direction direction;
            if (!prepare(p, columns, all, found.data() + at, w.data(), direction)) continue;
            first.push_back(columns[direction.first]);
            blurs.push_back(direction.blur);
            weights.insert(weights.end(), w.begin(), w.end());
            oblique &= std::count(w.begin(), w.end(), 0.0) + 1 < static_cast<std::ptrdiff_t>(d);
        }
        const u32 k = static_cast<u32>(first.size());
        values = RawBuffer<double>(std::size_t{n} * k);
        prefer_large_pages(values.data(), values.size() * sizeof(double));
        p.team->each((n + kRows - 1) / kRows, [&](std::size_t piece, int) {
            const u32 begin = static_cast<u32>(piece) * kRows, end = begin + std::min(kRows, n - begin);
            RawBuffer<double> x(std::size_t{kNearRows} * d);
            for (u32 at = begin, rows; at < end; at += rows) {
                rows = std::min(kNearRows, end - at);
                each_number(*p.table, at, at + rows, columns, *p.budget, [&](u32 row, u32 j, double number) {
                    x[std::size_t{row - at} * d + j] = number - p.moments.centers[columns[j]];
                });
                for (u32 from = 0, size; from < k; from += size) {
                    size = std::min(kTogether, k - from);
                    project(x.data(), rows, d, weights.data() + std::size_t{from} * d, size,
                            values.data() + std::size_t{from} * n + at, n);
                }
            }
        });
        table.n_rows = n;
        for (u32 j = 0; j < k; ++j) {
            Column column{ColumnKind::numeric};
            column.values = of(j);
            table.columns.push_back(column);
        }
    }
    const double* of(u32 component) const { return values.data() + std::size_t{component} * table.n_rows; }

    std::vector<u32> columns;     // of the user's table: those that take part
    std::vector<u32> first;       // by component: the first of them that takes part
    std::vector<double> blurs;    // by component
    std::vector<double> weights;  // a coefficient for each of the columns, by component
    bool oblique = true;          // every component is over more than one column
    RawBuffer<double> values;     // by component and row
    Table table;                  // of them, one column for each component
};

class ProjectedOnce final : public Family {
   public:
    ProjectedOnce(const Problem& problem, u32 most) : problem_(problem), positions_(problem, most) {}

    std::unique_ptr<NodeState> root() override {
        Problem positions = problem_;
        positions.table = &positions_.table;
        positions.standardize = false;
        auto split = [this](u32 direction, double cut) { return split_of(direction, cut); };
        axis_ = make_projected_axis(positions, {positions_.first, positions_.blurs, index, split});
        return axis_->root();
    }
    void propose(const Node& node, NodeState* state, Worker& worker, Best& best) override {
        axis_->propose(node, state, worker, best);
    }
    Split resolve(const Node& node, const NodeState*, const Candidate& c) const override {
        Split split = split_of(c.payload.a, c.payload.x);
        const double* z = positions_.of(c.payload.a);
        if (split.term_columns.size() == 1)
            to_axis(split, *problem_.table, problem_.moments, node.rows,
                    [&](std::size_t i) { return z[node.rows[i]] <= c.payload.x; });
        return split;
    }
    // The smaller side.
    bool side(const Node& node, const NodeState*, const Candidate& c, std::vector<u32>& rows, u32& child) override {
        const double *z = positions_.of(c.payload.a), cut = c.payload.x;
        u32 left = 0;
        for (u32 row : node.rows) left += z[row] <= cut;
        child = 2 * left <= node.n_rows ? 0 : 1;
        for (u32 row : node.rows)
            if ((z[row] <= cut) == (child == 0)) rows.push_back(row);
        return true;
    }
    void divide(const Node& node, NodeState* state, const Candidate& made, const Division& division, Worker& worker,
                std::span<std::unique_ptr<NodeState>> children) override {
        axis_->divide(node, state, made, division, worker, children);
    }
    bool compact(const Node& node, const NodeState* state, Lists& to) const override {
        return positions_.oblique && axis_->compact(node, state, to);
    }

   private:
    Split split_of(u32 component, double cut) const {
        Split split;
        split.kind = NodeKind::linear;
        split.cut = cut;
        const std::size_t d = positions_.columns.size();
        for (std::size_t j = 0; j < d; ++j)
            if (const double w = positions_.weights[component * d + j]; w != 0) {
                split.term_columns.push_back(positions_.columns[j]);
                split.term_weights.push_back(w);
            }
        return split;
    }

    const Problem problem_;
    Positions positions_;
    std::unique_ptr<Family> axis_;
};

}  // namespace

void register_pca(Registry& r) {
    FamilyPlugin plugin = direction_plugin(
        {"pca",
         "principal components of all training rows, the same at every node",
         "Bodine & Hochbaum 2022",
         {components_param()}},
        [](const Problem& p, const Params& params) -> DirectionFinder {
            const std::vector<u32> columns = varying_columns(p);
            const auto found = components_of(p, params.count("n_components"), columns);
            std::vector<u32> place(p.table->n_columns(), 0);  // of a column in a component, plus one
            for (u32 j = 0; j < columns.size(); ++j) place[columns[j]] = j + 1;
            std::vector<u32> numeric = p.table->of(ColumnKind::numeric);
            return [found, place, numeric, d = columns.size()](DirectionNode& node) {
                std::vector<double> here;  // the part over columns that may be split
                for (std::size_t at = 0; at < found.size(); at += d)
                    for (u32 j : node.columns) {
                        const u32 in = place[numeric[j]];
                        here.push_back(in > 0 ? found[at + in - 1] : 0.0);
                    }
                node.offer(here);
            };
        },
        true);
    plugin.lists = [](const Params&) { return true; };
    plugin.make = [at_every_node = plugin.make](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
        if (!projects_once(p)) return at_every_node(p, params);
        return std::make_unique<ProjectedOnce>(p, params.count("n_components"));
    };
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
