#include "selectors/association.hpp"
#include "base/per_thread.hpp"

namespace bough {

namespace {

// Σ (w − e)²/e over one row of a table, divided by the whole weight.
double row_share(std::span<const double> row, double row_total, std::span<const double> columns, double total) {
    double sum = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
        const double expected = row_total * (columns[c] / total);
        if (expected > 0) sum += (row[c] - expected) / expected * ((row[c] - expected) / total);
    }
    return sum;
}

// Sums of one numeric column at a node, in units of its range.
struct ColumnSums {
    std::vector<double> moved;    // per class of the table: Σ w·(x − mean), known rows
    std::vector<double> missing;  // per class: weight of the rows without a value
    double n_missing = 0, known = 0, spread = 0;
    double moved_y = 0, missing_y = 0;  // regression: Σ w·(x − mean)·(y − ȳ), and Σ w·(y − ȳ) of missing rows
    bool constant = true;
};

void sum_up(const Node& node, const Column& column, const Target& target, ColumnSums& s) {
    double low = kInf, high = -kInf;
    for (u32 row : node.rows) {
        const double x = column.value(row);
        low = x < low ? x : low;  // false for NaN
        high = x > high ? x : high;
    }
    s.moved.assign(node.weights.size(), 0.0);
    s.missing.assign(node.weights.size(), 0.0);
    s.n_missing = s.known = s.spread = s.moved_y = s.missing_y = 0;
    s.constant = !(low < high);
    // Halves: the range of two doubles may be no double.
    const double origin = low / 2, range = high / 2 - origin;
    auto place = [&](double x) { return (x / 2 - origin) / range; };
    double sum = 0;
    for (u32 row : node.rows) {
        const double x = column.value(row), w = target.weight(row);
        if (is_missing(x)) {
            ++s.n_missing;
            if (target.regression())
                s.missing_y += w * (target.numbers[row] - node.mean);
            else
                s.missing[target.classes[row]] += w;
            continue;
        }
        s.known += w;
        if (!s.constant) sum += w * place(x);
    }
    if (s.constant) return;
    const double mean = sum / s.known;
    for (u32 row : node.rows) {
        const double x = column.value(row), w = target.weight(row);
        if (is_missing(x)) continue;
        const double d = place(x) - mean;
        s.spread += w * d * d;
        if (target.regression())
            s.moved_y += w * d * (target.numbers[row] - node.mean);
        else
            s.moved[target.classes[row]] += w * d;
    }
}

}  // namespace

Association association(const Node& node, const Contingency& t) {
    if (t.n_values < 2) return {};
    double share = 0;
    if (t.regression()) {
        if (!(node.spread > 0)) return {};
        for (u32 v = 0; v < t.n_values; ++v) share += t.z[v] / t.totals[v] * (t.z[v] / node.spread);
        return {share, t.n_values - 1.0};
    }
    if (t.n_classes < 2) return {};
    const auto& classes = t.n_rows == node.n_rows ? node.present_weights : t.all;
    for (u32 v = 0; v < t.n_values; ++v) share += row_share(t.of(v), t.totals[v], classes, t.total);
    return {share, (t.n_values - 1.0) * (t.n_classes - 1.0)};
}

Association association(const Node& node, const Column& column, const Target& target) {
    auto& s = per_thread<ColumnSums, struct SHere>();
    const double classes = target.regression() ? 2 : static_cast<double>(node.present.size());
    if (classes < 2 || (target.regression() && !(node.spread > 0))) return {};
    sum_up(node, column, target, s);
    Association a;
    if (!s.constant && s.spread > 0) {
        a.df += classes - 1;
        if (target.regression())
            a.share += s.moved_y / s.spread * (s.moved_y / node.spread);
        else
            for (u32 c : node.present) a.share += s.moved[c] / node.weights[c] * (s.moved[c] / s.spread);
    }
    if (s.n_missing > 0 && s.n_missing < node.n_rows) {
        a.df += classes - 1;
        const double gone = node.total - s.known;
        if (target.regression()) {
            a.share += s.missing_y / gone * (s.missing_y / node.spread);
            a.share += s.missing_y / s.known * (s.missing_y / node.spread);
        } else {
            for (u32 c : node.present) {
                const double off = s.missing[c] - gone * (node.weights[c] / node.total);
                a.share += off / node.weights[c] * (off / gone) * (node.total / s.known);
            }
        }
    }
    return a;
}

Cases::Cases(const Problem& problem) : target_(problem.target), origins_(problem.table->origins), integral_(true) {
    for (double w : target_->weights) {
        const double given = std::ldexp(w, target_->exponent);
        integral_ &= given == std::floor(given) && given < kNone;
    }
}

double Cases::of(const Node& node) const {
    if (!target_->weighted()) return node.n_rows;
    if (integral_) return std::ldexp(node.total, target_->exponent);
    double squares = 0;
    for (u32 row : node.rows) squares += target_->weight(row) / node.total * target_->weight(row);
    return node.total / squares;
}

double Cases::by_chance(const Node& node, const Column& column, const Contingency& t) const {
    std::vector<double> squares(t.n_values, 0.0);  // Σ (times drawn)² · cases, by value
    double all = 0;
    bool repeats = false;
    for (std::size_t i = 0, next; i < node.rows.size() && !column.counted; i = next) {
        const u32 row = node.rows[i], origin = origins_.empty() ? row : origins_[row];
        for (next = i + 1; next < node.rows.size(); ++next)
            if ((origins_.empty() ? node.rows[next] : origins_[node.rows[next]]) != origin) break;
        if (column.codes[row] < 0) continue;
        const double times = static_cast<double>(next - i), w = target_->weight(row);
        const double square = times * times * w * (integral_ ? 1.0 : w);
        const auto v = std::lower_bound(t.codes.begin(), t.codes.end(), static_cast<u32>(column.codes[row]));
        squares[static_cast<std::size_t>(v - t.codes.begin())] += square;
        all += square;
        repeats |= times > 1;
    }
    if (!repeats) return (t.n_values - 1) / (of(node) - 1);
    double within = 0;
    for (u32 v = 0; v < t.n_values; ++v) within += squares[v] / t.totals[v];
    return (within - all / t.total) / (t.total - all / t.total);
}

}  // namespace bough
