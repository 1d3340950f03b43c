// conditional_inference: the column whose association with the target is the surest is split, if it is sure
// enough; where it has no cut that is allowed the next one is, if that is sure enough. Tests are compared by the
// logarithms of their p-values: the p-values themselves are 0 on any large table, and then the first column would win.
#include "grow/selector.hpp"
#include "selectors/filters.hpp"

namespace bough {

namespace {

constexpr double kMostStatistic = 1e300;
const double kLeastLogP = -53 * std::log(2.0);  // 1 − cdf is 0 below it

class ConditionalInference final : public Selector {
   public:
    ConditionalInference(const Problem& problem, const Params& params)
        : problem_(problem),
          filters_(params),
          cases_(problem),
          log_alpha_(std::log(params.get("alpha"))),
          bonferroni_(params.flag("bonferroni")),
          saturated_(params.count("p_values") == 1) {}

    bool select(const Node& node, Worker& worker, Selection& s) override {
        const u32 d = problem_.table->n_columns();
        const double n = cases_.of(node);
        s.log_p.resize(d, kNaN);
        each_column(*worker.team, node, d, [&](u32 c) {
            if (!s.allowed[c]) return;
            s.log_p[c] = test(node, c, n);
            s.allowed[c] = !is_missing(s.log_p[c]);
        });
        std::vector<u32> left;
        for (u32 c = 0; c < d; ++c)
            if (s.allowed[c]) left.push_back(c);
        if (left.empty()) return true;  // all are constant or filtered; there is nothing to propose
        const double adjustment = bonferroni_ ? std::log(left.size()) : 0.0;
        while (!left.empty()) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < left.size(); ++i) {
                const double least = compared(s.log_p[left[best]]);
                if (compared(s.log_p[left[i]]) < least - kTie * std::fabs(least)) best = i;
            }
            if (s.log_p[left[best]] + adjustment > log_alpha_ && log_alpha_ < 0) break;
            s.next.push_back({left[best]});
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
        }
        if (s.next.empty()) return false;
        for (u32 c = 0; c < d; ++c) s.allowed[c] = c == s.next[0][0];
        s.next.erase(s.next.begin());
        return true;
    }

   private:
    // Saturated: those below what 1 − cdf tells from 0 are one, so that the first of their columns is the best.
    double compared(double log_p) const { return saturated_ ? std::max(log_p, kLeastLogP) : log_p; }
    // The log p-value of a column, NaN where there is nothing to test.
    double test(const Node& node, u32 c, double n) const {
        problem_.budget->poll();
        const Column& column = problem_.table->columns[c];
        Association a;
        if (column.kind == ColumnKind::nominal) {
            const Contingency& table = tabulated(node, column, *problem_.target);
            if (!filters_.pass(node, table, n)) return kNaN;
            a = association(node, table);
        } else {
            a = association(node, column, *problem_.target);
        }
        if (!(a.df > 0)) return kNaN;
        return chi2_log_tail(std::min(std::max(n - 1, 0.0) * a.share, kMostStatistic), a.df);
    }

    const Problem problem_;
    Filters filters_;
    Cases cases_;
    double log_alpha_;
    bool bonferroni_, saturated_;
};

}  // namespace

void register_conditional_inference(Registry& r) {
    Info info{"conditional_inference",
              "of the columns that can be split, the one with the smallest p-value of c_quad, if that is at most alpha",
              "Hothorn, Hornik & Zeileis 2006 (ctree)", Filters::params()};
    info.params.insert(
        info.params.begin(),
        {{"alpha", "a node becomes a leaf if the smallest adjusted p-value is larger; 1: never", Param::Type::real,
          0.05, 0, 1},
         {"bonferroni", "p-values are multiplied by the number of columns tested at the node", Param::Type::flag, 1},
         choice_param("p_values",
                      "compared by their logarithms, however small; or as 1 − cdf computes them: the smallest all "
                      "round to 0, and "
                      "the first of those columns is split",
                      {"logarithms", "saturated"})});
    r.selectors.push_back({info, [](const Problem& p, const Params& params) {
                               return std::make_unique<ConditionalInference>(p, params);
                           }});
}

}  // namespace bough
