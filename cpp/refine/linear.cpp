#include "refine/linear.hpp"

#include <algorithm>
#include <bit>

#include "base/per_thread.hpp"
#include "data/column_order.hpp"
#include "refine/logistic.hpp"
#include "refine/positions.hpp"

namespace bough {

namespace {

constexpr u32 kVain = 4;                 // terms in turn that may be added without a better split
constexpr u32 kMostValues = 64;          // of a nominal column that may be a term
constexpr double kPriorRows = 2;         // of no score, that each value has besides its own
constexpr std::size_t kKept = 1u << 20;  // values of columns at a node that are kept
constexpr u32 kMostBins = 1u << 16;      // of rows along a sum

}  // namespace

Linear::Linear(const Table& table, std::span<const OrderedColumn> ordered, const Moments& moments, u32 most_terms,
               u32 min_value_rows, Budget& budget)
    : table_(table),
      ordered_(ordered),
      moments_(moments),
      most_terms_(most_terms),
      min_value_rows_(min_value_rows),
      budget_(budget),
      scale_(table.n_columns(), 0.0) {
    for (u32 c = 0; c < table.n_columns(); ++c) {
        const Column& x = table.columns[c];
        if (x.kind == ColumnKind::nominal) {
            if (x.n_values > 1 && x.n_values <= kMostValues) columns_.push_back(c);
            continue;
        }
        gaps_ |= !ordered[c].missing.empty();
        scale_[c] = 1 / moments.spreads[c];
        if (moments.magnitudes[c] > 0 && std::isfinite(moments.magnitudes[c]) && std::isfinite(scale_[c]))
            columns_.push_back(c);
    }
}

// The search at one node.
class Linear::Search {
   public:
    Search(const Linear& linear, const RowGains& gains, u32 slot, Team& team)
        : linear_(linear),
          gains_(gains),
          slot_(slot),
          team_(team),
          rows_(gains.of(slot)),
          model_(rows_, gains),
          used_(linear.columns_.size(), 0),
          variance_(linear.columns_.size(), -1.0),
          weights_(linear.columns_.size()),
          pairs_(model_.n()),
          scores_(linear.columns_.size(), 0.0) {
        if (const std::size_t all = used_.size() * model_.size(); all <= kKept) {
            kept_ = &per_thread<RawBuffer<double>, struct KeptHere>();
            kept_->grow_to(all);
        }
        for (u32 c : linear.columns_)
            if (few_others(c)) at_row_.resize(linear.table_.n_rows);
    }

    Offer run(double price, double worth) {
        Offer best;
        double last = -kInf;
        for (u32 vain = 0; terms_.size() < linear_.most_terms_;) {
            const double next = static_cast<double>(std::max<std::size_t>(terms_.size() + 1, 2));
            if (gains_.most(slot_) - price * next <= worth || !add()) break;
            model_.fit(linear_.budget_);
            if (terms_.size() < 2 || !may_gain(worth + price * static_cast<double>(terms_.size()))) continue;
            Offer offer = placed();
            const double value = offer.gain - price * offer.terms, slack = gains_.slack(slot_);
            if (value > worth + slack) {
                worth = value;
                best = std::move(offer);
            }
            if (value > last + slack)
                last = value, vain = 0;
            else if (++vain == kVain)
                break;
        }
        return best;
    }

   private:
    struct Term {
        u32 column;
        std::vector<double> scores;  // of a nominal column, by code: its values
    };

    // Is it cheaper to visit all rows of the table that have not the most frequent value than those of the node?
    bool few_others(u32 c) const { return linear_.ordered_[c].n_others() < rows_.size(); }

    // What is to be summed up: two numbers of each row.
    void look_at(const std::vector<double>& a, const std::vector<double>& b) {
        for (u32 i = 0; i < model_.n(); ++i) pairs_[i] = {a[i], b[i]};
        for (u32 i = 0; i < model_.n() && !at_row_.empty(); ++i) at_row_[rows_[i]] = pairs_[i];
    }

