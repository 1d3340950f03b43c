// multiway: one child for each value at the node, or one for each value of the whole column, of which some may be
// empty.
#include "base/slack.hpp"
#include "nominal/family.hpp"

namespace bough {

namespace {

double x_log_x(double x) { return x < kEqual ? 0.0 : x * std::log2(x); }

// A branch for every value of the column, as C4.5 makes them: two of them need min_samples_leaf rows.
class EveryValue final : public Family {
   public:
    explicit EveryValue(const Problem& problem) : problem_(problem), nominal_(problem.table->of(ColumnKind::nominal)) {}

    void propose(const Node& node, NodeState*, Worker&, Best& best) override {
        for (u32 column : nominal_) {
            if (!node.allows(column)) continue;
            problem_.budget->poll();
            thread_local Tabulator tabulator;
            thread_local Contingency table;
            tabulator.tabulate(node, problem_.table->columns[column], *problem_.target, table);
            offer(table, column, best);
        }
    }

    double bits(const Candidate& c) const override { return c.payload.x; }

   private:
    void offer(const Contingency& t, u32 column, Best& best) const {
        const double limit = std::max<double>(problem_.limits.min_rows, problem_.limits.min_weight) - kEqual;
        u32 large = 0, heaviest = 0;
        double lightest = kInf, sum = x_log_x(t.total);
        std::vector<Side> children;
        for (u32 v = 0; v < t.n_values; ++v) {
            large += t.totals[v] >= limit;
            if (t.totals[v] > t.totals[heaviest]) heaviest = v;
            lightest = std::min(lightest, t.totals[v]);
            children.push_back(Side(t.of(v)).of(t.classes));
            sum -= x_log_x(t.totals[v]);
            for (double w : t.of(v)) sum += x_log_x(w);
        }
        if (large < 2) return;
        for (double w : t.all) sum -= x_log_x(w);
        const double told = std::fabs(sum) <= kEqual ? 0.0 : sum / t.total;
        const Gain gain = told == 0 ? 0 : std::max<Gain>(problem_.scorer->gain_of_many(children), 0);
        auto split = std::make_shared<Split>();
        split->kind = NodeKind::multiway;
        split->column = column;
        for (u32 code = 0; code < problem_.table->columns[column].n_values; ++code) split->values.push_back(code);
        split->other = t.codes[heaviest];
        best.offer({gain, lightest, {column}, index, {.x = told, .split = split}});
    }

    const Problem problem_;
    std::vector<u32> nominal_;
};

void search_multiway(const Contingency& t, const PartitionSink& sink, Rng&) { sink.offer_multiway(t); }

}  // namespace

void register_multiway(Registry& r) {
    FamilyPlugin plugin = nominal_plugin({"multiway",
                                          "one child for each value at the node",
                                          "Quinlan 1986 (ID3), C4.5, mlpack",
                                          {{"branches",
                                            "values that get a child: those at the node, or all of the column's",
                                            Param::Type::choice,
                                            0,
                                            0,
                                            1,
                                            {"present", "all"}}}},
                                         search_multiway, true);
    plugin.make = [present = plugin.make](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
        if (params.get("branches") == 0) return present(p, params);
        if (p.target->regression()) throw std::invalid_argument("nominal='multiway': branches='all' is for classes");
        return std::make_unique<EveryValue>(p);
    };
    r.nominal.push_back(std::move(plugin));
}

}  // namespace bough
