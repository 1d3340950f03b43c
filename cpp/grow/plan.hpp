// What is to be grown: every parameter of a fit, checked by whoever made the plan.
#pragma once

#include <map>
#include <optional>

#include "grow/first_split.hpp"
#include "grow/interactions.hpp"
#include "grow/stop.hpp"
#include "score/functions.hpp"
#include "tree/split.hpp"

namespace bough {

// A registered plug-in by its name, with the parameters that differ from their defaults.
struct Part {
    std::string name;
    std::map<std::string, double> params;
};

struct Plan {
    std::string criterion;
    std::map<std::string, double> criterion_params;
    Part split, nominal, selector;
    Missing missing = Missing::either;
    bool spare_surrogates = false;  // none where no row of the data lacks a value: for trees that see no other rows
    std::optional<Part> leaf;       // what leaves predict, if it is not their mean or shares
    std::optional<Part> refine;
    std::vector<Part> prune;  // one after the other
    StopRules stop;
    LeafLimits limits;
    u64 seed = 0;
    int threads = 1;
    std::string engine;         // the store to grow from, by name; empty: the one that is faster
    bool ties_by_seed = false;  // among columns; else the first one wins
    std::vector<int>
        monotonic;  // per column: predictions rise with it (1), fall (−1), or do as they like; empty: all do
    u32 ruled = 1;  // the class whose share does
    ColumnGroups interactions;      // that may meet on a path; empty: all may
    std::vector<double> prices;     // per column, of its first split on a path; empty: none has a price
    std::vector<FirstSplit> first;  // that the tree begins with, the root's first
    bool first_or_fail = false;     // else a tree of rows that cannot be split so does without
    bool standardize = false;
    bool simplify = false;     // linear splits lose terms that no training row needs
    double target_offset = 0;  // regression: what was taken off the target
    Functions functions;       // of the user's own
    std::vector<u32> kept;     // rows of the sample that a pruner is to keep apart; empty: it draws them
    std::vector<u32> folds;    // of each row of the sample, for those who cross-validate; empty: drawn

    bool split_asks_several() const;  // columns at once
    // Do rules forbid some splits at some nodes?
    bool ruled_splits() const {
        return !monotonic.empty() || !interactions.empty() || !prices.empty() || !first.empty();
    }
};

}  // namespace bough
