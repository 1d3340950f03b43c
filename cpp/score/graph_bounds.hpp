// What a criterion knows besides its gain: the graph of values that it cuts, and bounds over a box of class weights.
#pragma once

#include "score/box.hpp"
#include "score/criterion.hpp"
#include "score/scorer.hpp"

namespace bough {

// What a criterion that is a cut in a graph of values knows.
template <class C>
class GraphOf final : public ValueGraph {
   public:
    GraphOf(const C& criterion, const Target&) : criterion_(criterion) {}
    double edge(const Side& a, const Side& b) const override { return criterion_.edge(a, b); }
    void edges(const ValueRows& rows, u32 value, u32 upto, double* out) const override {
        if constexpr (requires { criterion_.edges(rows, value, upto, out); })
            return criterion_.edges(rows, value, upto, out);
        const Side a = rows.side(value);
        for (u32 v = 0; v < upto; ++v) out[v] = v == value ? 0.0 : criterion_.edge(a, rows.side(v));
    }
    double scale(const ValueRows& rows) const override { return C::edge_scale(rows); }

   private:
    const C& criterion_;
};

// What a criterion that can be bounded knows.
template <class C>
class BoundsOf final : public Bounds {
   public:
    BoundsOf(const C&, const Target& target) : counts_(!target.weighted()) {}
    double gain(const double* side, const double* all, u32 k) const override {
        return gain_of_side<C>(side, all, k, counts_);
    }
    double most(const double* low, const double* high, const double* all, u32 k) const override {
        return gain_over_box<C>(low, high, all, k, counts_);
    }

   private:
    bool counts_;
};

struct Nothing {
    template <class C>
    Nothing(const C&, const Target&) {}
};

}  // namespace bough
