// score: every column may be split that the filters let pass; the best gain decides.
#include "grow/selector.hpp"
#include "selectors/filters.hpp"

namespace bough {

namespace {

class Score final : public Selector {
   public:
    Score(const Problem& problem, const Params& params)
        : problem_(problem), filters_(params), cases_(*problem.target) {}

    bool passive() const override { return !filters_.any() || !problem_.table->has(ColumnKind::nominal); }

    bool select(const Node& node, Workplace& place, Selection& selection) override {
        const double n = cases_.of(node);
        each_column(*place.team, node, problem_.table->n_columns(), [&](u32 c) {
            const Column& column = problem_.table->columns[c];
            if (!selection.allowed[c] || column.kind != ColumnKind::nominal) return;
            problem_.budget->poll();
            thread_local Tabulator tabulator;
            thread_local Contingency table;
            tabulator.tabulate(node, column, *problem_.target, table);
            selection.allowed[c] = filters_.pass(node, table, n);
        });
        return true;
    }

   private:
    const Problem problem_;
    Filters filters_;
    Cases cases_;
};

}  // namespace

void register_score(Registry& r) {
    r.selectors.push_back({{"score", "every column may be split, the best gain wins", "common", Filters::params()},
                           [](const Problem& p, const Params& params) { return std::make_unique<Score>(p, params); }});
}

}  // namespace bough