    // Their sums by value of a nominal column.
    void sum_values(u32 c, Two total, std::vector<Two>& to) const {
        const OrderedColumn& x = linear_.ordered_[c];
        const u32 m = linear_.table_.columns[c].n_values, n = model_.n();
        if (few_others(c)) {
            to.assign(m, Two{});
            x.each_other([&](u32 row, u32) { to[static_cast<u32>(x.codes[row])] += at_row_[row]; });
            for (u32 v : x.values) total -= to[v];
            to[x.values[x.skipped]] = total;
            return;
        }
        to.assign(4 * m, Two{});  // in turn, so that additions need not wait for each other
        u32 i = 0;
        for (; i + 4 <= n; i += 4)
            for (u32 j = 0; j < 4; ++j) to[j * m + static_cast<u32>(x.codes[rows_[i + j]])] += pairs_[i + j];
        for (; i < n; ++i) to[static_cast<u32>(x.codes[rows_[i]])] += pairs_[i];
        for (u32 v = m; v < 4 * m; ++v) to[v % m] += to[v];
        to.resize(m);
    }

    // For each value of a nominal column a step of Newton's on the model so far; rare values have none.
    void score_values(const Column& x, std::vector<double>& scores) const {
        auto& curve = per_thread<std::vector<double>, struct CurveOfValues>();
        auto& count = per_thread<std::vector<u32>, struct RowsOfValues>();
        scores.assign(x.n_values, 0.0);
        curve.assign(x.n_values, 0.0);
        count.assign(x.n_values, 0);
        double all = 0;
        for (u32 i = 0; i < model_.n(); ++i) {
            const u32 v = static_cast<u32>(x.codes[rows_[i]]);
            scores[v] += model_.slope[i];
            curve[v] += model_.curve[i];
            ++count[v];
            all += model_.curve[i];
        }
        for (u32 v = 0; v < x.n_values; ++v)
            scores[v] = count[v] >= linear_.min_value_rows_ ? score_of_value(scores[v], curve[v], all) : 0.0;
    }
    double score_of_value(double slope, double curve, double all) const {
        return slope / (curve + kPriorRows * all / model_.n());
    }

    // A number as the model sees it; a missing one is at the mean.
    double standard(u32 column, double x) const {
        const double z = (x - linear_.moments_.means[column]) * linear_.scale_[column];
        return is_missing(z) ? 0.0 : z;
    }
    void read(u32 column, std::span<const double> scores, double* to) const {
        const OrderedColumn& x = linear_.ordered_[column];
        if (x.codes)
            for (u32 row : rows_) *to++ = scores[static_cast<u32>(x.codes[row])];
        else
            for (u32 row : rows_) *to++ = standard(column, x.x[row]);
    }

    // How much a column would help, by the score statistic, which grows by 1 for each score that tells nothing.
    double score(std::size_t j) {
        if (variance_[j] >= 0 && variance_[j] < kNoSpread) return 0;
        const u32 c = linear_.columns_[j];
        return linear_.ordered_[c].codes ? score_nominal(j) : few_others(c) ? score_sparse(j) : score_dense(j);
    }

    // From Σ slope·z, Σ curve·z and Σ curve·z².
    double statistic(double g, double s, double q, double variance) const {
        const u32 n = model_.n();
        const double information = q - s * s / model_.sums.b;
        if (variance < kNoSpread || information < kNoInformation * n * variance) return 0;
        return g * g / (information + kRidge * n * variance);
    }

    double score_dense(std::size_t j) {
        auto& here = per_thread<std::vector<double>, struct ZHere>();
        double* z = kept_ ? kept_->data() + j * model_.size() : nullptr;
        if (!z) here.resize(model_.size()), z = here.data();
        if (!kept_ || variance_[j] < 0) {
            std::fill(z + model_.n(), z + model_.size(), 0.0);
            read(linear_.columns_[j], {}, z);
        }
        if (variance_[j] < 0) variance_[j] = model_.variance_of(z);
        const double* x = z;
        const Products p = products(model_.size(), model_.slope.data(), model_.curve.data(), x, &x, 1);
        return statistic(p.a, p.b, p.of[0], variance_[j]);
    }

