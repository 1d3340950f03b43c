// When a node is left alone.
#pragma once

#include "base/slack.hpp"
#include "score/node.hpp"

namespace bough {

struct StopRules {
    u32 max_depth = kNone;
    u32 min_samples_split = 2;
    double min_impurity_decrease = 0;
    double min_info_gain = -kInf;  // a split is made only if its information gain is larger
    u32 max_leaf_nodes = 0;        // 0: no limit
    u32 max_features = 0;          // columns tried at a node; 0: all
    bool count_constant = true;    // whether columns that cannot be split there are among them

    // Why a node is not split, or null if it may be.
    const char* why_stop(const Node& node, const LeafLimits& limits) const {
        if (node.pure) return "pure";
        if (node.depth >= max_depth) return "max_depth";
        if (node.n_rows < min_samples_split) return "min_samples_split";
        if (limits.by_weight ? node.total < 2.0 * limits.min_rows - kEqual : node.n_rows < 2 * u64{limits.min_rows})
            return "min_samples_leaf";
        if (node.total < 2 * limits.min_weight) return "min_weight_fraction_leaf";
        return nullptr;
    }
};

}  // namespace bough
