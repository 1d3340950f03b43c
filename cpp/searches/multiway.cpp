// multiway: one child for each value at the node, or one for each value of the column, of which some may be
// empty.
#include <numeric>

#include "base/slack.hpp"
#include "base/xlogx.hpp"
#include "nominal/family.hpp"

namespace bough {

namespace {

// A branch for every value of the column, as C4.5 makes them: two of them need min_samples_leaf rows.
class EveryValue final : public TableFamily {
   public:
    using TableFamily::TableFamily;

    Split resolve(const Node&, const NodeState*, const Candidate& c) const override {
        Split split;
        split.kind = NodeKind::multiway;
        split.column = c.key.column;
        split.values.resize(problem_.table->columns[c.key.column].n_values);
        std::iota(split.values.begin(), split.values.end(), 0u);
        split.other = c.payload.a;
        return split;
    }

   private:
    void offer(const Node& node, const Contingency& t, u32 column, Best& best) const override {
        const double limit = std::max<double>(problem_.limits.min_rows, problem_.limits.min_weight) - kEqual;
        u32 large = 0, heaviest = 0;
        double lightest = kInf, sum = x_log_x(t.total);
        for (u32 v = 0; v < t.n_values; ++v) {
            large += t.totals[v] >= limit;
            if (t.totals[v] > t.totals[heaviest]) heaviest = v;
            lightest = std::min(lightest, t.totals[v]);
            sum -= x_log_x(t.totals[v]);
            for (double w : t.of(v)) sum += x_log_x(w);
        }
        if (large < 2) return;
        for (double w : t.all) sum -= x_log_x(w);
        const bool some_missing = t.n_rows < node.n_rows;
        if (some_missing) sum *= t.total / node.total;
        const double bits = std::fabs(sum) <= kEqual ? 0.0 : sum / t.total;
        Gain gain = 0;
        if (problem_.scorer->traits().ratio && (!some_missing || problem_.missing == Missing::shared)) {
            double own = x_log_x(node.total) - (some_missing ? x_log_x(node.total - t.total) : 0.0);
            for (double w : t.totals) own -= x_log_x(w);
            gain = own > kEqual ? bits / (own / node.total) : 0.0;
        } else if (bits != 0) {
            std::vector<Side> children;
            for (u32 v = 0; v < t.n_values; ++v) children.push_back(Side(t.of(v)).of(t.classes));
            gain = std::max<Gain>(problem_.scorer->gain_of_many(children), 0);
            if (some_missing) gain = of_all(problem_, gain, t.totals, node.total);
        }
        best.offer({gain, lightest, {column}, index, {.a = t.codes[heaviest], .x = bits}});
    }
};

void search_multiway(const Contingency& t, const PartitionSink& sink, Rng&) { sink.offer_multiway(t); }

}  // namespace

void register_multiway(Registry& r) {
    FamilyPlugin plugin = nominal_plugin(
        {"multiway",
         "one child per category at the node",
         "Quinlan 1986 (ID3), C4.5, mlpack",
         {choice_param("branches", "categories that get a child: those at the node, or all of the column's",
                       {"present", "all"})}},
        search_multiway, true);
    plugin.make = [present = plugin.make](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
        if (params.get("branches") == 0) return present(p, params);
        if (p.target->regression()) throw std::invalid_argument("nominal='multiway': branches='all' is for classes");
        return std::make_unique<EveryValue>(p);
    };
    r.nominal.push_back(std::move(plugin));
}

}  // namespace bough
