// partitioner: the partition that a function of the user's own returns for the table of a node.
#include "searches/searches.hpp"

namespace bough {

void register_partitioner(Registry& r) {
    FamilyPlugin plugin =
        nominal_plugin({"partitioner", "what your own function returns: nominal=bough.partitioner(fn)", "bough"},
                       NominalSearch{}, false, Needs::labels);
    plugin.function = true;
    plugin.make = [](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
        if (!p.functions.partition)
            throw std::invalid_argument("nominal='partitioner' needs a function: nominal=bough.partitioner(fn)");
        return std::make_unique<NominalFamily>(
            p, params, [functions = p.functions](const Contingency& t, const PartitionSink& sink, Rng&) {
                try {
                    sink.offer(t, functions.partition(t.w, t.n_values, t.n_classes));
                } catch (...) {
                    functions.failed();
                    throw;
                }
            });
    };
    r.nominal.push_back(std::move(plugin));
}

}  // namespace bough
