// linear leaves (PILOT): a node adds lines to the model of the node above, one column at a time, as long as they help
// by BIC; then it is cut in two where two constants, two joined lines or two lines of one column help, or stays a leaf.
// Rows are kept in the order of each column and parted at every split; a sweep scores all models of a column.
#include <algorithm>
#include <array>

#include "base/per_thread.hpp"
#include "base/threshold.hpp"
#include "data/column_order.hpp"
#include "families/line_sums.hpp"
#include "grow/family.hpp"
#include "tree/lines.hpp"

namespace bough {

namespace {

enum LineModel : u32 { kConstant, kLine, kTwoConstants, kJoinedLines, kTwoLines };
constexpr std::array<double, 5> kModelPrice = {1, 2, 5, 5, 7};  // of a model in BIC, in parameters

struct PlacedRow {
    double x;  // number − center
    u32 row;
};

struct InColumns final : NodeState {
    std::vector<std::vector<PlacedRow>> rows;  // per numeric column: those with a value, ascending
};

class LinearLeaves final : public Family {
   public:
    LinearLeaves(const Problem& problem, const Params& params)
        : problem_(problem),
          columns_(problem.table->of(ColumnKind::numeric)),
          nominal_(problem.table->of(ColumnKind::nominal)),
          broken_(params.flag("broken")),
          least_rows_(std::max(params.count("min_rows"), problem.limits.min_rows)),
          least_values_(params.count("min_values")),
          most_lines_(params.count("lines")),
          margin_(params.get("margin")),
          residual_(problem.table->n_rows) {}

    std::unique_ptr<NodeState> root() override {
        auto state = std::make_unique<InColumns>();
        state->rows.resize(columns_.size());
        problem_.team->each(columns_.size(), [&](std::size_t i, int) {
            problem_.budget->poll();
            auto& in_order = per_thread<ColumnOrder, struct OrderHere>();
            in_order.sort(problem_.table->columns[columns_[i]], problem_.table->n_rows, *problem_.budget);
            state->rows[i].resize(in_order.size());
            for (u32 j = 0; j < in_order.size(); ++j)
                state->rows[i][j] = {in_order.number(j) - problem_.moments.means[columns_[i]], in_order.row(j)};
        });
        return state;
    }

    void model(Node& root) override {
        double most = 0;
        for (u32 row : root.rows) {
            residual_[row] = problem_.target->numbers[row] - root.mean;
            most = std::max(most, std::fabs(problem_.target->numbers[row]));
        }
        nothing_left_ = kNoResidual * most * most;
        root.lines = std::make_shared<NodeLines>();
        root.lines->offset = root.mean;
        finish(root, root.rows);
    }

    void propose(const Node& node, NodeState* state, Worker& worker, Best& best) override {
        const auto& rows = static_cast<InColumns*>(state)->rows;
        const bool share_out =
            worker.team->size() > 1 && u64{node.n_rows} * (columns_.size() + nominal_.size()) > 200000;
        std::vector<double> lines(columns_.size());
        std::vector<Best> found(share_out ? worker.team->size() : 1, best.afresh());
        for (u32 n = 0;; ++n) {
            if (node.n_rows < 2 * least_rows_ || !(node.lines->error > nothing_left_ * node.total)) return;
            const Frame frame = frame_of(node);
            for (Best& b : found) b = best.afresh();
            std::fill(lines.begin(), lines.end(), 0.0);
            auto one = [&](std::size_t i, int helper) {
                problem_.budget->poll();
                const u32 column = i < columns_.size() ? columns_[i] : nominal_[i - columns_.size()];
                if (!node.allows(column) || (node.only != kNone && node.only != column)) return;
                if (i < columns_.size())
                    lines[i] = sweep(node, frame, rows[i], column, found[static_cast<std::size_t>(helper)]);
                else
                    order_values(node, frame, column, found[static_cast<std::size_t>(helper)]);
            };
            if (share_out)
                worker.team->each(columns_.size() + nominal_.size(), one);
            else
                for (std::size_t i = 0; i < columns_.size() + nominal_.size(); ++i) one(i, 0);
            for (std::size_t i = 1; i < found.size(); ++i) found[0].merge(found[i]);
            std::size_t line = kNone;  // of equals the first column in the order of ties
            for (std::size_t i = 0; i < lines.size(); ++i) {
                if (!(lines[i] > 0)) continue;
                const double more = line == kNone ? 1 : lines[i] - lines[line], near = kTie * frame.error / node.total;
                if (more > near || (more >= -near && place(columns_[i]) < place(columns_[line]))) line = i;
            }
            if (line == kNone || n >= most_lines_ ||
                (!found[0].empty() && found[0].winner().gain > lines[line] + kTie * frame.error / node.total)) {
                best.merge(found[0]);
                return;
            }
            add_line(node, columns_[line], lines[line]);
        }
    }

