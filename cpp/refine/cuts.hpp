// The best cut of a numeric column, and the best subset of a nominal one, for rows of which each gains something by
// going to the left: exact, by one sweep.
#pragma once

#include "base/slack.hpp"
#include "base/threshold.hpp"
#include "refine/ordered.hpp"
#include "refine/row_gains.hpp"
#include "refine/shape.hpp"

namespace bough {

// The best place to cut a list of rows in order of their values: Σ gain of what comes before it. Of equal ones, the
// widest gap.
class Sweep {
   public:
    explicit Sweep(double slack = 0, double blur = 0) : slack_(slack), blur_(blur) {}
    void add(double value, double gain) {
        if (any_ && value > last_ && value - last_ > blur_ * (std::fabs(value) + std::fabs(last_))) look(value);
        sum_ += gain;
        last_ = value;
        any_ = true;
    }
    bool found() const { return best_ > -kInf; }
    double gain() const { return best_; }
    double cut() const { return between(low_, high_); }

   private:
    void look(double value) {
        const double gap = value - last_;
        if (!(sum_ > best_ + slack_ || (sum_ > best_ - slack_ && gap > gap_))) return;
        best_ = std::max(best_, sum_);
        gap_ = gap;
        low_ = last_;
        high_ = value;
    }
    double slack_, blur_, sum_ = 0, last_ = 0, best_ = -kInf, gap_ = 0, low_ = 0, high_ = 0;
    bool any_ = false;
};

// What a node may be split by instead.
struct Offer {
    double gain = -kInf;  // Σ gain of the rows that go to the left
    double terms = 0;
    u32 column = kNone;
    Split split;
    u8 only = 2;            // 0, 1: no split, all rows go to one side
    bool exchange = false;  // what would go to the left goes to the right, for children that change places
};

class Cuts {
   public:
    Cuts(const Table& table, std::span<const OrderedColumn> columns, u32 min_value_rows)
        : table_(table), columns_(columns), min_value_rows_(min_value_rows) {}
    // A column for every slot, and what its best cut or subset gains; the first one of equals. No terms: there is none.
    std::vector<Offer> best(const RowGains& gains, Team& team) const;
    // The split of such an offer.
    Offer placed(const RowGains& gains, u32 slot, const Offer& offer) const;

   private:
    void numeric(u32 column, const RowGains& gains, u32 group, double* to) const;
    void nominal(u32 column, const RowGains& gains, u32 group, double* to) const;
    double subset(u32 column, std::span<const double> sum, std::span<const double> count, Split* split) const;

    const Table& table_;
    std::span<const OrderedColumn> columns_;
    u32 min_value_rows_;
};

}  // namespace bough
