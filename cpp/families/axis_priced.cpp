// axis as C4.5 cuts: admissible sides, the first of the cuts that gain most, the price of having had a choice, and a
// cut that is a value of the table. Rows are kept in the order of each column and parted at every split.
#include <numeric>
#include <utility>

#include "base/slack.hpp"
#include "base/threshold.hpp"
#include "base/xlogx.hpp"
#include "families/axis_priced.hpp"
#include "grow/known.hpp"

namespace bough {

namespace {

struct Lists final : NodeState {
    std::vector<std::vector<u32>> rows;  // per numeric column: those with a value, ascending
};

class PricedAxis final : public Family {
   public:
    PricedAxis(const Problem& problem, const Params& params)
        : problem_(problem),
          columns_(problem.table->of(ColumnKind::numeric)),
          tenth_(params.get("sides") == 1),
          price_(params.flag("price")),
          values_(params.get("cut") == 1),
          below_(params.get("cut") == 2) {}

    std::unique_ptr<NodeState> root() override {
        auto lists = std::make_unique<Lists>();
        lists->rows.resize(columns_.size());
        problem_.team->each(columns_.size(), [&](std::size_t i, int) {
            problem_.budget->poll();
            const Column& column = problem_.table->columns[columns_[i]];
            std::vector<std::pair<double, u32>> order;
            for (u32 row = 0; row < problem_.table->n_rows; ++row)
                if (const double x = column.value(row); !is_missing(x)) order.emplace_back(x, row);
            std::sort(order.begin(), order.end());
            lists->rows[i].reserve(order.size());
            for (const auto& [x, row] : order) lists->rows[i].push_back(row);
        });
        return lists;
    }

    void propose(const Node& node, NodeState* state, Worker&, Best& best) override {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!node.allows(columns_[i])) continue;
            problem_.budget->poll();
            propose_column(node, static_cast<Lists*>(state)->rows[i], i, best);
        }
    }

    double bits(const Candidate& c) const override { return c.payload.x; }