    // By how far numbers are from the most frequent one: variances do not depend on where they are.
    double score_sparse(std::size_t j) {
        const u32 c = linear_.columns_[j];
        const double origin = origin_of(c);
        double g = 0, s = 0, q = 0;
        each_difference(c, origin, [&](u32 row, double z) {
            g += at_row_[row].a * z;
            s += at_row_[row].b * z;
            q += at_row_[row].b * z * z;
        });
        return statistic(g + origin * model_.sums.a, s, q, variance_[j]);
    }
    template <class Visit>
    void each_difference(u32 c, double origin, Visit visit) const {
        const OrderedColumn& x = linear_.ordered_[c];
        const double most = x.x[x.row(x.skip_begin)], scale = linear_.scale_[c];
        x.each_other([&](u32 row, u32 i) { visit(row, (x.others[i] - most) * scale); });
        for (u32 row : x.missing) visit(row, -origin);
    }
    double origin_of(u32 c) const {
        const OrderedColumn& x = linear_.ordered_[c];
        return standard(c, x.x[x.row(x.skip_begin)]);
    }

    // What does not change while terms are added: variances of numbers, rows of categories. Weights are looked at.
    void prepare(std::size_t j) {
        const u32 c = linear_.columns_[j], n = model_.n();
        if (linear_.ordered_[c].codes) {
            sum_values(c, {static_cast<double>(n), static_cast<double>(n)}, weights_[j]);
        } else if (few_others(c)) {
            double mean = 0, square = 0;
            each_difference(c, origin_of(c), [&](u32 row, double z) {
                mean += at_row_[row].a * z / n;
                square += at_row_[row].a * z * z / n;
            });
            variance_[j] = std::max(square - mean * mean, 0.0);
        }
    }

    double score_nominal(std::size_t j) {
        auto& sums = per_thread<std::vector<Two>, struct SumsOfValues>();
        const u32 c = linear_.columns_[j], n = model_.n();
        sum_values(c, model_.sums, sums);
        double known = 0, g = 0, s = 0, q = 0, mean = 0, square = 0;
        for (u32 v : linear_.ordered_[c].values) {
            const Two weights = weights_[j][v];  // and rows
            if (weights.b < linear_.min_value_rows_) continue;
            ++known;
            const double z = score_of_value(sums[v].a, sums[v].b, model_.sums.b);
            g += z * sums[v].a;
            s += z * sums[v].b;
            q += z * z * sums[v].b;
            mean += z * weights.a / n;
            square += z * z * weights.a / n;
        }
        const double found = known < 2 ? 0 : statistic(g, s, q, std::max(square - mean * mean, 0.0));
        return found > 0 ? found - (known - 2) : 0;
    }

    bool add() {
        const auto& columns = linear_.columns_;
        if (terms_.empty()) {
            look_at(model_.weight, std::vector<double>(model_.n(), 1.0));
            team_.each(columns.size(), [&](std::size_t j, int) { prepare(j); });
        }
        look_at(model_.slope, model_.curve);
        team_.each(columns.size(), [&](std::size_t j, int) { scores_[j] = used_[j] ? 0.0 : score(j); });
        std::size_t best = columns.size();
        double most = kNoScore;
        for (std::size_t j = 0; j < columns.size(); ++j)
            if (scores_[j] > most * (1 + tolerance::gain)) most = scores_[j], best = j;  // the first of equals
        if (best == columns.size()) return false;
        used_[best] = 1;
        Term term{columns[best], {}};
        const Column& x = linear_.table_.columns[term.column];
        if (x.kind == ColumnKind::nominal) score_values(x, term.scores);
        std::vector<double> value(model_.size());
        read(term.column, term.scores, value.data());
        model_.add(std::move(value));
        terms_.push_back(std::move(term));
        return true;
    }

