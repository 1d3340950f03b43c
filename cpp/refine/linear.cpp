#include "refine/linear.hpp"

#include <algorithm>

#include "base/per_thread.hpp"
#include "refine/logistic.hpp"
#include "refine/positions.hpp"

namespace bough {

namespace {

constexpr u32 kVain = 4;                 // terms in turn that may be added without a better split
constexpr u32 kMostValues = 64;          // of a nominal column that may be a term
constexpr double kPriorRows = 2;         // of no score, that each value has besides its own
constexpr std::size_t kKept = 1u << 20;  // values of columns at a node that are kept

}  // namespace

Linear::Linear(const Table& table, const Moments& moments, u32 most_terms, u32 min_value_rows, Budget& budget)
    : table_(table),
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
        for (u32 row = 0; row < table.n_rows && !gaps_; ++row) gaps_ = is_missing(x.value(row));
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
          scores_(linear.columns_.size(), 0.0) {
        const std::size_t values = used_.size() * model_.n();
        kept_.resize(values <= kKept ? values : 0);
    }

    Offer run(double price, double worth) {
        Offer best;
        double last = -kInf;
        for (u32 vain = 0; terms_.size() < linear_.most_terms_;) {
            const double next = static_cast<double>(std::max<std::size_t>(terms_.size() + 1, 2));
            if (gains_.most(slot_) - price * next <= worth || !add()) break;
            model_.fit(linear_.budget_);
            if (terms_.size() < 2) continue;
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

    // For each value of a nominal column a step of Newton's on the model so far; rare values have none. Returns how
    // many there are.
    u32 score_values(const Column& x, std::vector<double>& scores) const {
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
        u32 known = 0;
        for (u32 v = 0; v < x.n_values; ++v) {
            const bool enough = count[v] >= linear_.min_value_rows_;
            known += enough;
            scores[v] = enough ? scores[v] / (curve[v] + kPriorRows * all / model_.n()) : 0.0;
        }
        return known;
    }

    // Values as the model sees them; a missing number is at the mean.
    void read(u32 column, std::span<const double> scores, double* to) const {
        const Column& x = linear_.table_.columns[column];
        if (x.kind == ColumnKind::nominal) {
            for (u32 row : rows_) *to++ = scores[static_cast<u32>(x.codes[row])];
            return;
        }
        const double mean = linear_.moments_.means[column], scale = linear_.scale_[column];
        for (u32 row : rows_) {
            const double z = (x.value(row) - mean) * scale;
            *to++ = is_missing(z) ? 0.0 : z;
        }
    }

    // How much a column would help, by the score statistic, which grows by 1 for each score that tells nothing.
    double score(std::size_t j) {
        auto& here = per_thread<std::vector<double>, struct ZHere>();
        auto& product = per_thread<std::vector<double>, struct ProductHere>();
        auto& scores = per_thread<std::vector<double>, struct ScoresOfValues>();
        const u32 n = model_.n(), column = linear_.columns_[j];
        here.resize(n);
        product.resize(n);
        const bool number = linear_.table_.columns[column].kind == ColumnKind::numeric, kept = number && !kept_.empty();
        const u32 values = number ? 2 : score_values(linear_.table_.columns[column], scores);
        if (values < 2) return 0;
        double* z = kept ? kept_.data() + j * n : here.data();
        if (!kept || variance_[j] < 0) read(column, scores, z);
        if (!number || variance_[j] < 0) variance_[j] = model_.variance_of(z, product.data());
        for (u32 i = 0; i < n; ++i) product[i] = model_.curve[i] * z[i];
        const double g = dot_of(n, model_.slope.data(), z), s = sum_of(n, product.data()),
                     q = dot_of(n, product.data(), z), information = q - s * s / curvature_;
        if (variance_[j] < kNoSpread || information < kNoInformation * n * variance_[j]) return 0;
        return g * g / (information + kRidge * n * variance_[j]) - (values - 2);
    }

    bool add() {
        const auto& columns = linear_.columns_;
        curvature_ = sum_of(model_.n(), model_.curve.data());
        team_.each(columns.size(), [&](std::size_t j, int) { scores_[j] = used_[j] ? 0.0 : score(j); });
        std::size_t best = columns.size();
        double most = kNoScore;
        for (std::size_t j = 0; j < columns.size(); ++j)
            if (scores_[j] > most) most = scores_[j], best = j;
        if (best == columns.size()) return false;
        used_[best] = 1;
        Term term{columns[best], {}};
        const Column& x = linear_.table_.columns[term.column];
        if (x.kind == ColumnKind::nominal) score_values(x, term.scores);
        std::vector<double> value(model_.n());
        read(term.column, term.scores, value.data());
        model_.add(std::move(value));
        terms_.push_back(std::move(term));
        return true;
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
        const Positions position(view_of(split, linear_.moments_.centers), linear_.table_.columns);
        auto& along = per_thread<Sorter, struct SorterOfSums>();
        along.x.resize(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) along.x[i] = position(rows_[i]);
        Sweep sweep(gains_.slack(slot_), kPosition);
        along.each(linear_.budget_, [&](u32 i, double z) { sweep.add(z, gains_.gain[rows_[i]]); });
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
    double curvature_ = 0;  // the sum
    std::vector<Term> terms_;
    std::vector<u8> used_;
    std::vector<double> variance_;  // of each column; -1: not known yet
    std::vector<double> kept_;      // values of numbers, column by column; empty: too many
    std::vector<double> scores_;
};

Offer Linear::best(const RowGains& gains, u32 slot, double price, double worth, Team& team) const {
    if (gains.less(slot) <= price || columns_.size() < 2) return {};
    return Search(*this, gains, slot, team).run(price, worth);
}

}  // namespace bough
