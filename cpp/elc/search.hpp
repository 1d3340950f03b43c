// The exact best hyperplane over one set of columns, by branch and bound: the hyperplanes through r
// entries are cut into cells; what cannot beat the best so far is dropped, the rest is halved with only
// its open entries, and a cell with few of them is finished by trying every hyperplane in it.
#pragma once

#include <atomic>
#include <numeric>

#include "base/slack.hpp"
#include "elc/place.hpp"
#include "elc/plane.hpp"

namespace bough::elc {

enum class Touching : u8 { either, above };

struct Options {
    u32 r = 2;
    Touching touching = Touching::either;
    bool optimal = false;
    Placing placing = Placing::margin;
    bool fallback = true;           // fewer columns where no hyperplane over r divides the rows
    u32 max_planes = 0;             // drawn at random at each node; 0: all
    double max_seconds = kInf;      // of a node
    double max_fit_seconds = kInf;  // of all nodes together
};

using Clock = std::chrono::steady_clock;
// In `seconds` from now; never if they are more than a life.
inline Clock::time_point in(double seconds) {
    if (!(seconds < 1e9)) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// What all searches at one node share.
struct Quest {
    const Options* options;
    const Problem* problem;
    const Node* node;
    const NodeColumns* columns;
    double unit;                      // size of gains here
    Clock::time_point deadline;       // of the node
    std::atomic<double> best{-kInf};  // gain of the best split of any set of columns
    bool alone = false;               // each set finds its own best one
};

struct Found {
    bool any = false;
    Gain gain = -kInf;
    double balance = 0;
    Split split;
    double open_bound = -kInf;  // the largest gain that may hide where the time ran out
};

class Search {
   public:
    explicit Search(Quest& quest)
        : quest_(quest), scorer_(*quest.problem->scorer), bounds_(scorer_.bounds()), kernels_(cell_kernels()) {}

    // The best split over some columns; nothing if none can be as good as the best of other columns. With `n_random`
    // only so many hyperplanes, through rows chosen by `rng`.
    Found run(const u32* subset, u32 r, u32 n_random, Rng rng);

   private:
    struct Cell {
        double center[kMostTerms] = {}, half[kMostTerms] = {};  // from 1 on
        double low = 0, high = 0;
        double origin[kMostTerms] = {};   // of z, in chart order
        double typical[kMostTerms] = {};  // size of z
    };
    // Open entries of a cell, grouped by class, and the weight above it.
    struct Level {
        RawBuffer<double> numbers;
        RawBuffer<u32> entries;
        std::vector<u32> segment;
        std::vector<double> above, low[2], high[2];
        Rows rows;
        u32 size = 0;
        KeptRows writable(u32 n, u32 r, bool weighted);
    };
    // How the entries on a hyperplane are shared out, seen from above.
    struct Share {
        enum class Way : u8 { with_above, with_below, first, last } way = Way::with_above;
        u32 mark = 0;                // first, last: up to, from this entry along the line, they go with above
        bool missing_above = false;  // rows without a number go with above
    };

    static constexpr u32 kMostTried = 64;  // open entries, all of whose hyperplanes are tried
    // Hyperplanes that float64 cannot carry out, after which none are tried that lie closer together than predict can
    // tell.
    static constexpr u32 kMostRejected = 20;

    // stuck: levels in which the cell kept nearly all its entries; idle: those in which its sibling did too
    void explore(const Cell& cell, u32 level, double bound, u32 stuck, u32 idle);
    void line();
    void try_random_planes(u32 n, Rng& rng);
    u32 dimensions(u32 most) const;
    bool recentered(const Cell& cell, const Level& from, Cell& moved, Level& to, bool force) const;
    u32 widest_term(const Cell& cell) const;
    bool at_floor(const Cell& cell, const Level& level) const;
    void measure_typical(Cell& cell, const Level& level) const;
    bool may_be_one_plane(const Level& level);
    bool one_plane(const Cell& cell, const Level& level, bool force);
    void leaf(const Cell& cell, const Level& level);
    void pairs(const Cell& cell, const Level& level);
    void sets(const Cell& cell, const Level& level);
    bool inside(const Cell& cell, const Level& level, const u32* places) const;
    void gather(const Level& level);
    bool independent(const u32* chosen, u32 n, u32 entry) const;
    void try_plane(const Level& level, const u32* places);
    void try_shares(const double* above, const std::vector<u32>& on, int turn, const std::vector<u32>* forced);
    void try_orders(const double* above, std::vector<u32> on, int turn, const std::vector<u32>* forced);
    void consider(const double* side, const Share& share, int turn, const std::vector<u32>* forced);
    void accept(const Share& share, int turn, const std::vector<u32>* forced);
    bool is_before(u32 a, u32 b) const;
    int canonical() const;
    bool may_win(double bound) const {
        return bound > local_ + kBetter * quest_.unit && bound >= quest_.best.load() - kClosedForm * quest_.unit;
    }
    double bound_of(const double* low, const double* high);
    void tally_numbers(Level& here, const Pair& pair, u32* n_open, double* bounds);
    double gain_of(const double* side) const { return gain_of_sums(bounds_, side, points_.all.data(), k_); }
    double weight_of(const double* sums) const { return bounds_ ? std::accumulate(sums, sums + k_, 0.0) : sums[0]; }
    // Counts work; once the time is over, a gain of `open` may be missed.
    bool out_of_time(u64 work, double open);
    Level& level_at(u32 i);

    Quest& quest_;
    const Scorer& scorer_;
    const Bounds* bounds_;  // null: of numbers, by tally_numbers
    const CellKernels& kernels_;
    Points points_;
    u32 r_ = 0, k_ = 0, chart_ = 0;
    u32 order_[kMostTerms] = {};  // columns in chart order: the chart's own first
    double slack_ = 0;            // rounding error of a projection, relative
    double least_ = 0, n_all_ = 0;
    double limit_ = 0;  // the largest gain that any split of the node can have
    double local_ = -kInf;
    Found found_;
    Parting parting_;
    Plane plane_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<double> side_, shifted_low_, shifted_high_, above_;
    std::vector<u32> on_, open_;
    double x_[kMostTerms * 64 + kPad] = {}, number_[64] = {};
    u64 class_mask_[64] = {};
    u64 tried_[64] = {};  // pairs of a small cell whose line has been tried
    std::vector<u32> leaf_classes_;
    u64 work_ = 0;
    bool stopped_ = false;
    u32 rejected_ = 0;  // hyperplanes that no float64 numbers were found for
    double open_bound_ = -kInf;
};

}  // namespace bough::elc
