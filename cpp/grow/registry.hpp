// The list of everything that can be plugged in. Each plug-in file ends with its one registration
// function; plugins.cpp names them. Python, the command line, the docs and the error messages are
// made from what stands here.
#pragma once

#include <functional>
#include <string_view>

#include "base/info.hpp"
#include "stores/ranks.hpp"

namespace bough {

class Family;
class Pruner;
class Refiner;
class Selector;

// What a search of nominal partitions asks of the criterion.
enum class Needs : u8 {
    nothing,     // judges whole partitions
    labels,      // ... of classes
    classes,     // is for classes, and for criteria that look at the class weights of the two sides
    divergence,  // ... that belong to a divergence
    graph,       // is for cuts in a graph of values
};

struct FamilyPlugin {
    Info info;
    std::function<std::unique_ptr<Family>(const Problem&, const Params&)> make;
    bool multiway = false;       // may make more than two children
    bool needs_moments = false;  // cuts along sums of columns: Problem::moments are there, and it may call BLAS
    bool function = false;       // works by a function that comes with the plan
    std::string joined_by = {};  // the family that proposes before it, with its defaults, and whose best it starts from
    bool weights_only = false;   // not for criteria that look at positions
    Needs needs = Needs::nothing;
    bool several = false;       // a split may ask several columns
    ByMoments by_moments = {};  // of directions that need no rows
    bool bounds = false;        // needs a criterion that it can bound: Traits::box_corners, or convex in numbers
    // With these parameters, does it keep rows in sorted lists, from which small nodes may go on? Null: no.
    std::function<bool(const Params&)> lists = nullptr;
    // From how many trees on is it faster by ranks, where nodes look at few columns? 0, or null: it never is.
    std::function<u64(const Params&)> ranks_from = nullptr;
    std::function<std::unique_ptr<RankSearch>(const Problem&, const Params&)> rank_search = nullptr;
    // Beside other families, where the problem has ranks; null: `make` does it then, too.
    std::function<std::unique_ptr<Family>(const Problem&)> make_ranked = nullptr;
};

struct SelectorPlugin {
    Info info;
    std::function<std::unique_ptr<Selector>(const Problem&, const Params&)> make;
    bool by_weight = false;  // min_samples_leaf is about weight
};

// A way of rows that lack the value that a node asks for; its name is the plan's.
struct MissingPlugin {
    Info info;
    Missing mode;
};

struct PrunerPlugin {
    Info info;
    std::function<std::unique_ptr<Pruner>(const Params&)> make;
    bool needs_data = false;  // asks for Pruning::data and ::plan
    u32 regrows = 0;          // how many times over it grows trees from parts of the same data, about
};

struct RefinerPlugin {
    Info info;
    std::function<std::unique_ptr<Refiner>(const Params&)> make;
    bool regression = true;  // also of trees that predict numbers
};

struct Registry {
    std::vector<CriterionPlugin> criteria;
    std::vector<FamilyPlugin> splits;   // of numeric columns
    std::vector<FamilyPlugin> nominal;  // of nominal columns
    std::vector<SelectorPlugin> selectors;
    std::vector<MissingPlugin> missing;
    std::vector<FamilyPlugin> leaves;  // what leaves predict; those that choose the splits too have a family
    std::vector<RefinerPlugin> refiners;
    std::vector<PrunerPlugin> pruners;

    static const Registry& get();
    // Null where a split needs rows.
    static const ByMoments* by_moments(std::string_view split);
    // What leaves predict by a criterion with these parameters.
    static LeafRule leaf(std::string_view criterion, const std::map<std::string, double>& params);

    template <class Plugin>
    static const Plugin& find(const std::vector<Plugin>& list, std::string_view name) {
        for (const auto& p : list)
            if (p.info.name == name) return p;
        throw std::invalid_argument("no plug-in is called '" + std::string(name) + "'");
    }
};

}  // namespace bough
