// axis as C4.5 cuts: admissible sides, the first of the cuts that gain most, the price of having had a choice, and a
// cut that is a value of the table. Rows are kept in the order of each column and parted at every split.
#include <numeric>
#include <utility>

#include "base/per_thread.hpp"
#include "base/slack.hpp"
#include "base/threshold.hpp"
#include "base/xlogx.hpp"
#include "data/column_order.hpp"
#include "families/axis_c45.hpp"
#include "grow/known.hpp"

namespace bough {

namespace {

// A row and the place of its number among all that the column has.
struct Entry {
    u32 row, rank;
};

struct SharedLists final : NodeState {
    std::vector<std::vector<Entry>> rows;  // per numeric column: those with a value, ascending
};

class AxisC45 final : public Family {
   public:
    AxisC45(const Problem& problem, const Params& params)
        : problem_(problem),
          columns_(problem.table->of(ColumnKind::numeric)),
          tenth_(params.get("sides") == 1),
          price_(params.flag("price")),
          values_(params.get("cut") == 1),
          below_(params.get("cut") == 2) {
        numbers_.resize(columns_.size());
        if (problem.target->weighted()) return;
        x_log_x_.resize(problem.table->n_rows + 1);
        for (std::size_t i = 0; i < x_log_x_.size(); ++i) x_log_x_[i] = x_log_x(static_cast<double>(i));
    }

    std::unique_ptr<NodeState> root() override {
        auto lists = std::make_unique<SharedLists>();
        lists->rows.resize(columns_.size());
        problem_.team->each(columns_.size(), [&](std::size_t i, int) {
            problem_.budget->poll();
            auto& rows = per_thread<ColumnOrder, struct RowsHere>();
            rows.sort(problem_.table->columns[columns_[i]], problem_.table->n_rows, *problem_.budget);
            std::vector<double>& numbers = numbers_[i];
            numbers.clear();
            lists->rows[i].resize(rows.size());
            for (u32 j = 0; j < rows.size(); ++j) {
                if (numbers.empty() || numbers.back() != rows.number(j)) numbers.push_back(rows.number(j));
                lists->rows[i][j] = {rows.row(j), static_cast<u32>(numbers.size() - 1)};
            }
        });
        return lists;
    }

    void propose(const Node& node, NodeState* state, Worker&, Best& best) override {
        for (const u32& column : node.among(columns_)) {
            if (!node.allows(column)) continue;
            const std::size_t i = static_cast<std::size_t>(&column - columns_.data());
            problem_.budget->poll();
            propose_column(node, static_cast<SharedLists*>(state)->rows[i], i, best);
        }
    }

    double bits(const Candidate& c) const override { return c.payload.x; }

