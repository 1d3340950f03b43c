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
//   while not done():  measured(unmeasured())  →  (summed  →  scattered  →)  counts of asked()  →  numbers of wanted()
//   →  settle() tells splits
#pragma once

#include <optional>

#include "directions/by_moments.hpp"
#include "grow/plan.hpp"
#include "grow/records.hpp"
#include "grow/selector.hpp"
#include "grow/worth.hpp"
#include "nominal/contingency.hpp"
#include "pooled/portion.hpp"

namespace bough {

// A node that waits to be grown in one place.
struct MovedNode {
    u32 id = 0, depth = 0, n_rows = 0;
    u64 path = 0;
};

// A split that was found: rows of the node go on to children that are numbered from `first` on.
struct FoundSplit {
    u32 node = 0, first = 0, n_children = 0;
    Split split;
};

class PooledGrower {
   public:
    static constexpr double kParts = 1024;  // weights of halves, quarters … down to this are added up exactly
    // Class counts and weights of all rows, or of a single class where numbers are predicted. `some`: the least and the
    // greatest weight of a row, and one that is no whole number if there is any, and no multiple of 1/kParts if there
    // is such a one; empty if all weigh 1. A weight may be the product of two, of which that is one. Nodes of at most
    // `few` rows are moved, if that is cheaper than counting what is below them. `moments` of all rows where the plan
    // cuts along directions.
    PooledGrower(Layout layout, const Plan& plan, std::vector<double> counts, std::vector<double> weights,
                 std::vector<double> some, u32 few, Moments moments = {});
    PooledGrower(const PooledGrower&) = delete;  // its parts point at each other

    bool done() const { return open_.empty() && unmeasured_.empty(); }
    // Rows of nodes that are not settled yet, moved ones aside.
    u64 open_rows() const {
        u64 rows = 0;
        for (const Open& o : open_) rows += o.node.n_rows;
        for (const auto& d : best_first_) rows += d->open.node.n_rows;
        return rows;
    }
    // The nodes whose numbers to be predicted are to be measured, or else their class weights; none where sums of those
    // are exact.
    const std::vector<u32>& unmeasured() const { return unmeasured_; }
    void measured(std::span<const NumbersSoFar> numbers, std::span<const double> spreads);
    void measured(std::span<const double> weights);
    // The nodes whose counts are to be added up, and the centers that sums are about.
    const std::vector<u32>& asked() const { return asked_; }
    std::vector<double> centers() const;
    // Does the plan cut along directions? Then the sums of the nodes asked for come first, and some of their rows; then
    // products, about what about() tells: for each node the points of all groups, and where missing numbers are.
    bool directed() const { return by_moments_ != nullptr; }
    const Moments& moments() const { return problem_.moments; }
    std::vector<u32> steps() const;  // of each node every so many rows are some of them
    void summed(const double* sums, const double* ends, const std::vector<std::vector<double>>& some);
    bool of_each_group() const;
    std::size_t n_ends() const { return layout_.n_ends(); }
    std::size_t n_products() const;  // of a node; 0: none are needed
    std::pair<std::vector<double>, std::vector<double>> about() const;
    void scattered(const double* products, Budget& budget);
    std::vector<std::vector<Along>> along() const;  // the directions of the nodes asked for
    // Their counts, one node after the other; `sums`: `n_sums` for each node, null if that is 0; `ends`: see Layout.
    void counted(const u32* rows, const double* sums, const double* ends);
    std::size_t n_sums() const { return layout_.n_sums(!some_.empty()); }
    // The bins whose numbers are to be found, sorted by node and column.
    std::vector<WantedBin> wanted(Budget& budget);
    // What was found in them, of some nodes all: these are decided, and need their numbers no more.
    void found(const FoundNumbers& numbers, Budget& budget);
    // Finds the splits of all open nodes, and makes them as soon as the children are measured, or, where a tree grows
    // best first, the best of those that are known; children are open then, or left alone, or moved.
    std::vector<FoundSplit> settle(Budget& budget);

