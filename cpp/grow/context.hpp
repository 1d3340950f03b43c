// What the nodes of a tree grow from where families propose splits: rows and what they weigh, the families, the
// selector. A tree has one context of all its rows; where rows are shared among the children of a node, each child that
// is split has a context of its own. So has a child of few rows where there are many classes: its own are numbered
// anew.
#pragma once

#include <optional>

#include "grow/accept.hpp"
#include "grow/family.hpp"
#include "grow/plan.hpp"
#include "grow/selector.hpp"
#include "grow/surrogates.hpp"
#include "stores/decision.hpp"
#include "stores/row_ids.hpp"

namespace bough {

// What all contexts of a tree have in common.
struct Fit {
    Fit(const Data& data, const Table& full, const Plan& plan, bool compacts, Budget& budget);

    const Data& data;
    const FullTable full;
    const Plan& plan;
    const bool compacts;  // do small nodes go on from lists of their own?
    Budget& budget;
    LeafLimits limits;
    Moments moments;
    double weight = 0;           // of all rows
    std::vector<u8> missing_in;  // per column: some row lacks its value and the plan has a way for such rows
    bool any_missing = false;    // in any column
    std::vector<u8> spared;  // per column: no row of the whole table lacks its value, so that a cut needs no surrogates
    std::optional<Surrogates> surrogates;
    std::vector<u32> tie_places;   // see Problem
    std::span<const u32> rows;     // likewise
    const Ranks* ranks = nullptr;  // likewise
};

Problem problem_of(const Fit& fit, const Table& table, const Target& target, const Scorer& scorer, Team& team);

// What nodes grow from; the store below says how.
struct GrowthContext {
    GrowthContext(const Fit& fit, Team& team);                // of all rows
    GrowthContext(const Fit& fit, RowSubset of, Team& team);  // of some

    RowSubset subset;
    std::optional<SampledData> sampled;
    Table table;
    Target target;
    Problem problem;
    std::unique_ptr<Scorer> scorer;
    std::unique_ptr<Selector> selector;
    std::vector<std::unique_ptr<Family>> families;
    RowIds rows;
    std::vector<u32> own_classes;   // of the rows, numbered anew
    std::vector<double> own_scale;  // of these classes
    bool keeps_rows = false;
    bool numbers_anew = false;  // the classes of small children
    SplitAcceptance acceptance;

   private:
    void prepare(const Fit& fit, Team& team);
    void add_family(const FamilyPlugin& plugin, const std::map<std::string, double>& given);
};

// The store of nodes that families search, by the numbers of their rows: each is a node of some context.
class RowIdStore {
   public:
    struct Handle {
        Node node;
        bool open = true;
        u32 rows_begin = 0;
        std::shared_ptr<GrowthContext> context;
        std::unique_ptr<RowSubset> subset;  // what its own context will be made from
        std::vector<std::unique_ptr<NodeState>> states;
        std::vector<double> log_p;  // what the selector found out about the columns, if it tests them
    };
    struct Decision : bough::Decision {
        std::vector<RowSubset> subsets;  // of the children, where rows are shared among them
        bool flipped = false;            // its sides have changed places since it was proposed
        bool lacking = false;  // some row lacks the value that it asks for, and the plan has a way for such rows
        std::optional<Division> division;  // until another node is entered
        // The rows that have the value asked for, and their sides, where these alone say whether it is accepted.
        std::optional<Node> known;
        std::vector<Node> known_sides;
    };

    RowIdStore(const Fit& fit, Worker& worker) : fit_(fit), worker_(worker) {}
    Handle root(std::shared_ptr<GrowthContext> context, Node node);
    Handle adopt(Handle& at, RowIdStore&) { return std::move(at); }

    u32 n_columns() const { return fit_.data.table.n_columns(); }
    const Problem& problem() const { return here_->problem; }
    // Balances are equal up to a share of the weight; where the first of equal gains wins, all are.
    double tie_weight(const Node& node) const { return here_->selector->first_of_equals() ? kInf : node.total; }
    // A split of which surrogates send some rows is judged by the others.
    bool accepts(const Node& node, Decision& d) const {
        return here_->acceptance.accepts(d.known ? *d.known : node, d.known ? d.known_sides : d.children,
                                         d.candidate.price, d.improvement);
    }
    const Node& enter(Handle& at);
    bool search(Handle& at, std::span<const u32> columns, bool only, Pace& pace, Best& best);
    void resolve(Handle& at, Decision& d);
    void defer(Decision& d) { d.division.reset(); }
    void divide(Handle& at, Decision& d, std::vector<Handle>& children);
    void close(Handle&) {}
    std::span<const u32> classes(const Handle& at) const {
        return at.subset ? at.subset->classes : at.context->subset.classes;
    }
    std::span<const double> tests(const Handle& at) const { return at.log_p; }
    // Parts of rows count as such.
    double work(const Node& node) const {
        return fit_.any_missing ? node.total / fit_.weight * fit_.data.table.n_rows : node.n_rows;
    }
    // The lists that a node goes on from, if it does.
    Lists* compact(const Handle& at);

   private:
    void begin(Handle& at);
    bool any_missing(const Split& s, const Node& node) const;
    std::vector<u32> sides_of(const Split& s, const Node& node) const;
    Division division_of(const Handle& at, const Decision& d);
    void add_surrogates(const Handle& at, Decision& d) const;
    void share_rows(const Handle& at, Decision& d) const;
    void number_anew(const Handle& at, Decision& d, std::vector<Handle>& children) const;

    const Fit& fit_;
    Worker& worker_;
    GrowthContext* here_ = nullptr;
    Selection selection_;
};

}  // namespace bough
