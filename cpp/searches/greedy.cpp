// greedy: GreedyCut, then moves and swaps while they gain. At least half the largest cut.
#include "nominal/graph.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

void search(const Contingency& t, const PartitionSink& sink, const LocalSearch& local) {
    Graph graph(t, sink);
    Graph::Cut cut = graph.greedy_cut();
    if (!(graph.total() > 0)) return offer_something(t, sink);  // all values are alike
    const std::vector<u8> start = cut.left;
    const double before = graph.weight(cut);
    graph.improve(cut, local);
    const double after = graph.weight(cut);
    // The start counts only where the better cut breaks a limit on leaves, or is no better up to rounding.
    if (sink.limited() || before >= after * (1 - kRunning)) sink.offer(t, start);
    sink.offer(t, cut.left);
    sink.prove(std::min(2 * after, graph.total()) * graph.scale());
}

}  // namespace

void search_greedy(const Contingency& t, const PartitionSink& sink, Rng&) { search(t, sink, {}); }

void register_greedy(Registry& r) {
    Info info{"greedy", "GreedyCut, then moves and swaps of categories while they gain: at least half the largest cut",
              "Sahni & Gonzalez 1976; Mello Pereira 2018", local_params()};
    r.nominal.push_back(nominal_plugin(std::move(info), Needs::graph, [](const Params& p) -> NominalSearch {
        return [local = local_of(p, p.count("most_swapped"))](const Contingency& t, const PartitionSink& sink, Rng&) {
            search(t, sink, local);
        };
    }));
}

}  // namespace bough
