// What nodes grow from: rows and what they weigh, and the families that look at them. A tree has one ground of all its
// rows; where rows are shared among the children of a node, each child that is split has a ground of its own. So has a
// child of few rows where there are many classes: its own are numbered anew, and nobody below looks at all the others.
#pragma once

#include <optional>

#include "grow/family.hpp"
#include "grow/plan.hpp"
#include "grow/records.hpp"
#include "grow/selector.hpp"
#include "grow/surrogates.hpp"
#include "grow/worth.hpp"

namespace bough {

// What all grounds of a tree have in common.
struct Fit {
    Fit(const Data& data, const Table& whole, const Plan& plan, Budget& budget);

    const Data& data;
    const WholeTable whole;
    const Plan& plan;
    Budget& budget;
    LeafLimits limits;
    Moments moments;
    double weight = 0;       // of all rows
    std::vector<u8> gaps;    // per column: some row lacks its value and the plan has a way for such rows
    bool any_gaps = false;   // in any column
    std::vector<u8> spared;  // per column: no row of the whole table lacks its value, so that a cut needs no surrogates
    std::optional<Surrogates> surrogates;
    std::span<const u32> rows;     // see Problem
    const Ranks* ranks = nullptr;  // likewise
};

// Rows of the data, what each of them weighs and what classes they have.
struct Lot {
    std::vector<u32> rows;
    std::vector<double> weights;  // empty: as in the data
    std::vector<u32> classes;     // those of the data that are here, by their number here; empty: as in the data
};

class Ground;

// A node that waits to be split, with what the families remember about it.
struct Open {
    Node node;
    u32 record = 0;
    u32 rows_begin = 0;
    std::shared_ptr<Ground> ground;
    std::unique_ptr<Lot> lot;  // what its own ground will be made from
    std::vector<std::unique_ptr<NodeState>> states;
    std::vector<double> log_p;  // what the selector found out about the columns, if it tests them

    std::span<const u32> classes() const;  // see Lot
};

// A split that has been found worth making.
struct Decision {
    Candidate candidate;
    Split split;
    std::vector<Node> children;
    std::vector<Lot> lots;   // of the children, where rows are shared among them
    Node stayed;             // rows that go to none of them
    bool flipped = false;    // its sides have changed places since it was proposed
    double improvement = 0;  // weighted decrease of impurity, for growing best first
};

class Ground {
   public:
    Ground(const Fit& fit, Team& team);           // of all rows
    Ground(const Fit& fit, Lot lot, Team& team);  // of some
    // Gives a node that holds all rows of the ground what the families remember of it.
    void begin(Open& open);
    // Completes the view of a node.
    void enter(Open& open);
    // May its one family grow what is below a node, with nobody else asking about columns or splits?
    bool grows_alone(const Open& open) const {
        const NodeState* state = alone_ ? open.states[0].get() : nullptr;  // none: a leaf
        return state && families_[0]->grows_alone(open.node, state);
    }
    TreeParts grow_below(Open& open, Worker& worker);
    // Finds the split of a node and measures its children; nothing if the node is left alone.
    std::optional<Division> decide(Open& open, Worker& worker, Decision& decision);
    // Which child every row of the node goes to.
    Division divide(const Open& open, const Decision& d, Worker& worker);
    // The children of a node, with their rows and memories.
    std::vector<Open> children_of(Open& open, Decision& d, Division& division, Worker& worker);
    std::span<const u32> classes() const { return lot_.classes; }

   private:
    void prepare(Team& team);
    void add_family(const FamilyPlugin& plugin, const std::map<std::string, double>& given);
    void search(Open& open, Worker& worker, Best& best);
    void measure_children(const Open& open, Decision& d, const Division& division);
    bool lacks(const Split& s, const Node& node) const;
    void add_surrogates(const Open& open, Decision& d);
    bool known_is_worth_making(const Open& open, Decision& d) const;
    void share_rows(const Open& open, Decision& d);
    void number_anew(const Open& open, Decision& d, Division& division, std::vector<Open>& children) const;
    void divide_rows(const Open& open, const Division& division, Worker& worker, std::vector<Open>& children);

    const Fit& fit_;
    Lot lot_;
    std::optional<Drawn> drawn_;
    Table table_;
    Target target_;
    Problem problem_;
    std::unique_ptr<Scorer> scorer_;
    std::unique_ptr<Selector> selector_;
    std::vector<std::unique_ptr<Family>> families_;
    std::vector<u32> rows_;
    std::vector<u32> own_classes_;   // of the rows, numbered anew
    std::vector<double> own_scale_;  // of these classes
    bool keep_rows_ = false, alone_ = false;
    bool numbers_anew_ = false;  // the classes of small children
    Worth worth_;
};

inline std::span<const u32> Open::classes() const {
    return lot ? std::span<const u32>(lot->classes) : ground->classes();
}

}  // namespace bough
