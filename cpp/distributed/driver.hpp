// The loop over nodes where rows lie on several machines: what is known of a node are counts that were added up. A cut
// of numbers is exact all the same: counts give the gain at the edges of bins, and a bound of the gain of every cut
// inside a bin by the corners of what its class counts leave open; only bins that could still win are looked into.
// Nominal columns, filters of columns, stop rules and ties are those of the common loop. Nodes of few rows are left to
// be grown in one place.
//
// Where numbers are predicted, sums of their distances from the node's mean and of the squares take the place of class
// counts. Mean and spread of a node, and class weights where their sums are rounded, are taken row by row, from portion
// to portion: they, and all that is stored, are those of one machine to the last bit.
//
// Where a tree cuts along directions, these are made of the sums of a node's numbers, and of their products; positions
// along them are then columns of the node's own.
//
// A conversation: next() is a request to all portions, take() takes the sum of their answers. At the end batches() asks
// for the rows of nodes that are moved, and the subtrees that grow from them are taken likewise.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "base/parallel.hpp"
#include "directions/by_moments.hpp"
#include "distributed/layout.hpp"
#include "distributed/messages.hpp"
#include "grow/accept.hpp"
#include "grow/frontier.hpp"
#include "grow/plan.hpp"
#include "grow/records.hpp"
#include "grow/selector.hpp"
#include "nominal/contingency.hpp"

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
    bool one_after_the_other() const { return stage_ == Ask::measure && rounds_ && !layout_.regression; }
    // Are answers added up in the order of the portions? Then the same portions give the same bytes.
    bool in_order() const { return directed() && (layout_.regression || !start_.some.empty() || stage_ != Ask::find); }
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
    const Moments& moments() const { return problem_.moments; }
    Tree finish(Budget& budget) &&;

   private:
    struct Counts {
        std::vector<u32> rows;
        std::vector<double> sums;  // `fields` for each: distance, square, weight; see Layout
        std::vector<double> ends;  // see Layout
    };
    // A direction that is tried at a node.
    struct Line {
        SentDirection along;
        u32 first = 0, number = 0;  // its first column; its place among those that were made
        double blur = 0;            // positions this close are one
    };
    // Numbers inside bins of one column, ascending, each with what every class has of it.
    struct Numbers {
        std::vector<double> x;
        std::vector<double> last;  // along a direction: the greatest of those that are one with it
        std::vector<u32> rows;
        std::vector<double> weights, sums;
    };
    struct Open {
        Node node;
        u32 id = 0, record = 0;
        std::shared_ptr<const Counts> counts;
        std::vector<Line> lines;  // where the plan cuts along directions
        NodeMoments moments;      // what they are made of, in the user's units as long as products are not there
        std::vector<double> some;
        std::vector<std::vector<u32>> looked;  // per column: bins all of whose numbers are known, ascending
        std::vector<u8> drawn;                 // per column: is it looked at? empty: all are
        bool unsure = false;                   // which columns can be split decides: every bin is looked into
        std::vector<Numbers> numbers;          // per column
        std::vector<double> log_p;             // what the selector found out about the columns, if it tests them
        std::optional<Best> known;  // what was found before any bin was looked into, if it is all but cuts inside bins
    };
    // A node whose split is known.
    struct Decided {
        Open open;
        u32 first = 0;  // the number of its first child
        Split split;
        std::vector<Node> children;
        Gain gain = 0;
        double improvement = 0;
    };
    // What comes of splits that are made together.
    struct Making {
        std::vector<u32> firsts;               // the first child of each
        std::vector<std::vector<u32>> broods;  // places in open_ of the children of each
        std::vector<std::shared_ptr<const Counts>> parents;
    };
    // Nodes of one split, of which all but one are counted: the last has the rest.
    struct Rest {
        std::shared_ptr<const Counts> parent;
        u32 rest = kNone;     // place in open_ of the one that has the rest
        u32 counted = kNone;  // ... of the one that is counted
    };
    // What is left of a cut: rows and weights of every class.
    struct Left {
        std::vector<u32> rows;
        std::vector<double> weights;
        u32 n = 0;
        double sum = 0;  // of distances, where numbers are predicted
    };

    bool weighted() const { return !start_.some.empty(); }
    bool directed() const { return by_moments_ != nullptr; }
    u32 fields() const { return layout_.fields(weighted()); }
    double weight_of(const Counts& c, std::size_t i) const {
        return !weighted() ? c.rows[i] : c.sums[i * fields() + fields() - 1];
    }
    double sum_of(const Counts& c, std::size_t i) const { return layout_.regression ? c.sums[i * fields()] : 0.0; }
    double square_of(const Counts& c, std::size_t i) const { return c.sums[i * fields() + 1]; }
    bool are_rounded() const;
    void begin_level();
    void look_into(Budget& budget);
    void go_on();
    void take_moments(const Answer& a);
    void graft(Answer&& a, Budget& budget);
    void measured(const Answer& a);
    void totalled(const Answer& a);
    void spread(const Answer& a);
    void list_wanted(Budget& budget);
    void found(const FoundNumbers& numbers, Budget& budget);
    void settle(Budget& budget);
    std::vector<u32> steps() const;
    void summed(const Answer& a);
    void scattered(const std::vector<double>& products, Budget& budget);
    void counted(Answer&& a);
    template <class Each>
    void each_unmeasured(Each each) {
        for (Decided& d : pending_)
            for (Node& child : d.children) each(child);
    }
    void check(const Open& open) const;
    bool moves(const Node& node) const;
    void add(Node node, u32 id, u32 record, std::vector<u32>& places);
    void ask(const Making& m);
    void plant(Node root);
    std::optional<Decided> decide(Open& open);
    void conclude();
    void make(Decided& d, Making& to);
    void make_best(Making& to);
    void make_leaf(const Open& open) {
        records_.make_leaf(open.record, open.node, target_);
        records_.tested(open.record, open.log_p);
    }
    std::vector<Contingency> tables_of(const Open& open) const;
    Best best_for(const Open& open) const {
        const double weight = selector_->first_of_equals() ? kInf : open.node.total;
        return {scorer_->unit(open.node), weight, problem_.tie_places};
    }
    void search(Open& open, bool last, Best& best);
    bool may_be_cut(const Open& open, u32 column) const;
    void offer_numbers(const Open& open, u32 column, Best& best) const;
    void offer_inside(const Open& open, Best& best) const;
    template <class Cut>
    void each_cut(const Open& open, u32 column, Cut cut) const;
    void offer_cut(const Open& open, u32 column, const Left& left, u64 cell, u32 inside, Best& best) const;
    void want(const Open& open, const Best& best, std::vector<WantedBin>& to) const;
    double most_inside(const Open& open, double w, double z, u64 cell) const;
    Split split_of(const Open& open, const Candidate& c) const;
    std::vector<Node> children_of(const Open& open, const Candidate& c, const Split& split) const;
    void add_cell(const Open& open, u64 cell, Left& to) const;
    double end_of(const Open& open, u32 column, u32 bin, bool greatest) const;
    // Has a column of numbers, or a direction, cells at this node?
    bool has_cuts(const Open& open, u32 column) const {
        return layout_.numeric(column) && layout_.has_cells(column) && column < layout_.n_table() + open.lines.size();
    }
    const Line* line_of(const Open& open, u32 column) const {
        return column < layout_.n_table() ? nullptr : &open.lines[column - layout_.n_table()];
    }
    const std::vector<double>& edges_of(const Open& open, u32 column) const {
        return column < layout_.n_table() ? layout_.edges[column] : open.lines[column - layout_.n_table()].along.edges;
    }
    u32 rows_in(const Open& open, u64 cell) const {
        u32 rows = 0;
        for (u32 c : open.node.present) rows += open.counts->rows[cell * layout_.n_classes + c];
        return rows;
    }
    // The next bin of a column that has rows; there is one.
    u32 next_bin(const Open& open, u32 column, u32 bin) const {
        do ++bin;
        while (rows_in(open, layout_.begin[column] + bin) == 0);
        return bin;
    }
    bool may_part_behind(const Open& open, u32 column, u32 bin) const;
    void aim(Open& open, std::span<const double> directions);

    const Layout layout_;
    Plan plan_;
    std::vector<u32> tie_places_;
    const DriverStart start_;
    std::vector<double> shown_;  // the weights, and one for what all rows of the node at hand weigh: see search()
    u32 few_;
    bool below_ = false;
    bool rounds_ =
        false;  // are sums of class weights rounded, or is a number predicted? Then nodes wait to be measured
    Ask stage_ = Ask::measure;
    bool done_ = false;
    std::vector<SentSplit> splits_;  // that the portions do not know yet
    std::vector<WantedBin> wanted_;
    std::size_t looked_ = 0, until_ = 0;  // so many of them are known; are asked for
    u32 level_ = 0;
    u64 n_rows_ = 0, n_looked_ = 0;

    Table table_;  // columns without rows: a nominal one shows the table of the node at hand
    Target target_;
    std::unique_ptr<Scorer> scorer_;
    std::optional<Budget> silent_;
    std::optional<Team> team_;
    std::optional<Worker> worker_;
    Problem problem_;
    std::unique_ptr<Selector> selector_;
    std::unique_ptr<Family> nominal_;
    const ByMoments* by_moments_ = nullptr;
    std::optional<Params> params_;          // of the family of directions
    std::vector<u32> numeric_;              // columns
    mutable std::vector<double> sides_[2];  // of a cut that is offered
    SplitAcceptance acceptance_;
    std::vector<NumberEnds> ends_;  // of the numbers at nodes that wait to be measured
    double weight_ = 0;

    Records records_;
    std::vector<u32> record_of_;    // per node; kNone where the split that leads to it is not made yet
    std::vector<Decided> pending_;  // found splits, that are not made yet; at first one that leads to the root
    std::vector<Open> open_;
    std::map<u32, std::optional<Decided>> early_;  // splits that are known before settle(), by place in open_
    std::vector<u32> asked_, direct_;  // direct_: place in open_ of each asked node, kNone where it is in rests_
    std::vector<Rest> rests_;
    std::vector<MovedNode> moved_;
    BestFirst<Decided> best_first_;
};

}  // namespace bough
