#include "families/axis_c45.hpp"

#include <numeric>

#include "base/per_thread.hpp"
#include "base/xlogx.hpp"
#include "grow/known.hpp"

namespace bough {

namespace {

// Bits that a cut tells of rows of known value, for each unit of their weight; next to none are none.
double gain_of(double bits, double known, double total) {
    const double of_all = known / total * bits;
    return std::fabs(of_all) <= kEqual ? 0.0 : of_all / known;
}

// Bits for each unit of weight that the two sides tell.
double information(const Side& l, const Side& r) {
    double sum = x_log_x(l.total + r.total) - x_log_x(l.total) - x_log_x(r.total);
    for (std::size_t c = 0; c < l.size(); ++c) sum += x_log_x(l.w[c]) + x_log_x(r.w[c]) - x_log_x(l.w[c] + r.w[c]);
    return sum / (l.total + r.total);
}

}  // namespace

C45Cuts::C45Cuts(const Problem& problem, const Params& params)
    : problem_(problem),
      tenth_(params.get("sides") == 1),
      price_(params.flag("price")),
      values_(params.get("cut") == 1) {
    if (problem.target->regression())
        throw std::invalid_argument("split='axis': sides, price and cut='value' are for classes");
    if (problem.target->weighted()) return;
    x_log_x_.resize(problem.table->n_rows + 1);
    for (std::size_t i = 0; i < x_log_x_.size(); ++i) x_log_x_[i] = x_log_x(static_cast<double>(i));
}

// Σ x·log2 x of both sides: the gain in bits times the node's weight. The terms of a class change with its rows. Where
// rows weigh 1, all these are known.
template <bool kWeighted>
C45Cuts::Cut C45Cuts::best_cut(const Node& node, const PackedColumn& column, double known, double least,
                               Scratch& scratch) const {
    auto& [left, right, at_left, at_right, of_left, of_right, touched] = scratch;
    const std::size_t k = node.weights.size();
    const u32 *entries = column.low.entries, n = column.low.size, rank_mask = column.packing->rank_mask;
    auto term = [&](double w) {
        if constexpr (kWeighted)
            return x_log_x(w);
        else
            return x_log_x_[static_cast<std::size_t>(w)];
    };
    auto value = [&](u32 entry) { return column.column->value(column.packing->row(entry)); };
    auto apart = [&](u32 a, u32 b) {  // ranks that differ prove it
        return ((a ^ b) & rank_mask) != 0 || (column.ambiguous && value(a) + kApart < value(b));
    };
    left.assign(k, 0.0);
    of_left.assign(k, 0.0);
    of_right.resize(k);
    touched.resize(k);
    Cut best;
    u32 n_touched = 0;
    double sum_left = 0, sum_right = 0, left_weight = 0;
    for (std::size_t c = 0; c < k; ++c) sum_right += of_right[c] = term(right[c]);
    const double before = term(known) - sum_right;
    for (u32 i = 1; i < n; ++i) {
        const u32 entry = entries[i - 1], c = column.cls(entry);
        const double w = kWeighted ? column.weight(column.packing->row(entry)) : 1.0;
        left[c] += w;
        right[c] = kWeighted ? std::max(0.0, right[c] - w) : right[c] - 1.0;
        left_weight += w;
        if (n_touched < k && (n_touched == 0 || touched[n_touched - 1] != c)) touched[n_touched++] = c;
        if (!apart(entry, entries[i]) || left_weight < least - kEqual || known - left_weight < least - kEqual) continue;
        ++best.candidates;
        if (n_touched == k) std::iota(touched.begin(), touched.end(), 0u);  // perhaps all of them
        for (u32 j = 0; j < n_touched; ++j) {
            const u32 t = touched[j];
            sum_left -= of_left[t];
            sum_right -= of_right[t];
            sum_left += of_left[t] = term(left[t]);
            sum_right += of_right[t] = term(right[t]);
        }
        n_touched = 0;
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

void C45Cuts::offer(const Node& node, const PackedColumn& column, const CutSink& sink) const {
    const PackedList& list = column.low;
    const double k = static_cast<double>(node.weights.size());
    auto& scratch = per_thread<Scratch, struct ScratchHere>();
    double known = 0;
    if (list.size == node.n_rows && !column.weights) {
        scratch.right = node.weights;
        known = node.total;
    } else {
        scratch.right.assign(node.weights.size(), 0.0);
        for (u32 i = 0; i < list.size; ++i) {
            const double w = column.weight(column.packing->row(list.entries[i]));
            scratch.right[column.cls(list.entries[i])] += w, known += w;
        }
    }
    double least = std::max<double>(problem_.limits.min_rows, problem_.limits.min_weight);
    if (tenth_ && 0.1 * known / k > least + kEqual) least = std::min(0.1 * known / k, 25.0);
    if (list.size < 2 || list.size < 2 * least - kEqual) return;
    const auto [cut, candidates, top] = column.weights ? best_cut<true>(node, column, known, least, scratch)
                                                       : best_cut<false>(node, column, known, least, scratch);
    if (candidates == 0 || cut == 0) return;
    const double paid = price_ ? top - std::log2(candidates) / node.total : top;
    if (!(paid > kEqual)) return;
    const Side l(scratch.at_left), r(scratch.at_right);
    Candidate c;
    const bool some_missing = list.size < node.n_rows;
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
    c.balance = std::min(l.total, r.total);
    c.key = {sink.column, 0, cut};
    c.family = sink.family;
    c.payload.a = list.id;
    c.payload.b = cut << 1 | (left_is_heavier(l.total, r.total) ? 1 : 0);
    c.payload.x = paid;
    sink.best->offer(c);
}

double C45Cuts::stored(double cut, u32 column) const {
    if (!values_) return cut;
    const auto& all = problem_.full->numbers(column);  // the largest value of the table that is not above the cut
    return *(std::upper_bound(all.begin(), all.end(), cut) - 1);
}

std::vector<Param> c45_params() {
    return {
        choice_param(
            "sides",
            "weight each side of a cut needs beyond min_samples_leaf: none, or a tenth of the node's weight per "
            "class, at most 25",
            {"any", "tenth"}),
        {"price", "whether log2(cuts tried) / weight is subtracted from the gain of a column's best cut",
         Param::Type::flag, 0},
        choice_param(
            "cut",
            "where the threshold goes: midway between two values, at the largest training value below that, or just "
            "below the midpoint, so that a row exactly on it goes right (rpart)",
            {"midpoint", "value", "below"})};
}

bool is_c45(const Params& p) { return p.get("sides") != 0 || p.flag("price") || p.get("cut") == 1; }

}  // namespace bough
