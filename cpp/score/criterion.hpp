// What a criterion is: a type with
//
//   static constexpr Traits traits;
//   static Info info();
//   static R impurity(const SideOf<R>&)                          of one side
//   static R gain(const SideOf<R>& left, const SideOf<R>& right) larger is better, −inf is never
//   static R gain_of_many(span<const SideOf<R>>)                 if traits.multiway
//   static Gain unit(const Node&)                                differences below kTie·unit are ties
//   static double edge(const Side&, const Side&), edge_scale     if traits.graph: what a cut of values is made of
//
// for R = double and long double. That is all it needs. It may also bring five faster twins of the same gain:
//
//   Two<counts>   lists of two classes that are swept
//   Many<Num>     lists of any number of classes; see PlainMany
//   Numbers       lists of a numeric target; see PlainNumbers
//   gains         many partitions at once
//   relaxed       a bound over a box of class weights
//
// They may be off by `slack(unit)`; the plain gain decides in the end. A criterion that depends on the target
// (costs) is an object made from it; its functions are not static then, and Many is made from it too.
#pragma once

#include <algorithm>
#include <type_traits>

#include "base/info.hpp"
#include "base/per_thread.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "score/side.hpp"
#include "score/traits.hpp"

namespace bough {

// Per class of the table: what the outer side starts with, and projection sums of the node.
struct Sums {
    std::vector<double> start_w, start_z, total_z;
    double start_total = 0;
};

// The two sides of a cut from what is on the outer one, and their plain gain.
struct SidePair {
    std::vector<double> w[2], z[2];
    SideSummaries values;  // of the last gain

    template <class C, class Outer>
    auto gain(const C& criterion, const Node& node, const Sums& sums, const Outer& outer,
              const std::vector<double>& outer_z, bool high) {
        constexpr bool kZ = C::traits.projection;
        const std::size_t k = node.present.size();
        for (int side : {0, 1}) {
            w[side].resize(k);
            z[side].resize(kZ ? k : 0);
        }
        for (std::size_t d = 0; d < k; ++d) {
            const u32 c = node.present[d];
            w[0][d] = static_cast<double>(outer[c]);
            w[1][d] = std::max(0.0, node.weights[c] - w[0][d]);
            if constexpr (kZ) {
                z[0][d] = outer_z[c];
                z[1][d] = sums.total_z[c] - outer_z[c];
            }
        }
        auto side = [&](int i) { return node.view(kZ ? Side(w[i], z[i]) : Side(w[i])); };
        const Side left = side(high ? 1 : 0), right = side(high ? 0 : 1);
        values = {left, right, node.ruled};
        return criterion.gain(left, right);
    }
};

// The same of two classes.
struct SidesOfTwo {
    double outer[2], inner[2];
    SidesOfTwo(double zeros, double ones, double n0, double n1)
        : outer{zeros, ones}, inner{std::max(0.0, n0 - zeros), std::max(0.0, n1 - ones)} {}
    SideSummaries summaries(bool high, u32 ruled) const {
        const Side o(outer), i(inner);
        return high ? SideSummaries(i, o, ruled) : SideSummaries(o, i, ruled);
    }
};

// Two classes: the gain when the outer side holds l1 rows of the second class among nl rows.
template <class C>
struct PlainTwo {
    static double slack(double unit) { return kClosedForm * unit; }
    double n0, n1;
    PlainTwo(double zeros, double ones) : n0(zeros), n1(ones) {}
    double operator()(double l1, double nl) const {
        const double left[2] = {nl - l1, l1}, right[2] = {n0 - left[0], n1 - l1};
        if (nl <= 0 || nl >= n0 + n1) return kInf;  // no bound from an empty side
        return C::gain(Side(left), Side(right));
    }
};

// A place for something of each class, one for each thread.
template <class Slot>
Slot* slots_for(const Node& node) {
    auto& s = per_thread<std::vector<Slot>, struct SHere>();
    if (s.size() < node.weights.size()) s.resize(node.weights.size());
    return s.data();
}

// Any number of classes: rows move to the outer side one by one, then `put` tells two numbers from which
// `value` makes the gain. A twin of it may also have
//
//   level, excess   does a value reach a floor, without a division?
//   bound, skip     whole blocks by their class counts
//   window, start   where positions count: no cut beyond these positions is better than one at them, so that
//                   only rows between them are followed; start anew with other sums
//   step            what a row adds to the gain
template <class C, class Num>
struct PlainMany {
    static double slack(double unit) { return kClosedForm * unit; }
    static constexpr bool costly = true;
    using Word = double;
    PlainMany(const C& c, const Node& n, const Sums& s, bool high_first)
        : criterion(&c), state(&workspace()), node(&n), sums(&s), high(high_first) {
        state->outer.resize(n.weights.size());
        state->outer_z.resize(n.weights.size());
        for (u32 i : n.present) {
            state->outer[i] = static_cast<Num>(s.start_w[i]);
            state->outer_z[i] = s.start_z.empty() ? 0.0 : s.start_z[i];
        }
    }
    void move(u32 c, Num w) { state->outer[c] += w; }
    void move(u32 c, Num w, double z) {
        state->outer[c] += w;
        state->outer_z[c] += static_cast<double>(w) * z;
    }
    double outer(u32 c) const { return static_cast<double>(state->outer[c]); }
    void put(double& a, double& b) const {
        a = state->pair.template gain<C>(*criterion, *node, *sums, state->outer, state->outer_z, high);
        b = 0;
    }
    double value(double a, double, double) const { return a; }

