// one_vs_rest: each value alone against all others.
#include "base/slack.hpp"
#include "base/xlogx.hpp"
#include "nominal/graph.hpp"
#include "searches/searches.hpp"

namespace bough {

void search_one_vs_rest(const Contingency& t, const PartitionSink& sink, Rng&) {
    if (!sink.scorer().traits().sums) {  // a value's own edges are what such a partition cuts
        Graph graph(t, sink);
        std::vector<double> cuts(t.n_values, 0.0);
        double top = 0;
        for (u32 v = 0; v < t.n_values; ++v) {
            const double* e = graph.row(v);
            for (u32 u = 0; u < t.n_values; ++u) cuts[v] += e[u];
            top = std::max(top, cuts[v]);
            if (v % 64 == 63) sink.poll();
        }
        std::vector<u8> left(t.n_values, 0);
        for (u32 v = 0; v < t.n_values; ++v) {
            if (cuts[v] < top * (1 - kRunning) && !sink.limited()) continue;
            left[v] = 1;
            sink.offer(t, left);
            left[v] = 0;
        }
        return;
    }
    Partition p(t);
    for (u32 v = 0; v < t.n_values; ++v) {
        p.flip(v);
        sink.offer(p);
        p.flip(v);
    }
}

namespace {

// As C4.5 parts values in two: the first of the best ratios, sides by weight, and every value of the column has a side.
class OneValue final : public TableFamily {
   public:
    using TableFamily::TableFamily;

   private:
    void offer(const Node& node, const Contingency& t, u32 column, Best& best) const override {
        const double least = std::max<double>(problem_.limits.min_rows, problem_.limits.min_weight) - kEqual;
        double top = 0, bits = 0;
        u32 chosen = kNone;
        for (u32 v = 0; v < t.n_values; ++v) {
            const double here = t.totals[v], rest = t.total - here;
            if (here < least || rest < least) continue;
            double sum = x_log_x(t.total) - x_log_x(here) - x_log_x(rest);
            for (u32 c = 0; c < t.n_classes; ++c) {
                const double w = t.of(v)[c];
                sum += x_log_x(w) + x_log_x(t.all[c] - w) - x_log_x(t.all[c]);
            }
            sum *= t.total / node.total;
            const double gain = std::fabs(sum) <= kEqual ? 0.0 : sum / t.total;
            const double own = x_log_x(node.total) - x_log_x(here) - x_log_x(rest) - x_log_x(node.total - t.total);
            const double ratio = std::fabs(own) <= kEqual ? 0.0 : gain / (own / node.total);
            if (chosen != kNone && !(ratio > top + kEqual)) continue;
            chosen = v;
            top = ratio;
            bits = gain;
        }
        if (chosen == kNone) return;
        auto split = std::make_shared<Split>();
        split->kind = NodeKind::subset;
        split->column = column;
        for (u32 code = 0; code < problem_.table->columns[column].n_values; ++code) {
            split->values.push_back(code);
            split->goes_left.push_back(code == t.codes[chosen] ? 1 : 0);
        }
        split->other = left_is_heavier(t.totals[chosen], t.total - t.totals[chosen]) ? 0 : 1;
        const double balance = std::min(t.totals[chosen], t.total - t.totals[chosen]);
        best.offer({top, balance, {column}, index, {.x = bits, .split = split}});
    }
};

}  // namespace

void register_one_vs_rest(Registry& r) {
    FamilyPlugin plugin =
        nominal_plugin({"one_vs_rest", "each category alone against all others", "common"}, search_one_vs_rest);
    plugin.make = [plain = plugin.make](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
        if (p.limits.by_weight && p.scorer->traits().ratio) return std::make_unique<OneValue>(p);
        return plain(p, params);
    };
    r.nominal.push_back(std::move(plugin));
}

}  // namespace bough