    void model_children(const Node& node, const Candidate& c, const Split& split, const Division& division,
                        std::span<Node> children) override {
        const u32 kind = c.payload.a;
        std::array<std::vector<u32>, 2> rows;
        for (u32 row : node.rows) rows[division.child(row)].push_back(row);
        for (Node& child : children) child.lines = std::make_shared<NodeLines>();
        if (kind == kJoinedLines) {
            const Scale scale = scale_of(split.column);
            Means m = means_of(node.rows, split.column);
            LineSums all, right;
            const double knot = (split.cut - scale.center) / scale.spread - m.x;
            for (u32 child : {0u, 1u})
                for (u32 row : rows[child]) {
                    const double w = weight(row), x = position(row, split.column) - m.x, y = residual_[row] - m.y;
                    all.add(w, x, y);
                    if (child == 1) right.add(w, x, y);
                }
            double slopes[2];
            all.by_two_lines(right, knot, slopes);
            const double bend = (right.u - knot * right.w) / all.w;  // mean of what is beyond the knot
            const double base = m.y - slopes[0] * m.x - slopes[1] * bend;
            for (u32 child : {0u, 1u}) {
                const double steeper = child == 1 ? slopes[1] : 0.0;
                take(children[child], rows[child], split.column, base - steeper * (knot + m.x), slopes[0] + steeper);
            }
        } else {
            for (u32 child : {0u, 1u}) {
                const Means m = kind == kTwoLines ? means_of(rows[child], split.column) : means_of(rows[child], kNone);
                const double slope = kind == kTwoLines ? slope_of(rows[child], split.column, m) : 0.0;
                take(children[child], rows[child], kind == kTwoLines ? split.column : kNone, m.y - slope * m.x, slope);
            }
        }
        for (u32 child : {0u, 1u}) finish(children[child], rows[child]);
    }

    void divide(const Node&, NodeState* state, const Candidate&, const Division& division, Worker&,
                std::span<std::unique_ptr<NodeState>> children) override {
        std::vector<InColumns*> to(division.n_children(), nullptr);
        for (u32 c = 0; c < division.n_children(); ++c)
            if (division.open[c]) {
                auto own = std::make_unique<InColumns>();
                own->rows.resize(columns_.size());
                to[c] = own.get();
                children[c] = std::move(own);
            }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            problem_.budget->poll();
            std::vector<PlacedRow>& from = static_cast<InColumns*>(state)->rows[i];
            for (u32 c = 0; c < division.n_children(); ++c)
                if (to[c]) to[c]->rows[i].reserve(std::min<std::size_t>(from.size(), division.n_rows[c]));
            for (const PlacedRow& e : from)
                if (InColumns* child = to[division.child(e.row)]) child->rows[i].push_back(e);
            from = {};
        }
    }

   private:
    struct Means {
        double w = 0, x = 0, y = 0;
    };
    // Units in which a column is summed: squares of any number are in range.
    struct Scale {
        double center, spread;
    };
    // What all sweeps of a node share: its residuals' mean and Σ weight × residual² about it, and what models cost.
    struct Frame {
        double mean = 0, error = 0, constant = 0;
        std::array<double, 5> price;

        // By how much a model that explains so much lowers the penalised mean squared error; monotone in BIC.
        double gain(LineModel model, double explained, double total) const {
            return (constant - std::max(error - explained, 0.0) * price[model]) / total;
        }
    };

    double weight(u32 row) const { return problem_.target->weight(row); }
    u32 place(u32 column) const { return problem_.tie_places.empty() ? column : problem_.tie_places[column]; }
    Scale scale_of(u32 column) const { return {problem_.moments.means[column], problem_.moments.spreads[column]}; }
    double position(u32 row, u32 column) const {
        const double x = problem_.table->columns[column].value(row);
        const Scale s = scale_of(column);
        return is_missing(x) ? 0.0 : (x - s.center) / s.spread;
    }

    Frame frame_of(const Node& node) const {
        Frame f;
        for (u32 row : node.rows) f.mean += weight(row) * residual_[row];
        f.mean /= node.total;
        for (u32 row : node.rows) {
            const double v = residual_[row] - f.mean;
            f.error += weight(row) * v * v;
        }
        const double n = node.n_rows;
        for (std::size_t m = 0; m < kModelPrice.size(); ++m) f.price[m] = std::exp(kModelPrice[m] * std::log(n) / n);
        f.constant = f.error * f.price[kConstant];
        return f;
    }

