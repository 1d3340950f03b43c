// Refiners make a tree that is better as a whole than one that was grown split by split, within the same interruptible
// call. They grow what they start from themselves (grow_nodes), all at once or part by part.
#pragma once

#include <atomic>
#include <string>

#include "base/budget.hpp"
#include "data/sample.hpp"
#include "grow/registry.hpp"
#include "tree/tree.hpp"

namespace bough {

struct Plan;

// Trees that are nearly as good, as splits in preorder, and their objectives.
struct NearTrees {
    double within = 0;  // of the objective
    u32 most = 0;
    std::vector<std::vector<Split>> trees;
    std::vector<double> objective;
    bool complete = false;  // are these all, or the best ones of all?
};

// What a refiner tells of its work and of the tree.
struct Refinement {
    std::vector<std::string> stages;  // their names
    std::vector<u32> stage;           // of each pass, a place in `stages`
    std::vector<double> objective;    // ... and the objective after it
    double bound = kNaN;              // no tree within the limits has a smaller objective; NaN: nothing is known
    bool proven = false;              // the tree has the smallest objective there is
    double seconds = 0;               // that it took, if that is told
    std::atomic<bool>* interrupted =
        nullptr;                // is the best tree so far to be taken now? null: an interrupt ends the fit
    NearTrees* near = nullptr;  // to be found, too
    std::vector<Split> given;   // not empty: write down this tree of `near`, and search nothing
    std::string claim;          // what is known of the bound, as a sentence; empty: nothing
};

struct Refining {
    const Data& data;   // the rows, with the weights that their classes have in splits
    const Table& full;  // the table that they were drawn from
    const Plan& plan;
    Budget& budget;  // to be polled
    Refinement& found;
};

class Refiner {
   public:
    virtual ~Refiner() = default;
    // How many times over it goes through the rows, about.
    virtual u32 passes() const { return 1; }
    // The tree; cpp/refine/rebuild.hpp makes one of its splits.
    virtual TreeParts refine(const Refining& how) const = 0;
};

}  // namespace bough
