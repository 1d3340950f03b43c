// score: every column may be split that the filters let pass; the best gain decides. Nominal columns of many values,
// which win by their number alone, have to tell more than as many values would by chance.
#include "grow/selector.hpp"
#include "selectors/filters.hpp"

namespace bough {

namespace {

// How much a column tells, as a multiple of what its number of values makes of nothing: the share of the Gini index
// (numbers: of the sum of squares) that the values explain, per value, over the share that a row explains. If rows
// and target were shuffled its mean would be exactly 1; an id has 1.
double ratio(const Node& node, const Contingency& t, double by_chance) {
    double share = 0;
    if (t.regression()) {
        share = association(node, t).share;
    } else {
        double all = t.total, within = 0;
        for (double c : t.all) all -= c / t.total * c;
        for (u32 v = 0; v < t.n_values; ++v) {
            within += t.totals[v];
            for (double w : t.of(v)) within -= w / t.totals[v] * w;
        }
        share = all > 0 ? (all - within) / all : 0.0;
    }
    return share / by_chance;
}

class Score final : public Selector {
   public:
    Score(const Problem& problem, const Params& params)
        : problem_(problem),
          filters_(params),
          cases_(problem),
          min_ratio_(params.get("min_ratio")),
          few_values_(params.count("few_values")),
          first_(params.flag("first")) {
        for (const Column& c : problem.table->columns)
            if (c.kind == ColumnKind::nominal) {
                any_ |= filters_.any();
                many_ |= c.n_values > few_values_ && min_ratio_ > 0;
            }
    }

    bool passive() const override { return !any_ && !many_; }
    bool first_of_equals() const override { return first_; }

    bool select(const Node& node, Worker& worker, Selection& selection) override {
        const double n = cases_.of(node);
        const u32 d = problem_.table->n_columns();
        std::vector<u8> reserve(d, 0);
        each_column(*worker.team, node, d, [&](u32 c) {
            const Column& column = problem_.table->columns[c];
            if (!selection.allowed[c] || column.kind != ColumnKind::nominal) return;
            if (!any_ && column.n_values <= few_values_) return;
            problem_.budget->poll();
            const Contingency& table = tabulated(node, column, *problem_.target);
            selection.allowed[c] = filters_.pass(node, table, n);
            if (!selection.allowed[c] || table.n_values <= few_values_ || !(min_ratio_ > 0)) return;
            const double f = ratio(node, table, cases_.by_chance(node, column, table));
            selection.allowed[c] = f >= min_ratio_;
            reserve[c] = f > 1 && f < min_ratio_;
        });
        std::vector<u32> more;
        for (u32 c = 0; c < d; ++c)
            if (reserve[c]) more.push_back(c);
        if (!more.empty()) selection.next.push_back(more);
        return true;
    }

   private:
    const Problem problem_;
    Filters filters_;
    Cases cases_;
    double min_ratio_;
    u32 few_values_;  // columns of up to so many are left alone: two flags whose XOR is the class tell nothing alone
    bool first_;
    bool any_ = false, many_ = false;
};

}  // namespace

void register_score(Registry& r) {
    Info info{"score", "every column may be split; the best gain wins", "common", Filters::params()};
    info.params.push_back({"min_ratio",
                           "a nominal column with many categories at the node must explain this many times what so "
                           "many categories explain by chance (once, if nothing else can be split); 0: no such rule",
                           Param::Type::real, 1.5, 0, kInf});
    info.params.push_back(
        {"few_values", "most categories of a column that is exempt from min_ratio", Param::Type::integer, 10, 1, 1e9});
    info.params.push_back(
        {"first", "ties go to the first column and the lowest cut, as in rpart, instead of the most balanced split",
         Param::Type::flag, 0, 0, 1});
    r.selectors.push_back(
        {info, [](const Problem& p, const Params& params) { return std::make_unique<Score>(p, params); }});
}

}  // namespace bough
