#include "distributed/eligible.hpp"

#include <algorithm>

#include "grow/registry.hpp"

namespace bough {

namespace {

double parameter(const Part& part, const char* name) {
    const auto at = part.params.find(name);
    return at == part.params.end() ? 0.0 : at->second;
}

bool is_extreme(double x) { return x != 0 && !(x > 0x1p-200 && x < 0x1p200); }

std::string named(const char* kind, const std::string& name) { return kind + ("='" + name + "'"); }

}  // namespace

std::string why_in_one_place(const Plan& plan, const Circumstances& c) {
    const Registry& registry = Registry::get();
    const CriterionPlugin& criterion = Registry::find(registry.criteria, plan.criterion);
    const Traits& traits = criterion.traits;
    const std::string split = named("split", plan.split.name);
    // Cuts of numbers are bounded by class counts, or by sums; nominal columns are judged by their tables.
    if (traits.ordered) return named("criterion", plan.criterion);
    if (c.numbers && !(c.regression ? traits.convex : traits.box_corners)) return named("criterion", plan.criterion);
    if (c.numbers) {
        const bool axis = plan.split.name == "axis";
        if (!axis && !Registry::by_moments(plan.split.name)) return split;
        if (parameter(plan.split, "sides") != 0 || parameter(plan.split, "price") != 0 ||
            parameter(plan.split, "cut") == 1)
            return "split_params";
        // Directions are over all columns, and of all rows.
        if (!axis && plan.simplify) return "simplify=True";
        if (!axis && c.forest) return "a forest with " + split;
        if (!axis && plan.stop.max_features > 0) return "max_features with " + split;
        if (!axis && std::any_of(c.magnitudes.begin(), c.magnitudes.end(), is_extreme))
            return split + " of very large or very small numbers";
    }
    const bool tables = plan.selector.name == "score" || (plan.selector.name == "conditional_inference" && !c.numbers);
    if (!tables) return named("selector", plan.selector.name);
    for (const MissingPlugin& m : registry.missing)
        if (m.mode == plan.missing && m.mode != Missing::either) return named("missing", m.info.name);
    if (plan.leaf) return named("leaf", plan.leaf->name);
    if (plan.refine) return named("refine", plan.refine->name);
    for (const Part& part : plan.prune)
        if (Registry::find(registry.pruners, part.name).needs_data) return named("prune", part.name);
    if (!plan.monotonic.empty()) return "monotonic_cst";
    if (!plan.interactions.empty()) return "interaction_cst";
    if (!plan.prices.empty()) return "column_costs";
    if (!plan.first.empty()) return "first_split";
    if (c.pair_costs) return "costs of pairs of classes (cost_splits='pairs')";
    if (c.forest && c.class_weights) return "costs and priors of a forest";
    if (c.functions) return "a function of your own";
    if (!c.some.empty() && (c.some[1] > c.some[0] * 0x1p30 || c.some[1] >= 0x1p60 || c.some[0] <= 0x1p-60))
        return "weights that differ more than 2^30-fold";
    if (is_extreme(c.distance)) return "a target of very large or very small numbers";
    return {};
}

}  // namespace bough
