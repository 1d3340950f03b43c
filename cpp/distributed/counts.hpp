// The store of nodes whose rows lie on several machines: what is known of a node are counts that were added up. A cut
// of numbers is exact all the same: counts give the gain at the edges of bins, and a bound of the gain of every cut
// inside a bin by the corners of what its class counts leave open; only bins that could still win are looked into.
//
// Where numbers are predicted, sums of their distances from the node's mean and of the squares take the place of class
// counts. Where a tree cuts along directions, these are made of the sums of a node's numbers, and of their products;
// positions along them are then columns of the node's own.
#pragma once

#include "base/parallel.hpp"
#include "distributed/layout.hpp"
#include "distributed/messages.hpp"
#include "grow/accept.hpp"
#include "grow/selector.hpp"
#include "nominal/contingency.hpp"
#include "stores/decision.hpp"

namespace bough {

// What the rows of a node have in every cell; see Layout.
struct CellCounts {
    std::vector<u32> rows;
    std::vector<double> sums;  // `fields` for each: distance, square, weight
    std::vector<double> ends;
};

// A direction that is tried at a node.
struct Line {
    SentDirection along;
    u32 first = 0, number = 0;  // its first column; its place among those that were made
    double blur = 0;            // positions this close are one
};

// Numbers inside bins of one column, ascending, each with what every class has of it. Those without rows are the ends
// of a bin whose other numbers are not known.
struct NumbersInside {
    std::vector<double> x;
    std::vector<double> last;  // along a direction: the greatest of those that are one with it
    std::vector<u32> rows;
    std::vector<double> weights, sums;
};

class CountStore {
   public:
    struct Handle {
        Node node;
        bool open = true;
        u32 id = 0;
        std::shared_ptr<const CellCounts> counts;
        std::shared_ptr<const CellCounts> parent;  // those of its parent, where they are less its sibling's its own
        bool rest = false;                         // is it not counted, because its sibling is?
        std::vector<Line> lines;                   // where the plan cuts along directions
        NodeMoments moments;  // what they are made of, in the user's units as long as products are not there
        std::vector<double> some;
        std::vector<NumbersInside> numbers;  // per column
        std::vector<u8> drawn;               // per column: is it searched? empty: all are
        bool unsure = false;                 // which columns can be split decides: every bin is looked into
        std::vector<double> log_p;           // what the selector found out about the columns, if it tests them
        std::optional<Best> known;  // what was found before any bin was looked into, if it is all but cuts inside bins
    };
    struct Decision : bough::Decision {
        u32 first = 0;  // the number of its first child
    };

    // `weights`: some of them, empty if all rows weigh 1.
    CountStore(Layout layout, const Plan& plan, std::span<const double> weights);
    CountStore(const CountStore&) = delete;  // its parts point at each other
    // Takes on what asks for the weight of all rows: limits, and who selects columns.
    void begin(const LeafLimits& limits, const SplitAcceptance& acceptance);

    const Layout& layout() const { return layout_; }
    const Table& table() const { return table_; }
    const Target& target() const { return target_; }
    const ByMoments* directions() const { return by_moments_; }
    bool weighted() const { return target_.weighted(); }
    // Sums beside each count.
    u32 fields() const { return layout_.fields(weighted()); }
    void set_moments(Moments moments) { problem_.moments = std::move(moments); }

    // ---- what the loop asks a store

    u32 n_columns() const { return layout_.n_columns(); }
    const Problem& problem() const { return problem_; }
    double tie_weight(const Node& node) const { return selector_->first_of_equals() ? kInf : node.total; }
    const Node& enter(Handle& at) {
        selection_.log_p.clear();
        return at.node;
    }
    bool search(Handle& at, std::span<const u32> columns, bool only, Pace& pace, Best& best);
    void resolve(Handle& at, Decision& d);
    bool accepts(const Node& node, Decision& d) const;
    void divide(Handle& at, Decision& d, std::vector<Handle>& children) const;
    void close(Handle&) {}
    std::span<const u32> classes(const Handle&) const { return {}; }
    std::span<const double> tests(const Handle& at) const { return at.log_p; }
    double work(const Node&) const { return 0; }

    // ---- what the driver asks for, and brings

