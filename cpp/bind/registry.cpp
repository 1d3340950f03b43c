#include "bind/module.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "grow/family.hpp"
#include "grow/loss.hpp"
#include "score/criterion.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

nb::dict info_to_python(const Info& info) {
    nb::dict d;
    d["name"] = info.name;
    d["doc"] = info.doc;
    d["source"] = info.source;
    nb::list params;
    for (const auto& p : info.params) {
        nb::dict q;
        static const char* kTypes[] = {"integer", "real", "flag", "choice"};
        q["name"] = p.name;
        q["doc"] = p.doc;
        q["type"] = kTypes[static_cast<int>(p.type)];
        q["default"] = p.value;
        q["low"] = p.low;
        q["high"] = p.high;
        q["choices"] = p.choices;
        params.append(q);
    }
    d["params"] = params;
    return d;
}

nb::dict registry_to_python() {
    const Registry& r = Registry::get();
    nb::dict all;
    auto list = [&](const char* name, const auto& plugins, auto more) {
        nb::list l;
        for (const auto& p : plugins) {
            nb::dict d = info_to_python(p.info);
            more(d, p);
            l.append(d);
        }
        all[name] = l;
    };
    auto nothing = [](nb::dict&, const auto&) {};
    list("criterion", r.criteria, [](nb::dict& d, const CriterionPlugin& p) {
        d["regression"] = p.traits.regression;
        d["multiway"] = p.traits.multiway;
        d["projection"] = p.traits.projection;
        d["convex"] = p.traits.convex;
        d["graph"] = p.traits.graph;
        d["sums"] = p.traits.sums;
        d["costs"] = p.traits.costs;
        d["divergence"] = p.traits.divergence != Divergence::none;
        d["degree"] = p.traits.degree;
        d["function"] = p.function;
        d["ordered"] = p.traits.ordered;
        d["deviance"] = p.leaf && !p.traits.ordered;  // of numbers from 0 on
        d["squares"] = p.traits.regression && !p.leaf;
        d["box_corners"] = p.traits.box_corners || (p.traits.regression && !p.leaf);
    });
    list("split", r.splits, [](nb::dict& d, const FamilyPlugin& p) {
        d["needs_moments"] = p.needs_moments;
        d["weights_only"] = p.weights_only;
        d["bounds"] = p.bounds;
        d["function"] = p.function;
    });
    list("nominal", r.nominal, [](nb::dict& d, const FamilyPlugin& p) {
        static const char* kNeeds[] = {"nothing", "labels", "classes", "divergence", "graph"};
        d["multiway"] = p.multiway;
        d["needs"] = kNeeds[static_cast<int>(p.needs)];
        d["function"] = p.function;
    });
    list("selector", r.selectors, nothing);
    list("missing", r.missing, nothing);
    list("leaf", r.leaves, [](nb::dict& d, const FamilyPlugin& p) { d["regression"] = p.make != nullptr; });
    list("refine", r.refiners, [](nb::dict& d, const RefinerPlugin& p) { d["regression"] = p.regression; });
    list("prune", r.pruners, [](nb::dict& d, const PrunerPlugin& p) { d["needs_data"] = p.needs_data; });
    list("loss", boosting_losses(), [](nb::dict& d, const LossPlugin& p) {
        d["classes"] = p.classes;
        d["lowest"] = p.lowest;
    });
    return all;
}

using Given = std::map<std::string, double>;

// What a leaf of numbers predicts, and what that costs in all.
std::pair<double, double> leaf_of(const std::string& criterion, const Given& params, const In<double>& numbers,
                                  const In<double>& weights) {
    if (numbers.shape(0) != weights.shape(0) || numbers.shape(0) == 0)
        throw std::invalid_argument("weights must have one entry per number");
    const auto m = measure_numbers(Registry::leaf(criterion, params), true, [&](auto visit) {
        for (std::size_t i = 0; i < numbers.shape(0); ++i) visit(begin_of(numbers)[i], begin_of(weights)[i]);
    });
    return {m.value, m.loss};
}

Out<double> losses(const std::string& criterion, const Given& params, const In<double>& numbers,
                   const In<double>& predicted) {
    if (numbers.shape(0) != predicted.shape(0)) throw std::invalid_argument("predictions must have one entry per row");
    const LeafRule rule = Registry::leaf(criterion, params);
    auto out = numpy_empty<double>(numbers.shape(0));
    for (std::size_t i = 0; i < numbers.shape(0); ++i)
        out.data()[i] = rule.of(begin_of(numbers)[i], begin_of(predicted)[i]);
    return out;
}

}  // namespace

void bind_registry(nb::module_& m) {
    m.def("registry", &registry_to_python);
    m.def("leaf_of", &leaf_of, "criterion"_a, "params"_a, "numbers"_a, "weights"_a,
          "What a leaf with these numbers predicts under a criterion, and its total cost.");
    m.def("losses", &losses, "criterion"_a, "params"_a, "numbers"_a, "predicted"_a,
          "Cost of each prediction under a criterion.");
}

}  // namespace bough
