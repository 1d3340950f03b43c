// Searches that make two superclasses of the classes: the values are then in order of the share of one
// of them, and the best partition for the two superclasses is a cut of that order.
#pragma once

#include <bit>

#include "nominal/scan.hpp"

namespace bough {

// Classes whose splits into two `superclass` and `hypercube_cover` go through, and cuts to be scored.
inline constexpr u32 kMostClasses = 20;
inline constexpr double kMostCuts = 0x1p30;

// Refuses tables that are too large to try all superclasses of, before anything is grown.
void check_superclasses(const Problem& p, const char* name);

// The most frequent class; and one of two superclasses of about equal weight, by list scheduling: classes by
// size, each to the lighter of the two.
std::vector<u8> largest_class(const Contingency& t);
std::vector<u8> balanced_classes(const Contingency& t);

// Orders values by the share of a superclass.
class SuperclassOrder {
   public:
    explicit SuperclassOrder(const Contingency& t)
        : weight(t.n_values, 0.0), t_(t), inverse_(t.n_values), shares_(t.n_values) {
        for (u32 v = 0; v < t.n_values; ++v) inverse_[v] = 1 / t.totals[v];
    }
    // Adds a class to the superclass, or takes it away.
    void add(const double* of_class, double sign) {
        for (std::size_t v = 0; v < weight.size(); ++v) weight[v] += sign * of_class[v];
    }
    // Shares that are equal up to rounding are one key (KeyOrder), so that a product will do.
    std::span<const u32> order() {
        for (std::size_t v = 0; v < weight.size(); ++v) shares_[v] = weight[v] * inverse_[v];
        return order_.sort(shares_);
    }
    // The order for the superclass of these classes.
    std::span<const u32> of(std::span<const u8> classes) {
        for (u32 v = 0; v < t_.n_values; ++v) {
            weight[v] = 0;
            for (u32 c = 0; c < t_.n_classes; ++c)
                if (classes[c]) weight[v] += t_.of(v)[c];
        }
        return order();
    }

    std::vector<double> weight;  // of the superclass, per value

   private:
    const Contingency& t_;
    std::vector<double> inverse_, shares_;
    KeyOrder order_;
};

// Calls visit(order, weight of the superclass per value) for each of the 2^(k−1) − 1 superclasses, in
// Gray code; the last class is never in the superclass.
template <class Visit>
void each_superclass(const Contingency& t, const PartitionSink& sink, Visit visit) {
    const u32 n = t.n_values, k = t.n_classes;
    std::vector<double> columns(std::size_t{n} * k);
    for (u32 v = 0; v < n; ++v)
        for (u32 c = 0; c < k; ++c) columns[std::size_t{c} * n + v] = t.of(v)[c];
    SuperclassOrder super(t);
    const u64 count = u64{1} << (k - 1);
    for (u64 i = 1; i < count; ++i) {
        const u64 code = i ^ i >> 1;
        const u32 c = static_cast<u32>(std::countr_zero(i));
        if (!t.integral && i % 64 == 0) {  // sums of fractions drift
            std::fill(super.weight.begin(), super.weight.end(), 0.0);
            for (u32 d = 0; d + 1 < k; ++d)
                if (code >> d & 1) super.add(columns.data() + std::size_t{d} * n, 1);
        } else {
            super.add(columns.data() + std::size_t{c} * n, code >> c & 1 ? 1 : -1);
        }
        if (i % 64 == 0 || n > 1000) sink.poll();
        visit(super.order(), super.weight);
    }
}

}  // namespace bough
