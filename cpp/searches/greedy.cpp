// greedy: GreedyCut, then moves and swaps while they gain. At least half the largest cut.
#include "nominal/graph.hpp"
#include "searches/searches.hpp"

namespace bough {

namespace {

void search(const Contingency& t, const PartitionSink& sink, u32 most_swapped) {
    Graph graph(t, sink);
    std::vector<u8> left = graph.greedy_cut();
    const std::vector<u8> start = left;
    graph.improve(left, most_swapped);
    sink.offer(t, start);  // counts only where the better cut breaks a limit on leaves
    sink.offer(t, left);
    sink.prove(std::min(2 * graph.cut(left), graph.total()) * graph.scale());
}

}  // namespace

void search_greedy(const Contingency& t, const PartitionSink& sink, Rng&) { search(t, sink, 2000); }

void register_greedy(Registry& r) {
    Info info{"greedy",
              "GreedyCut, then moves and swaps of values while they gain: at least half the largest cut",
              "Sahni & Gonzalez 1976; Mello Pereira 2018",
              {{"most_swapped", "values up to which swaps are tried; beyond, single moves only", Param::Type::integer,
                2000, 0, 1e9}}};
    r.nominal.push_back(nominal_plugin(std::move(info), Needs::graph, [](const Params& p) -> NominalSearch {
        const u32 most = p.count("most_swapped");
        return [=](const Contingency& t, const PartitionSink& sink, Rng&) { search(t, sink, most); };
    }));
}

}  // namespace bough