   private:
    struct State {
        std::vector<Num> outer;
        std::vector<double> outer_z;
        SidePair pair;
    };
    static State& workspace() {
        auto& s = per_thread<State, struct SHere>();
        return s;
    }
    const C* criterion;
    State* state;
    const Node* node;
    const Sums* sums;
    bool high;
};

template <class C, bool kCounts>
struct TwoOf {
    using type = PlainTwo<C>;
};
template <class C, bool kCounts>
    requires requires { typename C::template Two<kCounts>; }
struct TwoOf<C, kCounts> {
    using type = typename C::template Two<kCounts>;
};
template <class C, bool kCounts>
using TwoClasses = typename TwoOf<C, kCounts>::type;

template <class C, class Num>
struct ManyOf {
    using type = PlainMany<C, Num>;
};
template <class C, class Num>
    requires requires { typename C::template Many<Num>; }
struct ManyOf<C, Num> {
    using type = typename C::template Many<Num>;
};
template <class C, class Num>
using ManyClasses = typename ManyOf<C, Num>::type;

template <class C, class Num>
ManyClasses<C, Num> make_many(const C& criterion, const Node& node, const Sums& sums, bool high) {
    using Many = ManyClasses<C, Num>;
    if constexpr (std::is_constructible_v<Many, const C&, const Node&, const Sums&, bool>)
        return Many(criterion, node, sums, high);
    else
        return Many(node, sums, high);
}

// A numeric target: the gain of a side that weighs w, x being the sum of its distances from the node's mean; excess is
// not negative where it reaches the floor.
template <class C>
struct PlainNumbers {
    const Node* node;
    explicit PlainNumbers(const Node& n) : node(&n) {}
    static double slack(double unit) { return kRunning * unit; }
    double operator()(double x, double w) const {
        const double weights[2] = {w, node->total - w}, sums[2] = {x, -x};
        auto side = [&](int i) { return node->view(Side({weights + i, 1}, {sums + i, 1})); };
        return C::gain(side(0), side(1));
    }
    double excess(double x, double w, double floor) const { return (*this)(x, w) - floor; }
    // Could sums and weights between these reach it?
    bool may_reach(double, double, double, double, double) const { return true; }
};
template <class C>
struct NumbersOf {
    using type = PlainNumbers<C>;
};
template <class C>
    requires requires { typename C::Numbers; }
struct NumbersOf<C> {
    using type = typename C::Numbers;
};
template <class C>
using NumberGains = typename NumbersOf<C>::type;

// Is a numeric target scored by sums of both sides?
template <class C>
inline constexpr bool kNumbers = C::traits.regression && !C::traits.ordered;

template <class C>
inline constexpr bool kHasWindow = requires(const ManyClasses<C, double>& m) { m.window(); };

}  // namespace bough