    // The directions of a node, from its sums and then, if the plan needs them, from products.
    void take_sums(Handle& at, const double* sums, const double* ends, const std::vector<double>& some) const;
    void take_products(Handle& at, std::span<const double> products, Budget& budget) const;
    void take_counts(Handle& at, std::shared_ptr<const CellCounts> counts) const;
    // Begins a search without the numbers inside of bins; then lists those that could hold a better cut than the best
    // that was found, and the ends of bins beside an edge that could win; `rows` are those of a bin that are sent.
    void begin_search(Handle& at);
    void want(Handle& at, const Best& best, std::vector<WantedBin>& to);
    // A number of such a bin, and its sums; they come ascending.
    void take_number(Handle& at, const FoundNumber& found, const double* sums) const;
    // Has a column of numbers, or a direction, cells at this node?
    bool has_cuts(const Handle& at, u32 column) const {
        return layout_.numeric(column) && layout_.has_cells(column) && column < layout_.n_table() + at.lines.size();
    }

   private:
    // What is on one side of a cut: rows and weights of every class.
    struct Part {
        explicit Part(u32 n_classes) : rows(n_classes, 0.0), weights(n_classes, 0.0) {}
        std::vector<double> rows, weights;
        u32 n = 0;
        double sum = 0;  // of distances, where numbers are predicted

        void add(u32 c, u32 more, double weight) {
            rows[c] += more;
            weights[c] += weight;
            n += more;
        }
    };

    double weight_of(const Handle& at, std::size_t i) const {
        return !weighted() ? at.counts->rows[i] : at.counts->sums[i * fields() + fields() - 1];
    }
    double sum_of(const Handle& at, std::size_t i) const {
        return layout_.regression ? at.counts->sums[i * fields()] : 0.0;
    }
    double square_of(const Handle& at, std::size_t i) const { return at.counts->sums[i * fields() + 1]; }
    u32 rows_in(const Handle& at, u64 cell) const {
        u32 rows = 0;
        for (u32 c : at.node.present) rows += at.counts->rows[cell * layout_.n_classes + c];
        return rows;
    }
    const Line* line_of(const Handle& at, u32 column) const {
        return column < layout_.n_table() ? nullptr : &at.lines[column - layout_.n_table()];
    }
    const std::vector<double>& edges_of(const Handle& at, u32 column) const {
        const Line* line = line_of(at, column);
        return line ? line->along.edges : layout_.edges[column];
    }
    // The next bin of a column that has rows; there is one.
    u32 next_bin(const Handle& at, u32 column, u32 bin) const {
        do ++bin;
        while (rows_in(at, layout_.begin[column] + bin) == 0);
        return bin;
    }
    void aim(Handle& at, std::span<const double> directions) const;
    std::vector<Contingency> tables_of(const Handle& at) const;
    bool may_be_cut(const Handle& at, u32 column) const;
    bool may_part_behind(const Handle& at, u32 column, u32 bin) const;
    double end_of(const Handle& at, u32 column, u32 bin, bool greatest) const;
    void add_cell(const Handle& at, u64 cell, Part& to) const;
    template <class Cut>
    void each_cut(const Handle& at, u32 column, Cut cut) const;
    Part left_of(const Handle& at, u32 column, const Payload& cut) const;
    Part rest_of(const Handle& at, const Part& part) const;
    void offer_numbers(const Handle& at, u32 column, Best& best) const;
    void offer_cut(const Handle& at, u32 column, const Part& left, u64 cell, u32 inside, Best& best) const;
    double most_inside(const Handle& at, double w, double z, u64 cell) const;
    Split split_of(const Handle& at, const Candidate& c) const;

    const Layout layout_;
    const Plan& plan_;
    std::vector<double> shown_;  // the weights, and one for what all rows of the node at hand weigh: see search()
    bool below_ = false;
    bool searches_inside_ = false;  // are bins looked into?

    Table table_;  // columns without rows: a nominal one shows the table of the node at hand
    Target target_;
    std::vector<u32> numeric_, tie_places_;
    std::unique_ptr<Scorer> scorer_;
    const ByMoments* by_moments_ = nullptr;
    std::optional<Params> params_;  // of the family of directions
    Budget silent_;
    Team team_{1, silent_};
    Worker worker_{&team_, 0};
    Problem problem_;
    const SplitAcceptance* acceptance_ = nullptr;
    std::unique_ptr<Selector> selector_;
    std::unique_ptr<Family> nominal_;
    Selection selection_;
    mutable std::vector<double> sides_[2];  // of a cut that is offered
};

}  // namespace bough
