// What a criterion is fit for.
#pragma once

#include "base/integers.hpp"

namespace bough {

// The distance of a value from a side in which a criterion is a descent of k-means.
enum class Divergence : u8 { none, squared, kullback };

// What a criterion is fit for; read by the checks on combinations.
struct Traits {
    bool regression = false;      // for numbers, not for classes
    bool ordered = false;         // ... whose order it follows: losses about a quantile
    bool multiway = true;         // has a value for more than two children
    bool projection = false;      // looks at positions along the projection
    bool convex = false;          // (quasi-)convex in the class weights: ordered scans are exact
    bool convex_for_two = false;  // ... if there are two classes
    bool superclasses = false;    // its best partition is the best one for some two superclasses of the classes
    bool costs = false;           // can weigh pairs of classes by Target::costs
    bool box_corners = false;     // over a box of class counts its maximum is at a corner
    bool logs = false;            // its gain takes logarithms: bounds ask `gains` instead
    bool graph = false;           // for a nominal column: the weight of a cut in a graph of its values
    bool sums = true;             // ... and a function of the class weights of the two sides
    double perfect = kInf;        // the gain of two pure children, in units; a limit on every gain
    bool ratio = false;           // for each bit that the split itself takes to tell
    int degree = 0;               // how the gain grows with a common factor of all weights
    Divergence divergence = Divergence::none;
};

}  // namespace bough