    // May a cut along the terms gain more than that? Rows fall into narrow bins by where they nearly are; of two bins
    // in turn, those that gain may be before the cut and the others behind it. Where the search may end because
    // nothing gets better, every split is placed.
    bool may_gain(double least) {
        if (linear_.most_terms_ > kVain + 1 || !gains_.pull[slot_].signs.empty()) return true;
        auto& at = per_thread<std::vector<double>, struct NearlyAt>();
        auto& bins = per_thread<std::vector<Two>, struct GainsOfBins>();
        const u32 n = model_.n(), n_bins = std::bit_ceil(std::min(n, kMostBins));
        const auto [low, high] = model_.positions(at);
        const double scale = (n_bins - 1) / (high - low);
        if (!(scale > 0 && scale < 1e300)) return true;
        bins.assign(n_bins, {});
        for (u32 i = 0; i < n; ++i) {
            const double gain = gains_.gain[rows_[i]];
            bins[static_cast<u32>((at[i] - low) * scale)] += {gain, std::max(gain, 0.0)};
        }
        double before = 0, most = -kInf;
        Two last;
        for (const Two& bin : bins) {
            most = std::max(most, before + last.b + bin.b);
            before += last.a;
            last = bin;
        }
        return most + gains_.slack(slot_) > least;
    }

    // The split along the coefficients, its largest one in units of a spread being 1, cut where prediction sees rows.
    Offer placed() const {
        const std::vector<double>& coefficients = model_.coefficients;
        Offer offer;
        Split& split = offer.split;
        split.kind = NodeKind::linear;
        split.gaps_at_center = linear_.gaps_;
        offer.terms = static_cast<double>(terms_.size());
        std::vector<u32> order(terms_.size());
        for (u32 t = 0; t < order.size(); ++t) order[t] = t;
        std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return terms_[a].column < terms_[b].column; });
        std::erase_if(order, [&](u32 t) { return !gains_.pull[slot_].allows(terms_[t].column, coefficients[t + 1]); });
        if (order.size() < 2) return offer;
        offer.terms = static_cast<double>(order.size());
        double most = 0;
        bool nominal = false;
        for (u32 t : order) {
            double unit = terms_[t].scores.empty() ? 1 : 0;
            for (double score : terms_[t].scores) unit = std::max(unit, std::fabs(score)), nominal = true;
            most = std::max(most, std::fabs(coefficients[t + 1]) * unit);
        }
        if (!(most > 0)) return offer;
        for (u32 t : order) {
            const Term& term = terms_[t];
            const double weight = coefficients[t + 1] / most;
            auto put = [&](double w, u32 value) {
                split.term_columns.push_back(term.column);
                split.term_weights.push_back(w);
                if (nominal) split.term_values.push_back(value);
            };
            if (term.scores.empty()) put(weight * linear_.scale_[term.column], kNone);
            for (u32 v = 0; v < term.scores.size(); ++v)
                if (term.scores[v] != 0) put(weight * term.scores[v], v);
        }
        auto& along = per_thread<std::vector<double>, struct AlongHere>();
        auto& sorted = per_thread<ColumnOrder, struct OrderOfSums>();
        along.resize(rows_.size());
        Positions(view_of(split, linear_.moments_.centers), linear_.table_.columns)
            .each(model_.n(), [&](u32 i) { return rows_[i]; }, [&](u32 i, double z) { along[i] = z; });
        sorted.sort(along, linear_.budget_);
        Sweep sweep(gains_.slack(slot_), kPosition);
        for (u32 i = 0; i < sorted.size(); ++i) sweep.add(sorted.number(i), gains_.gain[rows_[sorted.row(i)]]);
        if (!sweep.found()) return offer;
        offer.gain = sweep.gain();
        split.cut = sweep.cut();
        return offer;
    }

    const Linear& linear_;
    const RowGains& gains_;
    const u32 slot_;
    Team& team_;
    const std::span<const u32> rows_;
    Logistic model_;
    std::vector<Term> terms_;
    std::vector<u8> used_;
    std::vector<double> variance_;           // of each numeric column; -1: not known yet
    std::vector<std::vector<Two>> weights_;  // of each nominal column, by value: weight and rows
    std::vector<Two> pairs_;                 // that are summed up: by row of the node ...
    std::vector<Two> at_row_;                // ... and of the table, 0 for others; empty: not needed
    RawBuffer<double>* kept_ = nullptr;      // values of numbers, column by column; null: too many
    std::vector<double> scores_;
};

Offer Linear::best(const RowGains& gains, u32 slot, double price, double worth, Team& team) const {
    if (gains.less(slot) <= price || columns_.size() < 2) return {};
    return Search(*this, gains, slot, team).run(price, worth);
}

}  // namespace bough
