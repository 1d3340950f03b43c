// What a criterion is: a type with
//
//   static constexpr Traits traits;
//   static Info info();
//   static R impurity(const SideOf<R>&)                          of one side
//   static R gain(const SideOf<R>& left, const SideOf<R>& right) larger is better, −inf is never
//   static R gain_of_many(span<const SideOf<R>>)                 if traits.multiway
//   static Gain unit(const Node&)                                differences below kTie·unit are ties
//
//   static constexpr double perfect      optional: the gain of two pure children, in units
//
// for R = double and long double. That is all it needs. It may also bring faster values of the same
// gain, for lists that are swept: `Two<counts>` for two classes, `Many<Num>` for any number. They
// may be off by `slack(unit)`; the plain gain decides in the end.
#pragma once

#include "base/info.hpp"
#include "score/best.hpp"
#include "score/node.hpp"
#include "score/side.hpp"
#include "score/traits.hpp"

namespace bough {

struct Sums;  // of a column at a node; feed.hpp

// Two classes: the gain when the outer side holds l1 rows of the second class among nl rows.
template <class C>
struct PlainTwo {
    static double slack(double unit) { return 1e-11 * unit; }
    double n0, n1;
    PlainTwo(double zeros, double ones) : n0(zeros), n1(ones) {}
    double operator()(double l1, double nl) const {
        const double left[2] = {nl - l1, l1}, right[2] = {n0 - left[0], n1 - l1};
        if (nl <= 0 || nl >= n0 + n1) return kInf;  // no bound from an empty side
        return C::gain(Side(left), Side(right));
    }
};

// Any number of classes: rows move to the outer side one by one, then `put` tells two numbers from
// which `value` makes the gain.
template <class C, class Num>
struct PlainMany {
    static double slack(double unit) { return 1e-11 * unit; }
    static constexpr bool costly = true;
    using Word = double;
    PlainMany(const Node& node, const Sums& sums, bool high);
    void move(u32 c, Num w) { state->outer[c] += w; }
    void move(u32 c, Num w, double z) {
        state->outer[c] += w;
        state->outer_z[c] += static_cast<double>(w) * z;
    }
    double outer(u32 c) const { return static_cast<double>(state->outer[c]); }
    void put(double& a, double& b) const;
    double value(double a, double, double) const { return a; }

   private:
    struct State {
        std::vector<Num> outer;
        std::vector<double> outer_z, left, right, left_z, right_z;
    };
    static State& workspace() {
        thread_local State s;
        return s;
    }
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

}  // namespace bough
