// Grows a tree where rows lie on several machines: the loop over the store of counts, a level at a time. Nominal
// columns, filters of columns, stop rules and ties are those of the common loop. Nodes of few rows are left to be grown
// in one place.
//
// Mean and spread of a node, and class weights where their sums are rounded, are taken row by row, from portion to
// portion: they, and all that is stored, are those of one machine to the last bit.
//
// A conversation: next() is a request to all portions, take() takes the sum of their answers. At the end batches() asks
// for the rows of nodes that are moved, and the subtrees that grow from them are taken likewise.
#pragma once

#include "distributed/counts.hpp"
#include "grow/loop.hpp"

namespace bough {

// What a driver is told besides its plan.
struct DriverStart {
    // The least and the greatest weight of a row, and one that is no whole number if there is any, and no multiple of
    // 1/kParts if there is such a one; empty if all weigh 1. A weight may be the product of two, of which that is one.
    std::vector<double> some;
    double weight = 0;    // of all rows of the table, about
    u32 few = 0;          // nodes of so many rows are moved, if that is cheaper than counting what is below them
    bool forest = false;  // portions are rows that were drawn
    u32 most_numbers = 1u << 18;  // rows in bins that are looked into at a time, but for a single node with more
};

class Driver {
   public:
    static constexpr double kParts = 1024;  // weights of halves, quarters … down to this are added up exactly

    Driver(Layout layout, const Plan& plan, DriverStart start);
    Driver(const Driver&) = delete;  // its parts point at each other

    // What is asked next; none once all nodes are settled but for those that are moved.
    std::optional<Request> next();
    // Do the portions answer one after the other, each going on from the answer before it?
    bool one_after_the_other() const { return stage_ == Ask::measure && rounds_ && !store_.layout().regression; }
    // Are answers added up in the order of the portions? Then the same portions give the same bytes.
    bool in_order() const {
        return store_.directions() && (store_.layout().regression || store_.weighted() || stage_ != Ask::find);
    }
    void take(Answer&& answer, Budget& budget);
    // The nodes that are moved, together up to `few` rows a request; the largest come first, so that those who grow
    // them end at the same time.
    std::vector<Request> batches();

    u32 n_asked() const { return static_cast<u32>(asked_.size()); }
    // Rows of nodes that are not grown yet; of all.
    u64 rows_left() const;
    u64 rows_moved() const;
    u64 n_rows() const { return n_rows_; }
    u64 n_looked() const { return n_looked_; }
    const Moments& moments() const { return store_.problem().moments; }
    Tree finish(Budget& budget) &&;

   private:
    using Growth = Loop<CountStore>;
    // A node of this level, and its split once that is found.
    struct Waiting {
        std::unique_ptr<Growth::Found> found;
        bool decided = false, splits = false;
        CountStore::Handle& at() const { return found->open.at; }
    };

    bool are_rounded() const;
    void take_moments(const Answer& a);
    // Calls each(node, number) for the root, or for the children of splits that were found.
    template <class Each>
    void each_unmeasured(Each each) {
        if (!loop_) return each(root_, 0u);
        for (auto& found : pending_)
            for (u32 c = 0; c < found->decision.children.size(); ++c)
                each(found->decision.children[c], found->decision.first + c);
    }
    void take_measures(const Answer& a);
    void plant();
    void place(std::vector<Growth::Open>& nodes);
    bool moves(const Node& node) const;
    void begin_level();
    void take_sums(const Answer& a, Budget& budget);
    void take_counts(const Answer& a);
    void list_wanted(Budget& budget);
    void look_into(Budget& budget);
    void take_found(const Answer& a, Budget& budget);
    void decide(Waiting& one);
    void settle(Budget& budget);
    void conclude();
    void graft(Answer&& a, Budget& budget);

    Plan plan_;
    const DriverStart start_;
    CountStore store_;
    const bool rounds_;  // are class weights rounded, or is a number predicted? Then nodes wait to be measured
    Records records_;
    ColumnDraw columns_;
    Budget silent_;
    std::optional<SplitAcceptance> acceptance_;
    std::optional<Growth> loop_;  // once the root is measured
    u32 few_;

    Ask stage_ = Ask::measure;
    bool done_ = false;
    u32 level_number_ = 0, n_nodes_ = 1;
    u64 n_rows_ = 0, n_looked_ = 0;
    double weight_ = 0;
    Node root_;
    std::vector<NumberEnds> ends_;    // of the numbers at nodes that wait to be measured
    std::vector<Waiting> level_;      // nodes that are searched
    std::vector<std::size_t> asked_;  // those of them that are counted
    std::vector<WantedBin> wanted_;
    std::size_t looked_ = 0, until_ = 0;                   // so many of them are known; are asked for
    std::vector<SentSplit> splits_;                        // that the portions do not know yet
    std::vector<std::unique_ptr<Growth::Found>> pending_;  // splits that wait for their children to be measured
    BestFirst<Growth::Found> frontier_;
    std::vector<std::pair<MovedNode, u32>> moved_;  // and their records
};

}  // namespace bough