    Means means_of(std::span<const u32> rows, u32 column) const {
        Means m;
        for (u32 row : rows) {
            const double w = weight(row);
            m.w += w;
            if (column != kNone) m.x += w * position(row, column);
            m.y += w * residual_[row];
        }
        m.x /= m.w;
        m.y /= m.w;
        return m;
    }
    double slope_of(std::span<const u32> rows, u32 column, const Means& m) const {
        LineSums sums;
        for (u32 row : rows) sums.add(weight(row), position(row, column) - m.x, residual_[row] - m.y);
        return sums.slope();
    }

    // Adds offset + slope × position to what some rows of a node are predicted.
    void take(const Node& node, std::span<const u32> rows, u32 column, double offset, double slope, double gain = 0) {
        for (u32 row : rows) residual_[row] -= offset + (column == kNone ? 0.0 : slope * position(row, column));
        node.lines->offset += offset;
        if (column != kNone) node.lines->add(column, slope / scale_of(column).spread, gain);
    }
    void add_line(const Node& node, u32 column, double gain) {
        const Means m = means_of(node.rows, column);
        const double slope = slope_of(node.rows, column, m);
        take(node, node.rows, column, m.y - slope * m.x, slope, gain);
        measure(node, node.rows);
    }
    void measure(const Node& node, std::span<const u32> rows) const {
        double error = 0;
        for (u32 row : rows) error += weight(row) * residual_[row] * residual_[row];
        node.lines->error = error;
    }
    void finish(Node& node, std::span<const u32> rows) const {
        measure(node, rows);
        node.loss = node.lines->error;
        double low = kInf, high = -kInf;
        for (u32 row : rows) {
            const double y = problem_.target->numbers[row];
            low = std::min(low, y);
            high = std::max(high, y);
        }
        node.lines->low = low - margin_ * (high - low);
        node.lines->high = high + margin_ * (high - low);
    }

    bool allowed(const LineSums& side) const {
        return side.rows >= least_rows_ && side.w >= problem_.limits.min_weight;
    }