    // Nodes that have been moved since this was last asked.
    std::vector<MovedNode> take_moved() { return std::exchange(moved_, {}); }
    // The subtree that was grown from a moved node.
    void graft(u32 node, const Tree& subtree) { records_.make_whole(record_of_.at(node), subtree.parts()); }
    Tree finish(Budget& budget) &&;
    double weight() const { return weight_; }

   private:
    struct Counts {
        std::vector<u32> rows;
        std::vector<double> sums;  // `fields` for each: distance, square, weight; see Layout
        std::vector<double> ends;  // see Layout
    };
    // A direction that is tried at a node.
    struct Line {
        Along along;
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
        u64 number = 0;
        // Is a split made after another one, best first?
        static bool later(const std::unique_ptr<Decided>& a, const std::unique_ptr<Decided>& b) {
            return a->improvement != b->improvement ? a->improvement < b->improvement : a->number > b->number;
        }
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

    u32 fields() const { return layout_.fields(!some_.empty()); }
    double weight_of(const Counts& c, std::size_t i) const {
        return some_.empty() ? c.rows[i] : c.sums[i * fields() + fields() - 1];
    }
    double sum_of(const Counts& c, std::size_t i) const { return layout_.regression ? c.sums[i * fields()] : 0.0; }
    double square_of(const Counts& c, std::size_t i) const { return c.sums[i * fields() + 1]; }
    bool are_rounded(double total) const;
    void go_on();
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
        return layout_.numeric(column) && layout_.has_cells(column) && column < layout_.n_table + open.lines.size();
    }
    const Line* line_of(const Open& open, u32 column) const {
        return column < layout_.n_table ? nullptr : &open.lines[column - layout_.n_table];
    }
    const std::vector<double>& edges_of(const Open& open, u32 column) const {
        return column < layout_.n_table ? layout_.edges[column] : open.lines[column - layout_.n_table].along.edges;
    }
    bool empty(const Open& open, u64 cell) const {
        return std::none_of(open.node.present.begin(), open.node.present.end(),
                            [&](u32 d) { return open.counts->rows[cell * layout_.n_classes + d] > 0; });
    }
    bool may_part_behind(const Open& open, u32 column, u32 bin) const;
    u32 n_groups() const { return layout_.regression ? 2 : layout_.n_classes; }
    void aim(Open& open, std::span<const double> directions);

    const Layout layout_;
    const Plan plan_;
    const std::vector<double> some_;
    std::vector<double> shown_;  // those, and one for what all rows of the node at hand weigh: see search()
    u32 few_;
    bool below_ = false;
    bool measures_ = false;  // do nodes wait to be measured?
    Table table_;            // columns without rows: a nominal one shows the table of the node at hand
    Target target_;
    std::unique_ptr<Scorer> scorer_;
    std::optional<Budget> silent_;
    std::optional<Team> team_;
    std::optional<Worker> worker_;
    Problem problem_;
    std::unique_ptr<Selector> selector_;
    std::unique_ptr<Family> nominal_;
    const ByMoments* by_moments_ = nullptr;
    std::optional<Params> params_;  // of the family of directions
    std::vector<u32> numeric_;      // columns
    Worth worth_;
    double weight_ = 0;

    Records records_;
    std::vector<u32> record_of_;    // per node; kNone where the split that leads to it is not made yet
    std::vector<u32> unmeasured_;   // nodes whose numbers are to be measured
    std::vector<Decided> pending_;  // found splits, that are not made yet
    std::vector<Open> open_;
    std::map<u32, std::optional<Decided>> early_;  // splits that are known before settle(), by place in open_
    std::vector<u32> asked_, direct_;  // direct_: place in open_ of each asked node, kNone where it is in rests_
    std::vector<Rest> rests_;
    std::vector<MovedNode> moved_;
    std::vector<std::unique_ptr<Decided>> best_first_;  // a heap
    u64 decided_ = 0;
    u32 leaves_ = 1;
};

}  // namespace bough