    Split resolve(const Node& node, const NodeState* state, const Candidate& c) const override {
        const auto place = static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), c.key.column) -
                                                    columns_.begin());
        const std::vector<u32>& rows = static_cast<const Lists*>(state)->rows[place];
        const Column& column = problem_.table->columns[c.key.column];
        const double low = column.value(rows[c.key.place - 1]), high = column.value(rows[c.key.place]);
        Split split;
        split.kind = NodeKind::axis;
        split.column = c.key.column;
        split.cut = stored(cut_between(low, high, below_), place);
        split.missing_left = c.payload.a != 0;
        split.saw_missing = rows.size() < node.n_rows;
        return split;
    }

    void divide(const Node&, NodeState* state, const Candidate&, const Division& division, Worker&,
                std::span<std::unique_ptr<NodeState>> children) override {
        std::vector<Lists*> to(division.n_children(), nullptr);
        for (u32 c = 0; c < division.n_children(); ++c)
            if (division.open[c]) {
                auto lists = std::make_unique<Lists>();
                lists->rows.resize(columns_.size());
                to[c] = lists.get();
                children[c] = std::move(lists);
            }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::vector<u32>& from = static_cast<Lists*>(state)->rows[i];
            for (u32 c = 0; c < division.n_children(); ++c)
                if (to[c]) to[c]->rows[i].reserve(std::min<std::size_t>(from.size(), division.n_rows[c]));
            for (u32 row : from)
                if (Lists* child = to[division.child(row)]) child->rows[i].push_back(row);
        }
    }

   private:
    struct Scratch {
        std::vector<double> left, right;        // weight of each class
        std::vector<double> at_left, at_right;  // ... at the best cut
        std::vector<double> of_left, of_right;  // x·log2 x of them
        std::vector<u32> touched;               // classes of the rows since the last cut that was looked at
    };
    void propose_column(const Node& node, std::span<const u32> rows, std::size_t place, Best& best) const {
        const Column& column = problem_.table->columns[columns_[place]];
        const Target& target = *problem_.target;
        const std::size_t k = node.weights.size();
        thread_local Scratch scratch;
        auto& [left, right, at_left, at_right, of_left, of_right, touched] = scratch;
        left.assign(k, 0.0);
        right.assign(k, 0.0);
        double known = 0;
        for (u32 row : rows) right[target.classes[row]] += target.weight(row), known += target.weight(row);
        double least = std::max<double>(problem_.limits.min_rows, problem_.limits.min_weight);
        if (tenth_ && 0.1 * known / static_cast<double>(k) > least + kEqual)
            least = std::min(0.1 * known / static_cast<double>(k), 25.0);
        if (static_cast<double>(rows.size()) < 2 * least - kEqual) return;
        // Σ x·log2 x of both sides: the gain in bits times the node's weight. The terms of a class change with its
        // rows.
        of_left.assign(k, 0.0);
        of_right.resize(k);
        touched.clear();
        double sum_left = 0, sum_right = 0, left_weight = 0, top = 0;
        for (std::size_t c = 0; c < k; ++c) sum_right += of_right[c] = x_log_x(right[c]);
        const double before = x_log_x(known) - sum_right;
        u32 candidates = 0, cut = 0;
        double here = column.value(rows[0]);
        for (u32 i = 1; i < rows.size(); ++i) {
            const u32 row = rows[i - 1], c = target.classes[row];
            const double w = target.weight(row), next = column.value(rows[i]), value = std::exchange(here, next);
            left[c] += w;
            right[c] = std::max(0.0, right[c] - w);
            left_weight += w;
            if (touched.size() < k && (touched.empty() || touched.back() != c)) touched.push_back(c);
            if (!(value + kApart < next)) continue;
            if (left_weight < least - kEqual || known - left_weight < least - kEqual) continue;
            ++candidates;
            if (touched.size() == k) std::iota(touched.begin(), touched.end(), 0u);  // perhaps all of them
            for (u32 t : touched) {
                sum_left -= of_left[t];
                sum_right -= of_right[t];
                sum_left += of_left[t] = x_log_x(left[t]);
                sum_right += of_right[t] = x_log_x(right[t]);
            }
            touched.clear();
            const double after = x_log_x(left_weight) - sum_left + x_log_x(known - left_weight) - sum_right;
            const double numerator = known / node.total * (before - after);
            const double gain = std::fabs(numerator) <= kEqual ? 0.0 : numerator / known;
            if (gain > top + kEqual) {
                top = gain;
                cut = i;
                at_left = left;
                at_right = right;
            }
        }
        if (candidates == 0 || cut == 0) return;
        const double paid = price_ ? top - std::log2(candidates) / node.total : top;
        if (!(paid > kEqual)) return;
        const Side l(at_left), r(at_right);
        Candidate c;
        const bool gaps = rows.size() < node.n_rows;
        if (problem_.scorer->traits().ratio && (!gaps || problem_.missing == Missing::shared)) {
            const double own =
                x_log_x(node.total) - x_log_x(l.total) - x_log_x(r.total) - (gaps ? x_log_x(node.total - known) : 0.0);
            c.gain = own > kEqual ? paid / (own / node.total) : 0.0;
        } else {  // the price takes the same part of whatever the criterion says of the cut; paid is of all rows
            const double sizes[2] = {l.total, r.total};
            c.gain = problem_.scorer->gain(l, r) * (paid / information(l, r));
            if (gaps && problem_.missing != Missing::either)
                c.gain = of_all(problem_, c.gain * (node.total / known), sizes, node.total);
        }
        c.payload.x = paid;
        c.balance = std::min(l.total, r.total);
        c.key = {columns_[place], 0, cut};
        c.family = index;
        c.payload.a = left_is_heavier(l.total, r.total);
        best.offer(c);
    }

    // Bits for each unit of weight that the two sides tell.
    static double information(const Side& l, const Side& r) {
        double sum = x_log_x(l.total + r.total) - x_log_x(l.total) - x_log_x(r.total);
        for (std::size_t c = 0; c < l.size(); ++c) sum += x_log_x(l.w[c]) + x_log_x(r.w[c]) - x_log_x(l.w[c] + r.w[c]);
        return sum / (l.total + r.total);
    }

    // The largest value of the table that is not above the cut.
    double stored(double cut, std::size_t place) const {
        if (!values_) return cut;
        const auto& all = problem_.whole->numbers(columns_[place]);
        return *(std::upper_bound(all.begin(), all.end(), cut) - 1);
    }

    const Problem problem_;
    std::vector<u32> columns_;
    bool tenth_, price_, values_, below_;
};

}  // namespace

std::vector<Param> priced_params() {
    return {{"sides",
             "weight that both sides of a cut need besides min_samples_leaf: none, or a tenth of the node's for "
             "each class, at most 25",
             Param::Type::choice,
             0,
             0,
             1,
             {"any", "tenth"}},
            {"price", "whether the gain of a column's best cut is lowered by log2(cuts tried) / weight",
             Param::Type::flag, 0},
            {"cut",
             "what is stored: the midpoint between two values, the value of the whole table below it, or what is just "
             "below the midpoint, so that a row on it goes right (rpart)",
             Param::Type::choice,
             0,
             0,
             2,
             {"midpoint", "value", "below"}}};
}

bool is_priced(const Params& p) { return p.get("sides") != 0 || p.flag("price") || p.get("cut") == 1; }

std::unique_ptr<Family> make_priced_axis(const Problem& problem, const Params& params) {
    if (problem.target->regression())
        throw std::invalid_argument("split='axis': sides, price and cut='value' are for classes");
    return std::make_unique<PricedAxis>(problem, params);
}

}  // namespace bough
