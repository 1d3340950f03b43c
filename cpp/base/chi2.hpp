// The tail of the χ² distribution, in logarithms: far out, where probabilities are below any double.
#pragma once

namespace bough {

// log P(χ² with df degrees of freedom > x), for x >= 0 and df > 0.
double chi2_log_tail(double x, double df);

}  // namespace bough
