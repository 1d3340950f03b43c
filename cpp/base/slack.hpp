// Tolerances: how far apart two numbers may be and still count as the same. Each says which error it covers.
#pragma once

namespace bough {

// Gains whose difference is below this share of the node's unit are tied; so are balances below this share
// of its weight.
inline constexpr double kTie = 1e-12;

// A cheap value only filters: what comes this close to the best is scored plainly. As shares of the unit:
inline constexpr double kClosedForm = 1e-11;  // a formula of the sums of one cut, one subtraction away
inline constexpr double kRunning = 1e-9;      // sums that are carried along a list, or many partitions
inline constexpr double kLastSteps = 2e-14;   // another formula of sums that are exact
// ... and, as a share of it, beside the best cheap gain of the same list:
namespace tolerance {
inline constexpr double gain = 1e-10;
}
// ... and what is added where the unit of a nearly pure node is smaller than the rounding of its parts.
inline constexpr double kRunningFloor = 1e-13;
inline constexpr double kEntropyFloor = 1e-11;  // n·log2 n of a hundred thousand rows
// A ratio to the split information, which for a very small side is of the order 1e-5: errors grow by its inverse.
inline constexpr double kRatioClosed = 1e-8;
inline constexpr double kRatioRunning = 1e-6;

// Positions beside a mean of positions, as a share of both.
inline constexpr double kPosition = 1e-9;
// A sum of weights beside a limit, or beside a sum of the same weights in another order.
inline constexpr double kSum = 1e-12;
// Distances from a plane, as a share of the largest: smaller differences are rounding.
inline constexpr double kPlane = 1e-12;
// Class shares, and keys that values are ordered by: what is closer is one.
inline constexpr double kShares = 0x1p-40;

// Numbers of a column, as a share of their size: what the rounding of their mean leaves of equal ones ...
inline constexpr double kOfMean = 1e-13;
// ... of a standard deviation from sums of squares about the first number ...
inline constexpr double kSpread = 1e-15;
// ... and of sums over the rows of a node.
inline constexpr double kColumn = 1e-12;
// Sums over several columns, as a share of the largest: a simpler split may part them this near.
inline constexpr double kSimpler = 1e-9;
// Coefficients of a direction, as a share of the largest: smaller ones are none ...
inline constexpr double kCoefficient = 1e-13;
// ... and do not say which way a direction points.
inline constexpr double kSign = 1e-9;

// Eigenvalues, as a share of the largest. Squares of singular values, of rows that are exact but for rounding:
inline constexpr double kNoVariance = 1e-20;
// ... of a covariance inside classes, and of means in its units.
inline constexpr double kWithin = 1e-10;
inline constexpr double kBetween = 1e-12;
// ... and the square of the distance of two means that differ by rounding.
inline constexpr double kSameMeans = 1e-24;
// A sum of squared differences of class shares that is rounding.
inline constexpr double kNoGain = 1e-28;

// elc: what is not this share of the unit better than the best so far is not better.
inline constexpr double kBetter = 1e-13;
// The nearest point of a hull: when it is found, and weights of its corners that are none.
inline constexpr double kNearest = 1e-13;
inline constexpr double kNoCorner = 1e-15;
// Slopes and positions of planes that come from products, on top of what is known of their errors.
inline constexpr double kSlope = 0x1p-48;
// Goemans-Williamson: changes that are none, as a share of all weights; what is first added to a diagonal, as a
// share of the largest pull; and that pull at least.
inline constexpr double kSettled = 1e-15;
inline constexpr double kShift = 1e-9;
inline constexpr double kLeastPull = 1e-12;
// Jacobi's rotations end when what is beside the diagonal is this share of it, both squared.
inline constexpr double kDiagonal = 1e-32;
// Series end where terms are this share of their sum; continued fractions where a step is this near to 1.
inline constexpr double kTerm = 1e-17;
inline constexpr double kStep = 4e-16;

// Surrogates: adjusted agreement that is no better than sending all rows to the larger side.
inline constexpr double kNoAgreement = 1e-10;
// Refining: objectives that are tied, as a share of what is at stake at a node. Of the logistic model of a node's
// sides: variances and information that are none, scores of a column that does not help, and the least of a
// probability, of its curvature and of what is added to a diagonal; steps that make the model worse by more than
// rounding.
inline constexpr double kObjective = 1e-11;
inline constexpr double kNoSpread = 1e-10;
inline constexpr double kNoInformation = 1e-7;
inline constexpr double kNoScore = 1e-8;
inline constexpr double kLeastShare = 1e-300;
inline constexpr double kLeastCurve = 1e-6;
inline constexpr double kLeastDiagonal = 1e-10;
inline constexpr double kWorse = 1e-9;
// Linear leaves: mean squares of residuals that are rounding, as a share of the largest square of the target; spreads
// of a side, as a share of the node's, that running sums do not hold; and bends of a line that they do not tell from
// none.
inline constexpr double kNoResidual = 1e-28;
inline constexpr double kNarrow = 1e-9;
inline constexpr double kNoBend = 1e-9;
// Pruning: errors that are tied, as a share; a count that a sum of shares has nearly reached.
inline constexpr double kErrors = 1e-12;
inline constexpr double kCount = 1e-9;
// C4.5's own: weights, gains, ratios and errors this close are equal; values that are parted differ by more than
// kApart; a column may be kBelow the mean gain; fewer errors than kNoErrors are none.
inline constexpr double kEqual = 1e-6;
inline constexpr double kApart = 1e-5;
inline constexpr double kBelow = 1e-3;
inline constexpr double kNoErrors = 1e-3;

// Below these, products and quotients have lost digits or are no numbers.
inline constexpr double kTinyProduct = 1e-280;
inline constexpr double kTinyNumber = 1e-290;
inline constexpr double kTinySize = 1e-300;

}  // namespace bough
