#include "bind/module.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "grow/family.hpp"
#include "score/criterion.hpp"

namespace nb = nanobind;

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
        d["box_corners"] = p.traits.box_corners || (p.traits.regression && p.traits.convex);
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
    list("refine", r.refiners, [](nb::dict& d, const RefinerPlugin& p) { d["regression"] = p.regression; });
    list("prune", r.pruners, [](nb::dict& d, const PrunerPlugin& p) { d["needs_data"] = p.needs_data; });
    return all;
}

}  // namespace

void bind_registry(nb::module_& m) { m.def("registry", &registry_to_python); }

}  // namespace bough
