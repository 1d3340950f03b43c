// The one loop: a node is stopped, or its columns are selected, its splits proposed, the best one
// made and its rows passed on.
#pragma once

#include "grow/family.hpp"
#include "grow/selector.hpp"
#include "grow/stop.hpp"
#include "tree/tree.hpp"

namespace bough {

// What is to be grown; the names are those of registered plug-ins.
struct Plan {
    std::string criterion, split, nominal, selector;
    std::map<std::string, double> split_params, nominal_params, selector_params;
    StopRules stop;
    LeafLimits limits;
    u64 seed = 0;
    int threads = 1;
    bool standardize = false;
    bool simplify = false;      // linear splits lose terms that no training row needs
    bool wide = false;          // see Problem
    double target_offset = 0;   // regression: what was taken off the target
    Functions functions;        // of the user's own
    std::vector<double> costs;  // see Target
};

TreeParts grow(const Table& table, const Target& target, const Plan& plan, Budget& budget);

}  // namespace bough