    // Offers the cuts of a column; gives the gain of one line, 0: it does not help.
    double sweep(const Node& node, const Frame& frame, std::span<const PlacedRow> rows, u32 column, Best& best) const {
        if (rows.size() < 2 || rows.front().x == rows.back().x) return 0;
        const double unit = 1 / scale_of(column).spread;
        double mean = 0;
        u32 values = 1;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            mean += weight(rows[i].row) * rows[i].x * unit;
            if (i > 0 && values < least_values_) values += rows[i - 1].x < rows[i].x;
        }
        mean /= node.total;
        LineSums known, gone;
        for (const PlacedRow& e : rows) known.add(weight(e.row), e.x * unit - mean, residual_[e.row] - frame.mean);
        const bool some_missing = rows.size() < node.n_rows;
        if (some_missing) {  // at the center, with what the others leave of the node
            gone.rows = node.n_rows - static_cast<u32>(rows.size());
            gone.w = std::max(node.total - known.w, 0.0);
            gone.u = -mean * gone.w, gone.v = -known.v, gone.uu = mean * mean * gone.w, gone.uv = mean * known.v;
        }
        const LineSums all = known + gone;
        const bool lines = values >= least_values_ && all.spread() > 0;
        const double least = kNarrow * all.uu;
        LineSums left;
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            const PlacedRow& e = rows[i];
            left.add(weight(e.row), e.x * unit - mean, residual_[e.row] - frame.mean);
            if (e.x == rows[i + 1].x) continue;
            for (const bool gone_left : {true, false}) {
                if (!some_missing && !gone_left) break;
                const LineSums l = gone_left ? left + gone : left, r = all - l;
                if (!allowed(l) || !allowed(r)) continue;
                LineModel model = kTwoConstants;
                double gain = frame.gain(model, l.by_constant() + r.by_constant(), node.total);
                auto try_one = [&](LineModel other, double explained) {
                    const double g = frame.gain(other, explained, node.total);
                    if (g > gain) gain = g, model = other;
                };
                if (lines && broken_) {
                    double slopes[2];
                    const double knot = (e.x + (rows[i + 1].x - e.x) / 2) * unit - mean;
                    if (const double bent = all.by_two_lines(r, knot, slopes); bent == bent)
                        try_one(kJoinedLines, all.by_constant() + bent);
                    if (l.spread() > least && r.spread() > least)
                        try_one(kTwoLines, l.by_constant() + l.by_line() + r.by_constant() + r.by_line());
                }
                if (!(gain > 0) || gain < best.floor()) continue;
                Candidate c;
                c.gain = gain;
                c.balance = std::min(l.w, r.w);
                c.key = {column, 0, 2 * i + !gone_left};
                c.family = index;
                c.payload.a = model;
                c.payload.split = cut_between_rows(e.row, rows[i + 1].row, column,
                                                   some_missing ? gone_left : l.w >= r.w, some_missing);
                best.offer(c);
            }
        }
        return lines ? frame.gain(kLine, all.by_constant() + all.by_line(), node.total) : 0.0;
    }

    std::shared_ptr<const Split> cut_between_rows(u32 low, u32 high, u32 column, bool missing_left,
                                                  bool some_missing) const {
        auto split = std::make_shared<Split>();
        split->kind = NodeKind::axis;
        split->column = column;
        split->cut = between(problem_.table->columns[column].value(low), problem_.table->columns[column].value(high));
        split->missing_left = missing_left;
        split->saw_missing = some_missing;
        return split;
    }

    // Two constants of a nominal column: its values in the order of their mean residuals are cut once.
    void order_values(const Node& node, const Frame& frame, u32 column, Best& best) const {
        const Column& codes = problem_.table->columns[column];
        std::vector<LineSums> sums(codes.n_values);
        for (u32 row : node.rows)
            sums[static_cast<u32>(codes.codes[row])].add(weight(row), 0, residual_[row] - frame.mean);
        std::vector<u32> order;
        LineSums all;
        for (u32 v = 0; v < sums.size(); ++v)
            if (sums[v].rows > 0) order.push_back(v), all = all + sums[v];
        const std::vector<u32> present = order;
        std::stable_sort(order.begin(), order.end(),
                         [&](u32 a, u32 b) { return sums[a].v / sums[a].w < sums[b].v / sums[b].w; });
        LineSums left;
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            left = left + sums[order[i]];
            const LineSums right = all - left;
            if (!allowed(left) || !allowed(right)) continue;
            const double gain = frame.gain(kTwoConstants, left.by_constant() + right.by_constant(), node.total);
            if (!(gain > 0) || gain < best.floor()) continue;
            auto split = std::make_shared<Split>();
            split->kind = NodeKind::subset;
            split->column = column;
            split->values = present;
            split->goes_left.assign(present.size(), 0);
            for (std::size_t j = 0; j <= i; ++j)
                split->goes_left[static_cast<std::size_t>(std::lower_bound(present.begin(), present.end(), order[j]) -
                                                          present.begin())] = 1;
            split->other = left_is_heavier(left.w, right.w) ? 0 : 1;
            Candidate c;
            c.gain = gain;
            c.balance = std::min(left.w, right.w);
            c.key = {column, 0, i};
            c.family = index;
            c.payload.a = kTwoConstants;
            c.payload.split = std::move(split);
            best.offer(c);
        }
    }

    const Problem problem_;
    std::vector<u32> columns_, nominal_;
    bool broken_;
    u32 least_rows_, least_values_, most_lines_;
    double margin_;
    std::vector<double> residual_;  // of every row, by the model of its open node
    double nothing_left_ = 0;       // mean squares below it are rounding
};

}  // namespace

void register_linear_leaves(Registry& r) {
    r.leaves.push_back({{"mean", "the mean of its training rows, or their class shares", "common"}, nullptr});
    FamilyPlugin plugin{
        {"linear",
         "a sum of lines along the path, each added as long as BIC says it helps",
         "Raymaekers et al. 2024 (PILOT)",
         {{"broken", "whether two lines, joined or not, are tried at a cut in addition to two constants",
           Param::Type::flag, 1},
          {"min_rows", "rows that each side of a cut needs; nodes of fewer than twice as many stay as they are",
           Param::Type::integer, 5, 1, 1e6},
          {"min_values", "distinct values a column needs at a node to get a line", Param::Type::integer, 5, 2, 1e6},
          {"lines", "most lines a node adds before it is split", Param::Type::integer, 100, 0, 1e6},
          {"margin", "how far predictions may leave the range of the target on each side, as a share of that range",
           Param::Type::real, 0.0, 0, 1e6}}},
        [](const Problem& p, const Params& params) { return std::make_unique<LinearLeaves>(p, params); }};
    plugin.needs_moments = true;
    r.leaves.push_back(std::move(plugin));
}

}  // namespace bough
