// Tolerances: how far apart two numbers may be and still count as the same. Each says which error it covers.
#pragma once

namespace bough {

// Gains whose difference is below this share of the node's unit are tied; so are balances below this share
// of its weight.
inline constexpr double kTie = 1e-12;

// A cheap value only filters: what comes this close to the best is scored plainly. As shares of the unit:
inline constexpr double kClosedForm = 1e-11;  // a formula of the sums of one cut, one subtraction away
inline constexpr double kRunning = 1e-9;      // sums that are carried along a list, or many partitions
inline constexpr double kNear = 1e-10;        // beside the best of its own list, as a share of that
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

}  // namespace bough
