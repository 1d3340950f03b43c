// Judging many partitions of one table at once: their gains in bulk, and a closer look at the few that
// may win.
#pragma once

#include <unordered_set>

#include "base/order.hpp"
#include "nominal/supervalues.hpp"

namespace bough {

// Values by ascending key; keys that are equal up to rounding keep the order of the values: those that differ
// by less than kShares of the largest, or of `size`: how large the terms are that they are sums of.
class KeyOrder {
   public:
    std::span<const u32> sort(std::span<const double> keys, double size = 0);

   private:
    OrderScratch scratch_;
    Budget never_;  // asks nobody: values are few
    std::vector<u32> order_;
};

class Scan {
   public:
    Scan(const Contingency& t, const PartitionSink& sink);
    // The same over supervalues; what is offered are partitions of the values of `t`.
    Scan(const Contingency& t, const Supervalues& super, const PartitionSink& sink);

    // Gains of all cuts of an order, up to slack(): gains[i] is that of order[0 … i] against the rest,
    // −inf where a limit is broken. `exchanged`: of those cuts with the two values at the cut exchanged.
    std::span<const double> cuts(std::span<const u32> order, bool exchanged = false);
    // ... of a partition after each value alone has changed sides.
    std::span<const double> moves(const Partition& p);
    // How far off a gain may be.
    double slack(double gain) const;

    // Offers every cut of an order that may win; every partition of not too many values.
    void offer_cuts(std::span<const u32> order, bool exchanged = false);
    void offer_all();

   private:
    static constexpr u32 kBlock = 128;  // left sides that are judged together

    // Starts a list of left sides; next() is the place of one more.
    void start(std::size_t count);
    double* next();
    void flush();
    template <class LeftOf>
    void offer_near(u64 most, LeftOf left_of);

    Scan(const Contingency& original, const Contingency& t, const Supervalues* super, const PartitionSink& sink);

    const Contingency& original_;
    const Contingency& t_;
    const Supervalues* super_;
    const PartitionSink& sink_;
    u32 stride_;
    std::vector<double> all_, block_, side_, gains_;
    std::vector<u64> hash_;  // of every value; a partition's is that of its left values
    std::unordered_set<u64> offered_;
    std::size_t done_ = 0;
    u32 filled_ = 0;
    double relative_ = 0, top_ = -kInf;
};

}  // namespace bough