    Split resolve(const Node& node, const NodeState* state, const Candidate& c) const override {
        const auto place = static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), c.key.column) -
                                                    columns_.begin());
        const std::vector<Entry>& rows = static_cast<const SharedLists*>(state)->rows[place];
        const Column& column = problem_.table->columns[c.key.column];
        const double low = column.value(rows[c.key.place - 1].row), high = column.value(rows[c.key.place].row);
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
        std::vector<SharedLists*> to(division.n_children(), nullptr);
        for (u32 c = 0; c < division.n_children(); ++c)
            if (division.open[c]) {
                auto lists = std::make_unique<SharedLists>();
                lists->rows.resize(columns_.size());
                to[c] = lists.get();
                children[c] = std::move(lists);
            }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::vector<Entry>& from = static_cast<SharedLists*>(state)->rows[i];
            for (u32 c = 0; c < division.n_children(); ++c)
                if (to[c]) to[c]->rows[i].reserve(std::min<std::size_t>(from.size(), division.n_rows[c]));
            for (const Entry& e : from)
                if (SharedLists* child = to[division.child(e.row)]) child->rows[i].push_back(e);
        }
    }

   private:
    struct Scratch {
        std::vector<double> left, right;        // weight of each class
        std::vector<double> at_left, at_right;  // ... at the best cut
        std::vector<double> of_left, of_right;  // x·log2 x of them
        std::vector<u32> touched;               // classes of the rows since the last cut that was looked at
    };
    // The best cut of a list, of equals the first: before which entry, what it gains, among how many.
    struct Cut {
        u32 place = 0, candidates = 0;
        double gain = 0;
    };

    // Σ x·log2 x of both sides: the gain in bits times the node's weight. The terms of a class change with its rows.
    // Where rows weigh 1, all these are known.
    template <bool kWeighted>
    Cut best_cut(const Node& node, std::span<const Entry> rows, std::size_t place, double known, double least,
                 Scratch& scratch) const {
        auto& [left, right, at_left, at_right, of_left, of_right, touched] = scratch;
        const std::vector<double>& numbers = numbers_[place];
        const Target& target = *problem_.target;
        const std::size_t k = node.weights.size();
        auto term = [&](double w) {
            if constexpr (kWeighted)
                return x_log_x(w);
            else
                return x_log_x_[static_cast<std::size_t>(w)];
        };
        left.assign(k, 0.0);
        of_left.assign(k, 0.0);
        of_right.resize(k);
        touched.clear();
        Cut best;
        double sum_left = 0, sum_right = 0, left_weight = 0;
        for (std::size_t c = 0; c < k; ++c) sum_right += of_right[c] = term(right[c]);
        const double before = term(known) - sum_right;
        for (u32 i = 1; i < rows.size(); ++i) {
            const auto [row, rank] = rows[i - 1];
            const u32 c = target.classes[row], next = rows[i].rank;
            const double w = kWeighted ? target.weights[row] : 1.0;
            left[c] += w;
            right[c] = kWeighted ? std::max(0.0, right[c] - w) : right[c] - 1.0;
            left_weight += w;
            if (touched.size() < k && (touched.empty() || touched.back() != c)) touched.push_back(c);
            if (rank == next || !(numbers[rank] + kApart < numbers[next])) continue;
            if (left_weight < least - kEqual || known - left_weight < least - kEqual) continue;
            ++best.candidates;
            if (touched.size() == k) std::iota(touched.begin(), touched.end(), 0u);  // perhaps all of them
            for (u32 t : touched) {
                sum_left -= of_left[t];
                sum_right -= of_right[t];
                sum_left += of_left[t] = term(left[t]);
                sum_right += of_right[t] = term(right[t]);
            }
            touched.clear();
            const double after = term(left_weight) - sum_left + term(known - left_weight) - sum_right;
            const double gain = gain_of(before - after, known, node.total);
            if (gain > best.gain + kEqual) {
                best.gain = gain;
                best.place = i;
                at_left = left;
                at_right = right;
            }
        }
        return best;
    }

    // Bits that a cut tells of rows of known value, for each unit of their weight; next to none are none.
    static double gain_of(double bits, double known, double total) {
        const double of_all = known / total * bits;
        return std::fabs(of_all) <= kEqual ? 0.0 : of_all / known;
    }

    // The same for two classes whose rows weigh 1.
    Cut best_cut_of_two(const Node& node, std::span<const Entry> rows, std::size_t place, double known, double least,
                        Scratch& scratch) const {
        const double* numbers = numbers_[place].data();
        const double* term = x_log_x_.data();
        const u32* classes = problem_.target->classes.data();
        const u32 n = static_cast<u32>(rows.size()), all = static_cast<u32>(scratch.right[1]);
        double of_left[2] = {0, 0}, of_right[2] = {term[n - all], term[all]}, sum_left = 0;
        double sum_right = of_right[0] + of_right[1];
        const double before = term[n] - sum_right;
        u32 second = 0, seen = 0, seen_second = 0, best_second = 0;  // rows of the second class; of the last candidate
        Cut best;
        auto change = [&](u32 c, u32 left, u32 right) {
            sum_left -= of_left[c];
            sum_right -= of_right[c];
            sum_left += of_left[c] = term[left];
            sum_right += of_right[c] = term[right];
        };
        for (u32 i = 1; i < n; ++i) {
            second += classes[rows[i - 1].row];
            const u32 rank = rows[i - 1].rank, next = rows[i].rank;
            if (rank == next || !(numbers[rank] + kApart < numbers[next])) continue;
            if (i < least - kEqual || n - i < least - kEqual) continue;
            ++best.candidates;
            if (second - seen_second < i - seen) change(0, i - second, n - all - (i - second));
            if (second != seen_second) change(1, second, all - second);
            seen = i;
            seen_second = second;
            const double after = term[i] - sum_left + term[n - i] - sum_right;
            const double gain = gain_of(before - after, known, node.total);
            if (gain > best.gain + kEqual) {
                best.gain = gain;
                best.place = i;
                best_second = second;
            }
        }
        const double low = best_second, high = all - best_second;
        scratch.at_left = {best.place - low, low};
        scratch.at_right = {n - best.place - high, high};
        return best;
    }

    void propose_column(const Node& node, std::span<const Entry> rows, std::size_t place, Best& best) const {
        const Target& target = *problem_.target;
        const std::size_t k = node.weights.size();
        auto& scratch = per_thread<Scratch, struct ScratchHere>();
        auto& [left, right, at_left, at_right, of_left, of_right, touched] = scratch;
        double known = 0;
        if (rows.size() == node.n_rows && !target.weighted()) {
            right = node.weights;
            known = node.total;
        } else {
            right.assign(k, 0.0);
            for (const Entry& e : rows)
                right[target.classes[e.row]] += target.weight(e.row), known += target.weight(e.row);
        }
        double least = std::max<double>(problem_.limits.min_rows, problem_.limits.min_weight);
        if (tenth_ && 0.1 * known / static_cast<double>(k) > least + kEqual)
            least = std::min(0.1 * known / static_cast<double>(k), 25.0);
        if (static_cast<double>(rows.size()) < 2 * least - kEqual) return;
        const auto [cut, candidates, top] = target.weighted() ? best_cut<true>(node, rows, place, known, least, scratch)
                                            : k == 2 ? best_cut_of_two(node, rows, place, known, least, scratch)
                                                     : best_cut<false>(node, rows, place, known, least, scratch);
        if (candidates == 0 || cut == 0) return;
        const double paid = price_ ? top - std::log2(candidates) / node.total : top;
        if (!(paid > kEqual)) return;
        const Side l(at_left), r(at_right);
        Candidate c;
        const bool some_missing = rows.size() < node.n_rows;
        if (problem_.scorer->traits().ratio && (!some_missing || problem_.missing == Missing::shared)) {
            const double own = x_log_x(node.total) - x_log_x(l.total) - x_log_x(r.total) -
                               (some_missing ? x_log_x(node.total - known) : 0.0);
            c.gain = own > kEqual ? paid / (own / node.total) : 0.0;
        } else {  // the price takes the same part of whatever the criterion says of the cut; paid is of all rows
            const double sizes[2] = {l.total, r.total};
            c.gain = problem_.scorer->gain(l, r) * (paid / information(l, r));
            if (some_missing && problem_.missing != Missing::either)
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
        const auto& all = problem_.full->numbers(columns_[place]);
        return *(std::upper_bound(all.begin(), all.end(), cut) - 1);
    }

    const Problem problem_;
    std::vector<u32> columns_;
    bool tenth_, price_, values_, below_;
    std::vector<double> x_log_x_;               // of whole numbers, where rows weigh 1
    std::vector<std::vector<double>> numbers_;  // per numeric column: those of the rows here, ascending
};

}  // namespace

std::vector<Param> c45_params() {
    return {{"sides",
             "weight each side of a cut needs beyond min_samples_leaf: none, or a tenth of the node's weight per "
             "class, at most 25",
             Param::Type::choice,
             0,
             0,
             1,
             {"any", "tenth"}},
            {"price", "whether log2(cuts tried) / weight is subtracted from the gain of a column's best cut",
             Param::Type::flag, 0},
            {"cut",
             "where the threshold goes: midway between two values, at the largest training value below that, or just "
             "below the midpoint, so that a row exactly on it goes right (rpart)",
             Param::Type::choice,
             0,
             0,
             2,
             {"midpoint", "value", "below"}}};
}

bool is_c45(const Params& p) { return p.get("sides") != 0 || p.flag("price") || p.get("cut") == 1; }

std::unique_ptr<Family> make_c45_axis(const Problem& problem, const Params& params) {
    if (problem.target->regression())
        throw std::invalid_argument("split='axis': sides, price and cut='value' are for classes");
    return std::make_unique<AxisC45>(problem, params);
}

}  // namespace bough
