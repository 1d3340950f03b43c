#include "nominal/partition_table.hpp"

#include "nominal/family.hpp"

namespace bough {

TablePartition partition_table(const double* table, u32 n, u32 k, const std::string& criterion,
                               const FamilyPlugin& search, const std::map<std::string, double>& given,
                               std::span<const double> costs, u64 seed, Budget& budget) {
    TablePartition out{std::vector<u8>(n, 0)};
    Contingency t = Contingency::of_table(table, n, k);
    if (t.n_values < 2 || t.n_classes < 2) return out;
    std::vector<double> weights{kInf, 0}, scaled,
        none;  // the least and the greatest, which is all that is asked of them
    for (double w : t.w) {
        if (w > 0 && w < weights[0]) weights[0] = w;
        if (w > weights[1]) weights[1] = w;
    }
    Target target;
    target.n_classes = t.n_classes;
    target.weights = weights;
    rescale(target, scaled, none);
    std::vector<double> present_costs;  // of the classes that have any weight
    if (!costs.empty()) {
        for (u32 a : t.classes)
            for (u32 b : t.classes) present_costs.push_back(costs[std::size_t{a} * k + b]);
        target.costs = present_costs;
        t.classes.clear();  // numbered anew
    }
    if (target.exponent != 0) {
        for (double& w : t.w) w = std::ldexp(w, -target.exponent);
        t.integral = false;
        t.add_up();
    }

    const auto& plugin = Registry::find(Registry::get().criteria, criterion);
    const auto scorer = plugin.make(target);
    Table columns;  // what searches check before they start
    columns.columns.push_back({ColumnKind::nominal});
    columns.columns[0].n_values = t.n_values;
    Problem problem;
    problem.table = &columns;
    problem.target = &target;
    problem.scorer = scorer.get();
    problem.budget = &budget;
    const auto family = search.make(problem, Params(search.info, given));

    Node node;
    node.weights = node.counts = node.present_weights = t.all;
    for (u32 c = 0; c < t.n_classes; ++c) node.present.push_back(c);
    node.n_rows = t.n_values;
    node.total = t.total;
    Best best(scorer->unit(node), t.total);
    const PartitionSink sink(problem, 0, 0, false, best);
    Rng rng = Rng::at(seed, child_path(kRootPath, 0));
    static_cast<const NominalFamily&>(*family).search(t, sink, rng);
    if (best.empty()) return out;
    const Candidate& winner = best.winner();
    for (u32 v = 0; v < t.n_values; ++v) out.left[t.codes[v]] = winner.payload.split->goes_left[v];
    const int back = plugin.traits.degree * target.exponent;
    out.gain = std::ldexp(static_cast<double>(winner.gain), back);
    out.bound = std::ldexp(sink.bound(), back);
    return out;
}

}  // namespace bough
