// The list of everything that can be plugged in. Each plug-in file ends with its one registration
// function; plugins.cpp names them. Python, the command line, the docs and the error messages are
// made from what stands here.
#pragma once

#include <functional>
#include <map>
#include <string_view>

#include "base/integers.hpp"

namespace bough {

class Family;
class Pruner;
class Scorer;
class Selector;
struct Problem;
struct Target;

// A parameter of a plug-in. A choice is passed as its place in `choices`, a flag as 0 or 1.
struct Param {
    enum class Type { integer, real, flag, choice };
    std::string name;
    std::string doc;
    Type type = Type::real;
    double value = 0;  // the default
    double low = -kInf, high = kInf;
    std::vector<std::string> choices = {};
};

struct Info {
    std::string name;
    std::string doc;     // one line
    std::string source;  // where the idea comes from
    std::vector<Param> params = {};
};

class Params {
   public:
    explicit Params(const Info& info) {
        for (const auto& p : info.params) values_[p.name] = p.value;
    }
    void set(const std::string& name, double value) { values_.at(name) = value; }
    double get(const std::string& name) const { return values_.at(name); }
    u32 count(const std::string& name) const { return static_cast<u32>(get(name)); }
    bool flag(const std::string& name) const { return get(name) != 0; }

   private:
    std::map<std::string, double> values_;
};

// The distance of a value from a side in which a criterion is a descent of k-means.
enum class Divergence : u8 { none, squared, kullback };

// What a criterion is fit for; read by the checks on combinations.
struct Traits {
    bool regression = false;      // for numbers, not for classes
    bool multiway = true;         // has a value for more than two children
    bool projection = false;      // looks at positions along the projection
    bool convex = false;          // (quasi-)convex in the class weights: ordered scans are exact
    bool convex_for_two = false;  // ... if there are two classes
    bool costs = false;           // can weigh pairs of classes by Target::costs
    bool box_corners = false;     // over a box of class counts its maximum is at a corner
    bool graph = false;           // for a nominal column: the weight of a cut in a graph of its values
    bool sums = true;             // ... and a function of the class weights of the two sides
    int degree = 0;               // how the gain grows with a common factor of all weights
    Divergence divergence = Divergence::none;
};

struct CriterionPlugin {
    Info info;
    Traits traits;
    std::function<std::unique_ptr<Scorer>(const Target&)> make;
};

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
    bool multiway = false;    // may make more than two children
    bool directions = false;  // cuts along sums of columns
    bool function = false;    // works by a function that comes with the plan
    bool climbs = false;      // from the best axis cut, which is offered too; not for criteria of positions
    Needs needs = Needs::nothing;
    bool bounds = false;  // needs a criterion that it can bound: Traits::box_corners
};

struct SelectorPlugin {
    Info info;
    std::function<std::unique_ptr<Selector>(const Problem&, const Params&)> make;
};

struct PrunerPlugin {
    Info info;
    std::function<std::unique_ptr<Pruner>(const Params&)> make;
};

struct Registry {
    std::vector<CriterionPlugin> criteria;
    std::vector<FamilyPlugin> splits;   // of numeric columns
    std::vector<FamilyPlugin> nominal;  // of nominal columns
    std::vector<SelectorPlugin> selectors;
    std::vector<PrunerPlugin> pruners;

    static const Registry& get();

    template <class Plugin>
    static const Plugin& find(const std::vector<Plugin>& list, std::string_view name) {
        for (const auto& p : list)
            if (p.info.name == name) return p;
        throw std::invalid_argument("no plug-in is called '" + std::string(name) + "'");
    }
};

}  // namespace bough
