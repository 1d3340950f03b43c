// The cuts of a list for criteria whose leaves predict a quantile of a numeric target.
#pragma once

#include "score/scorer.hpp"

namespace bough {

// Offers every cut of a column that has one list; `least` rows on each side.
void ordered_cuts(const LeafRule& rule, const Node& node, const PackedColumn& column, const LeafLimits& limits,
                  u32 least, const CutSink& sink);

}  // namespace bough
