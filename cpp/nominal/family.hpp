// What nominal searches share with the loop: a family that makes the contingency table of each column and hands it to
// one of the searches in cpp/searches/.
#pragma once

#include "base/per_thread.hpp"
#include "grow/known.hpp"
#include "nominal/contingency.hpp"

namespace bough {

// Offers partitions of a table. `rng` is that of the node.
using NominalSearch = std::function<void(const Contingency&, const PartitionSink&, Rng&)>;

// Where the order of a numeric target counts: the values of a column by what a leaf of each would predict, every cut.
void propose_in_order(const Problem& problem, const Node& node, u32 column, u32 family, bool stop_unseen, Best& best);

class NominalFamily final : public Family {
   public:
    NominalFamily(const Problem& problem, const Params& params, NominalSearch search)
        : problem_(problem), search_(std::move(search)), stop_unseen_(params.get("unseen") == 1) {
        for (u32 c = 0; c < problem.table->n_columns(); ++c)
            if (problem.table->columns[c].kind == ColumnKind::nominal) nominal_.push_back(c);
    }
    // The search by itself, on any table.
    void search(const Contingency& t, const PartitionSink& sink, Rng& rng) const { search_(t, sink, rng); }
    void propose(const Node& node, NodeState*, Worker& worker, Best& best) override {
        const std::span<const u32> columns = node.among(nominal_);
        const bool many = u64{node.n_rows} * columns.size() > 200000;
        share_out(worker, columns.size(), many, best, [&](std::size_t i, Best& to) {
            const u32 column = columns[i];
            if (!node.allows(column)) return;
            problem_.budget->poll();
            if (problem_.scorer->traits().ordered)
                return propose_in_order(problem_, node, column, index, stop_unseen_, to);
            const Contingency& table = tabulated(node, problem_.table->columns[column], *problem_.target);
            if (table.n_values < 2) return;
            Rng rng = Rng::at(problem_.seed, child_path(node.path, column));
            auto search = [&](Best& found) {
                search_(table, PartitionSink(problem_, column, index, stop_unseen_, found), rng);
            };
            if (table.n_rows == node.n_rows) return search(to);
            Best own(problem_.scorer->unit(node), node.total);  // of the rows that have a value
            search(own);
            const bool multiway = !own.empty() && own.winner().payload.split->kind == NodeKind::multiway;
            offer_known(problem_, own, table.total, node.total, to,
                        multiway ? std::span<const double>(table.totals) : std::span<const double>());
        });
    }

    // A gain ratio times how evenly the values part the node.
    double bits(const Candidate& c) const override {
        return c.payload.split->kind == NodeKind::multiway ? static_cast<double>(c.gain) * c.payload.x : kNaN;
    }

   private:
    const Problem problem_;
    NominalSearch search_;
    bool stop_unseen_;
    std::vector<u32> nominal_;
};

// The parameter that every nominal family has.
inline Param unseen_param() {
    return choice_param("unseen",
                        "a category that was not at the node in training follows the heavier child, or stops there",
                        {"heavier", "stop"});
}

// A plug-in from a search that is made from its parameters.
inline FamilyPlugin nominal_plugin(Info info, Needs needs, std::function<NominalSearch(const Params&)> search) {
    info.params.push_back(unseen_param());
    FamilyPlugin plugin{std::move(info), [search](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
                            return std::make_unique<NominalFamily>(p, params, search(params));
                        }};
    plugin.needs = needs;
    return plugin;
}

// Families that make one candidate of the table of a column, as C4.5 does:
class TableFamily : public Family {
   public:
    explicit TableFamily(const Problem& problem)
        : problem_(problem), nominal_(problem.table->of(ColumnKind::nominal)) {}

    void propose(const Node& node, NodeState*, Worker&, Best& best) final {
        for (u32 column : node.among(nominal_)) {
            if (!node.allows(column)) continue;
            problem_.budget->poll();
            offer(node, tabulated(node, problem_.table->columns[column], *problem_.target), column, best);
        }
    }
    double bits(const Candidate& c) const final { return c.payload.x; }

   protected:
    virtual void offer(const Node& node, const Contingency& t, u32 column, Best& best) const = 0;

    const Problem problem_;

   private:
    std::vector<u32> nominal_;
};

// A plug-in from a search that needs nothing but the table.
inline FamilyPlugin nominal_plugin(Info info, NominalSearch search, bool multiway = false,
                                   Needs needs = Needs::nothing) {
    FamilyPlugin plugin = nominal_plugin(std::move(info), needs, [search](const Params&) { return search; });
    plugin.multiway = multiway;
    return plugin;
}

}  // namespace bough
