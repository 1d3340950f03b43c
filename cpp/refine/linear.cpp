#include "refine/linear.hpp"
#include "base/per_thread.hpp"

#include <algorithm>

#include "base/dot.hpp"

namespace bough {

namespace {

constexpr double kRidge = 1e-3;       // of a coefficient, as a share of the rows times the column's variance
constexpr u32 kNewtonSteps = 8;       // of one fit
constexpr double kSettledFit = 1e-4;  // a fit ends when its objective changes by less than this share
constexpr u32 kVain = 4;              // terms in turn that may be added without a better split
constexpr u32 kMostValues = 64;       // of a nominal column that may be a term
constexpr double kPriorRows = 2;      // of no score, that each value has besides its own

// Solves a·x = b for a symmetric positive matrix by rows; false if it is not one.
bool solve(std::vector<double>& a, std::vector<double>& b, u32 n) {
    for (u32 i = 0; i < n; ++i)
        for (u32 j = 0; j <= i; ++j) {
            double s = a[i * n + j];
            for (u32 k = 0; k < j; ++k) s -= a[i * n + k] * a[j * n + k];
            if (i == j && s <= 0) return false;
            a[i * n + j] = i == j ? std::sqrt(s) : s / a[j * n + j];
        }
    for (u32 i = 0; i < n; ++i) {
        for (u32 k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (u32 i = n; i-- > 0;) {
        for (u32 k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

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
        : linear_(linear), gains_(gains), slot_(slot), team_(team), rows_(gains.of(slot)), m_(rows_.size()) {
        weight_.resize(m_);
        right_.resize(m_);
        slope_.resize(m_);
        curve_.resize(m_);
        const double mean = gains.size[slot] / static_cast<double>(m_);
        double right = 0;
        for (std::size_t i = 0; i < m_; ++i) {
            const double gain = gains.row[rows_[i]].gain;
            weight_[i] = std::fabs(gain) / mean;
            right_[i] = gain < 0;
            right += right_[i] ? weight_[i] : 0.0;
        }
        const double share = right / static_cast<double>(m_);
        coefficients_.push_back(std::log(share / (1 - share)));
        for (std::size_t i = 0; i < m_; ++i) {
            slope_[i] = weight_[i] * ((right_[i] ? 1.0 : 0.0) - share);
            curve_[i] = weight_[i] * share * (1 - share);
        }
        used_.assign(linear.columns_.size(), 0);
    }

    Offer run(double price, double worth) {
        Offer best;
        double last = -kInf;
        for (u32 vain = 0; terms_.size() < linear_.most_terms_;) {
            const double next = static_cast<double>(std::max<std::size_t>(terms_.size() + 1, 2));
            if (gains_.most(slot_) - price * next <= worth || !add()) break;
            fit();
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
        double variance;             // of what follows
        std::vector<double> value;   // of each row, from the column's mean in units of its spread
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
        for (std::size_t i = 0; i < m_; ++i) {
            const u32 v = static_cast<u32>(x.codes[rows_[i]]);
            scores[v] += slope_[i];
            curve[v] += curve_[i];
            ++count[v];
            all += curve_[i];
        }
        u32 known = 0;
        for (u32 v = 0; v < x.n_values; ++v) {
            const bool enough = count[v] >= linear_.min_value_rows_;
            known += enough;
            scores[v] = enough ? scores[v] / (curve[v] + kPriorRows * all / static_cast<double>(m_)) : 0.0;
        }
        return known;
    }

    // A value as the model sees it; a missing number is at the mean.
    u32 read(u32 column, std::vector<double>& to, std::vector<double>& scores) const {
        const Column& x = linear_.table_.columns[column];
        to.resize(m_);
        scores.clear();
        if (x.kind == ColumnKind::nominal) {
            const u32 known = score_values(x, scores);
            for (std::size_t i = 0; i < m_; ++i) to[i] = scores[static_cast<u32>(x.codes[rows_[i]])];
            return known;
        }
        const double mean = linear_.moments_.means[column], scale = linear_.scale_[column];
        for (std::size_t i = 0; i < m_; ++i) {
            const double z = (x.value(rows_[i]) - mean) * scale;
            to[i] = is_missing(z) ? 0.0 : z;
        }
        return 2;
    }

    // How much a column would help, by the score statistic, which grows by 1 for each score that tells nothing.
    double score(u32 column) const {
        auto& z = per_thread<std::vector<double>, struct ZHere>();
        auto& scores = per_thread<std::vector<double>, struct ScoresOfValues>();
        const u32 values = read(column, z, scores);
        if (values < 2) return 0;
        double g = 0, q = 0, s = 0, sum = 0, squares = 0, h = 0;
        for (std::size_t i = 0; i < m_; ++i) {
            const double c = curve_[i] * z[i], w = weight_[i] * z[i];
            g += slope_[i] * z[i];
            s += c;
            q += c * z[i];
            sum += w;
            squares += w * z[i];
            h += curve_[i];
        }
        const double n = static_cast<double>(m_), variance = squares / n - sum / n * (sum / n);
        const double information = q - s * s / h;
        if (variance < kNoSpread || information < kNoInformation * n * variance) return 0;
        return g * g / (information + kRidge * n * variance) - (values - 2);
    }

    bool add() {
        const auto& columns = linear_.columns_;
        scores_.assign(columns.size(), 0.0);
        team_.each(columns.size(), [&](std::size_t j, int) {
            if (!used_[j]) scores_[j] = score(columns[j]);
        });
        std::size_t best = columns.size();
        double most = kNoScore;
        for (std::size_t j = 0; j < columns.size(); ++j)
            if (scores_[j] > most) most = scores_[j], best = j;
        if (best == columns.size()) return false;
        used_[best] = 1;
        Term term{columns[best], 0, {}, {}};
        read(term.column, term.value, term.scores);
        double sum = 0, squares = 0;
        const double n = static_cast<double>(m_);
        for (std::size_t i = 0; i < m_; ++i)
            sum += weight_[i] * term.value[i], squares += weight_[i] * term.value[i] * term.value[i];
        term.variance = squares / n - sum / n * (sum / n);
        terms_.push_back(std::move(term));
        coefficients_.push_back(0.0);
        return true;
    }

    // Newton's steps on the logistic model of the terms; leaves its slopes and curvatures at the rows.
    void fit() {
        const u32 s = static_cast<u32>(coefficients_.size());
        const double n = static_cast<double>(m_);
        std::vector<double> h(s * s), g(s), before = coefficients_, x(s, 1.0);
        double last = kInf;
        for (u32 step = 0; step <= kNewtonSteps; ++step) {
            linear_.budget_.poll();
            std::fill(h.begin(), h.end(), 0.0);
            std::fill(g.begin(), g.end(), 0.0);
            double objective = 0;
            for (std::size_t i = 0; i < m_; ++i) {
                double e = coefficients_[0];
                for (u32 k = 1; k < s; ++k) e += coefficients_[k] * (x[k] = terms_[k - 1].value[i]);
                const double p = 1 / (1 + std::exp(-e));
                objective -= weight_[i] * std::log(std::max(right_[i] ? p : 1 - p, kLeastShare));
                const double r = weight_[i] * ((right_[i] ? 1.0 : 0.0) - p),
                             c = weight_[i] * std::max(p * (1 - p), kLeastCurve);
                slope_[i] = r;
                curve_[i] = c;
                for (u32 k = 0; k < s; ++k) {
                    g[k] += r * x[k];
                    const double cx = c * x[k];
                    for (u32 l = 0; l <= k; ++l) h[k * s + l] += cx * x[l];
                }
            }
            for (u32 k = 1; k < s; ++k) objective += 0.5 * ridge(k) * coefficients_[k] * coefficients_[k];
            if (step > 0 && objective > last + kWorse * std::fabs(last)) {  // too far
                for (u32 k = 0; k < s; ++k) coefficients_[k] = (coefficients_[k] + before[k]) / 2;
                if (step == kNewtonSteps) return;
                continue;
            }
            if (step == kNewtonSteps || std::fabs(last - objective) < kSettledFit * std::fabs(objective)) return;
            last = objective;
            for (u32 k = 1; k < s; ++k) {
                g[k] -= ridge(k) * coefficients_[k];
                h[k * s + k] += ridge(k);
            }
            for (u32 k = 0; k < s; ++k) h[k * s + k] += kLeastDiagonal * n;
            before = coefficients_;
            if (!solve(h, g, s)) return;
            for (u32 k = 0; k < s; ++k) coefficients_[k] += g[k];
        }
    }
    double ridge(u32 k) const { return kRidge * static_cast<double>(m_) * std::max(terms_[k - 1].variance, kNoSpread); }

    // The split along the coefficients, its largest one in units of a spread being 1, cut where prediction sees rows.
    Offer placed() const {
        Offer offer;
        Split& split = offer.split;
        split.kind = NodeKind::linear;
        split.gaps_at_center = linear_.gaps_;
        offer.terms = static_cast<double>(terms_.size());
        std::vector<u32> order(terms_.size());
        for (u32 t = 0; t < order.size(); ++t) order[t] = t;
        std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return terms_[a].column < terms_[b].column; });
        std::erase_if(order, [&](u32 t) { return !gains_.pull[slot_].allows(terms_[t].column, coefficients_[t + 1]); });
        if (order.size() < 2) return offer;
        offer.terms = static_cast<double>(order.size());
        double most = 0;
        bool nominal = false;
        for (u32 t : order) {
            double unit = terms_[t].scores.empty() ? 1 : 0;
            for (double score : terms_[t].scores) unit = std::max(unit, std::fabs(score)), nominal = true;
            most = std::max(most, std::fabs(coefficients_[t + 1]) * unit);
        }
        if (!(most > 0)) return offer;
        for (u32 t : order) {
            const Term& term = terms_[t];
            const double weight = coefficients_[t + 1] / most;
            auto put = [&](double w, u32 value) {
                split.term_columns.push_back(term.column);
                split.term_weights.push_back(w);
                if (nominal) split.term_values.push_back(value);
            };
            if (term.scores.empty()) put(weight * linear_.scale_[term.column], kNone);
            for (u32 v = 0; v < term.scores.size(); ++v)
                if (term.scores[v] != 0) put(weight * term.scores[v], v);
        }
        const SplitView view = view_of(split, linear_.moments_.centers);
        auto& along = per_thread<Sorter, struct SorterOfSums>();
        along.x.resize(m_);
        for (std::size_t i = 0; i < m_; ++i) along.x[i] = position(view, linear_.table_.columns, rows_[i]);
        Sweep sweep(gains_.slack(slot_), kPosition);
        along.each(linear_.budget_, [&](u32 i, double z) { sweep.add(z, gains_.row[rows_[i]].gain); });
        if (!sweep.found()) return offer;
        offer.gain = sweep.gain();
        split.cut = sweep.cut();
        return offer;
    }

    const Linear& linear_;
    const RowGains& gains_;
    const u32 slot_;
    Team& team_;
    std::span<const u32> rows_;
    const std::size_t m_;
    std::vector<double> weight_;         // mean 1
    std::vector<u8> right_;              // is that the better side?
    std::vector<double> slope_, curve_;  // of the model at each row
    std::vector<double> coefficients_;   // the constant, and one for each term
    std::vector<Term> terms_;
    std::vector<u8> used_;
    std::vector<double> scores_;
};

Offer Linear::best(const RowGains& gains, u32 slot, double price, double worth, Team& team) const {
    if (gains.less(slot) <= price || columns_.size() < 2) return {};
    return Search(*this, gains, slot, team).run(price, worth);
}

}  // namespace bough
