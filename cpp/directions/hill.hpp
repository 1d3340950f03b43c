// Hill climbing over hyperplanes, one line of them at a time: what cart_lc and oc1 share. Along a line
// v − δ·p every row changes sides at most once, at δ = v/p, so the best δ is found exactly by one sort
// and one sweep (whose cheap gains, in one call, tell which cuts are worth a plain one), for any criterion that looks
// at class weights or at the target only.
#pragma once

#include "base/order.hpp"
#include "directions/engine.hpp"
#include "score/criterion.hpp"

namespace bough {

// What a column is shifted and divided by before the climb; width 0: it takes no part.
struct Scale {
    double center = 0, width = 0;
};

// Of (value, weight) pairs: mean and standard deviation, or median and interquartile range (where that is
// 0, the range); quantiles are the least values whose weight, with all below, reaches the share.
Scale mean_and_deviation(std::span<const double> values, std::span<const double> weights);
Scale median_and_quartiles(std::span<const double> values, std::span<const double> weights);

// The rows of a node in scaled columns. A missing value stands at the node's mean.
class Hill {
   public:
    using Scaling = Scale (*)(std::span<const double>, std::span<const double>);
    Hill(const DirectionNode& from, Scaling scaling);

    u32 n_rows() const { return n_; }
    u32 n_columns() const { return static_cast<u32>(columns_.size()); }
    const double* column(u32 i) const { return x_.data() + std::size_t{i} * n_; }
    // Differences of gain that are nothing here.
    Gain tie() const { return tie_; }
    // A direction of the climb in the units and columns of the node.
    std::vector<double> direction(std::span<const double> a) const;

   private:
    friend class Climber;
    const Problem& problem_;
    const Node& node_;
    u32 n_, d_;                    // rows; columns of the node
    std::size_t k_;                // classes present; 1 for numbers
    std::vector<u32> present_;     // these classes
    std::vector<u32> columns_;     // those that vary, among the node's
    std::vector<double> widths_;   // of these
    std::vector<double> x_;        // column by column
    std::vector<u32> classes_;     // of each row; 0 for numbers
    std::vector<u32> place_;       // of each row: its class among the present ones; 0 for numbers
    std::vector<double> weights_;  // of each row
    std::vector<double> numbers_;  // of each row, about the node's mean; empty for classes
    Gain tie_;
};

// Rows with v = Σ a·x − t <= 0 are on the left.
struct Plane {
    std::vector<double> a;
    double t = 0;
    std::vector<double> v;
    Gain gain = -kInf;  // −inf: it does not keep the limits on leaves
};

// One worker's climb. A plane never moves to a lower gain.
class Climber {
   public:
    explicit Climber(const Hill& hill);

    // The best plane across one column; gain −inf if there is none that keeps the limits.
    Plane best_axis();
    // Makes the largest coefficient 1, and v and the gain those of the coefficients.
    void settle(Plane& plane);

    enum class Move { none, level, better };
    // Finds the best plane on the line a − δ·da, t − δ·dt, along which v loses δ·p, and goes there if it
    // is better, or as good and `level()` agrees. Null `da` is 0.
    template <class Level>
    Move move(Plane& plane, const double* da, double dt, const double* p, Level level) {
        const Step step = best_step(plane.v, p);
        if (step.gain == -kInf || step.gain < plane.gain - hill_.tie()) return Move::none;
        next_.resize(plane.v.size());
        for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = plane.v[i] - step.delta * p[i];
        const Gain gain = gain_of(next_);  // of the rows as they fall, after rounding
        const bool better = gain > plane.gain + hill_.tie();
        if (!better && (gain < plane.gain - hill_.tie() || !level())) return Move::none;
        for (std::size_t c = 0; da && c < plane.a.size(); ++c) plane.a[c] -= step.delta * da[c];
        plane.t -= step.delta * dt;
        plane.v.swap(next_);
        plane.gain = gain;
        return better ? Move::better : Move::level;
    }
    Move move(Plane& plane, const double* da, double dt, const double* p) {
        return move(plane, da, dt, p, [] { return false; });
    }
    // The line of parallel planes.
    Move move_threshold(Plane& plane) { return move(plane, nullptr, -1, ones_.data()); }

    // Of the splits v − δ·p <= 0 the best one; of those that tie the more balanced, then the lower δ.
    struct Step {
        double delta = 0;
        Gain gain = -kInf;
    };
    Step best_step(const std::vector<double>& v, const double* p);
    // The gain of the split v <= 0.
    Gain gain_of(const std::vector<double>& v);
    const double* ones() const { return ones_.data(); }

   private:
    void clear();
    void shift(u32 row, u32 side, int sign);
    Gain score(double& balance) const;

    const Hill& hill_;
    std::vector<double> w_, z_;  // per class, of the left side and then of the right one
    std::vector<u32> counts_;    // rows likewise
    u32 rows_[2] = {0, 0};
    std::vector<double> critical_, next_, ones_, values_;
    Sums start_;
    OrderScratch scratch_;
};

// Throws where a criterion looks at positions along the projection: they change with every coefficient.
void needs_class_weights_only(const Problem& problem, const char* family);

}  // namespace bough
