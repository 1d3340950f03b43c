#include "bind/grow.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/data.hpp"
#include "bind/module.hpp"
#include "grow/forest.hpp"
#include "grow/pruner.hpp"
#include "grow/refiner.hpp"
#include "grow/registry.hpp"
#include "tree/margins.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bough {

namespace {

// The fields of a Plan, one after the other as Python has them: to look each up by name takes as long as a split of
// iris.
class PlanFields {
   public:
    explicit PlanFields(nb::handle plan) : fields_(nb::borrow<nb::tuple>(plan)) {
        static const auto known = nb::cast<std::vector<std::string>>(plan.attr("_fields"));
        names_ = known;
    }
    nb::handle next(const char* name) {
        if (at_ >= names_.size() || names_[at_] != name)
            throw nb::type_error("the fields of a plan are not those that the core reads");
        return fields_[at_++];
    }

   private:
    nb::tuple fields_;
    std::span<const std::string> names_;
    std::size_t at_ = 0;
};

Part part_of(nb::handle part) {
    const auto [name, params] = nb::cast<std::pair<std::string, std::map<std::string, double>>>(part);
    return {name, params};
}

// (columns, weights, cut, side of each code or None, child of missing codes, what is below the left child, the right
// one); no weights: any cut of the column.
FirstSplit first_split_of(nb::handle from) {
    const auto fields = nb::borrow<nb::tuple>(from);
    FirstSplit first;
    const auto columns = nb::cast<std::vector<u32>>(fields[0]);
    const auto weights = nb::cast<std::vector<double>>(fields[1]);
    Split& split = first.split;
    split.column = columns[0];
    if (weights.empty()) {
        first.column = columns[0];
    } else if (!fields[3].is_none()) {
        split.kind = NodeKind::subset;
        split.goes_left = nb::cast<std::vector<u8>>(fields[3]);
        for (u32 code = 0; code < split.goes_left.size(); ++code) split.values.push_back(code);
    } else {
        split.kind = columns.size() > 1 || weights[0] != 1 ? NodeKind::linear : NodeKind::axis;
        if (split.kind == NodeKind::linear) split.term_columns = columns, split.term_weights = weights;
        split.cut = nb::cast<double>(fields[2]);
    }
    split.other = nb::cast<u32>(fields[4]);
    for (u32 side : {0u, 1u}) first.below[side] = nb::cast<u32>(fields[5 + side]);
    first.text = nb::cast<std::string>(fields[7]);
    return first;
}

// Each field is of its own type; they have been checked where the plan was made.
Plan read_plan(nb::handle from, nb::handle& functions) {
    PlanFields fields(from);
    auto read = [&]<class T>(const char* name, T& to) { to = nb::cast<T>(fields.next(name)); };
    Plan p;
    read("criterion", p.criterion);
    read("criterion_params", p.criterion_params);
    p.split = part_of(fields.next("split"));
    p.nominal = part_of(fields.next("nominal"));
    p.selector = part_of(fields.next("selector"));
    std::string missing;
    read("missing", missing);
    p.missing = Registry::find(Registry::get().missing, missing).mode;
    if (const nb::handle part = fields.next("refine"); !part.is_none()) p.refine = part_of(part);
    for (nb::handle part : nb::borrow<nb::tuple>(fields.next("prune"))) p.prune.push_back(part_of(part));
    read("max_depth", p.stop.max_depth);
    read("min_samples_split", p.stop.min_samples_split);
    read("min_samples_leaf", p.limits.min_rows);
    read("min_weight_leaf", p.limits.min_weight);
    read("min_impurity_decrease", p.stop.min_impurity_decrease);
    read("min_info_gain", p.stop.min_info_gain);
    read("max_leaf_nodes", p.stop.max_leaf_nodes);
    read("max_features", p.stop.max_features);
    read("count_constant", p.stop.count_constant);
    read("standardize", p.standardize);
    read("simplify", p.simplify);
    if (const nb::handle part = fields.next("leaf"); !part.is_none()) p.leaf = part_of(part);
    read("ties_by_seed", p.ties_by_seed);
    read("monotonic", p.monotonic);
    read("ruled", p.ruled);
    read("interactions", p.interactions);
    read("prices", p.prices);
    for (nb::handle split : nb::borrow<nb::tuple>(fields.next("first"))) p.first.push_back(first_split_of(split));
    p.first_or_fail = !p.ties_by_seed;  // a forest has other trees
    read("seed", p.seed);
    read("threads", p.threads);
    read("engine", p.engine);
    read("target_offset", p.target_offset);
    functions = fields.next("functions");
    if (const nb::handle rows = fields.next("kept"); !rows.is_none()) p.kept = vector_of<u32>(rows);
    if (const nb::handle folds = fields.next("folds"); !folds.is_none()) p.folds = vector_of<u32>(folds);
    return p;
}

}  // namespace

// Fits of one estimator bring the same plan again, and to read it takes as long as to presort iris. Python's lock
// guards what is kept.
Plan plan_of(nb::handle from, nb::handle& functions) {
    struct Read {
        nb::object from;
        nb::handle functions;
        Plan plan;
    };
    static Read& last = *new Read;  // for good: at its end Python is not there to let go of it
    if (last.from.ptr() == from.ptr()) {
        functions = last.functions;
        return last.plan;
    }
    Plan plan = read_plan(from, functions);
    if (plan.kept.empty() && plan.folds.empty() && nb::len(functions) == 0) last = {nb::borrow(from), functions, plan};
    return plan;
}

void warn_unproven(const Unproven& u, const Part& split) {
    std::string limits;  // those that were given
    for (const char* name : {"max_seconds", "max_fit_seconds"})
        if (const auto at = split.params.find(name); at != split.params.end() && at->second > 0)
            limits += (limits.empty() ? "" : " or ") + std::string(name);
    char text[300];
    std::snprintf(text, sizeof text,
                  "%s ran out at %llu node%s: the best split found was taken, and it is not proven to be the best. "
                  "At no node is more than %.4g of gain missed.",
                  limits.empty() ? "the time" : limits.c_str(), static_cast<unsigned long long>(u.nodes),
                  u.nodes == 1 ? "" : "s", u.gap);
    if (PyErr_WarnEx(PyExc_UserWarning, text, 1) != 0) throw nb::python_error();
}

namespace {

Tree fit_tree(const BoundData& data, const BoundSample* sample, nb::handle plan, const nb::object& progress,
              const nb::object& out) {
    const Sample rows = sample_of(data, sample);
    PruningTable table;
    Refinement refinement;
    std::atomic<bool> interrupted{false};
    refinement.interrupted = &interrupted;
    const Table& all = data.data().table;
    std::vector<double> found;
    GrownTree done = grown(
        plan, progress,
        [&](const Plan& p, Budget& budget) {
            budget.total(static_cast<double>(rows.all_rows ? all.n_rows : rows.rows.size()) * (1 + rows_again(p)));
            GrownTree tree = grow_tree(data.data(), rows, p, budget, &table, &refinement);
            if (!out.is_none())
                found = margins(tree.tree, all.columns, all.n_rows,
                                rows.all_rows ? std::optional<std::span<const u32>>() : rows.rows, budget);
            return tree;
        },
        &interrupted);
    if (out.is_none()) return std::move(done.tree);
    out["engine"] = done.engine;
    out["margins"] = to_numpy(std::move(found));
    if (!table.alpha.empty()) {
        nb::dict d;
        d["alpha"] = to_numpy(std::move(table.alpha));
        d["leaves"] = to_numpy(std::move(table.leaves));
        d["error"] = to_numpy(std::move(table.error));
        d["cv_error"] = to_numpy(std::move(table.cv_error));
        d["cv_deviation"] = to_numpy(std::move(table.cv_deviation));
        out["pruning_table"] = d;
    }
    if (!refinement.objective.empty()) {
        nb::dict d;
        d["stages"] = nb::cast(refinement.stages);
        d["stage"] = nb::cast(refinement.stage);
        d["objective"] = nb::cast(refinement.objective);
        d["bound"] = refinement.bound;
        d["proven"] = refinement.proven;
        d["claim"] = refinement.claim;
        d["seconds"] = refinement.seconds;
        out["refinement"] = d;
    }
    return std::move(done.tree);
}

// Trees that are nearly as good as the one that a search finds: the trees, their objectives, and whether these are all.
nb::tuple near_trees(const BoundData& data, const BoundSample* sample, nb::handle plan, double within, u32 most,
                     const nb::object& progress) {
    const Sample rows = sample_of(data, sample);
    NearTrees near;
    near.within = within;
    near.most = most;
    auto trees = grown(plan, progress, [&](Plan p, Budget& budget) {
        p.prune.clear();
        p.limits = {};
        Refinement search;
        search.near = &near;
        grow_tree(data.data(), rows, p, budget, nullptr, &search);
        std::vector<Tree> found;
        for (const auto& splits : near.trees) {
            Refinement one;
            one.given = splits;
            found.push_back(grow_tree(data.data(), rows, p, budget, nullptr, &one).tree);
        }
        return found;
    });
    return nb::make_tuple(std::move(trees), to_numpy(std::move(near.objective)), near.complete);
}

std::vector<Tree> fit_trees(const BoundData& data, const BoundSample* sample, nb::handle plan,
                            const std::vector<u64>& seeds, u32 size, bool balanced, const nb::object& progress,
                            const nb::object& out) {
    const Sample rows = sample_of(data, sample);
    std::string engine;
    auto trees = grown(plan, progress, [&](const Plan& p, Budget& budget) {
        return grow_forest(data.data(), rows, p, {size, balanced}, seeds, budget, &engine);
    });
    if (!out.is_none()) out["engine"] = engine;
    return trees;
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("grow", &fit_tree, "data"_a, "sample"_a.none(), "plan"_a, "progress"_a.none() = nb::none(),
          "out"_a.none() = nb::none(),
          "Grows a tree from a sample of the data (None: all of it) and prunes it, as planned; `out` gets the engine, "
          "its margins, what the refiner says and the pruning table.");
    m.def("near_trees", &near_trees, "data"_a, "sample"_a.none(), "plan"_a, "within"_a, "most"_a,
          "progress"_a.none() = nb::none(),
          "Trees whose objective is within a share of the best one, and their objectives, the best first; and whether "
          "the search for them came to its end.");
    m.def("grow_forest", &fit_trees, "data"_a, "sample"_a.none(), "plan"_a, "seeds"_a, "size"_a, "balanced"_a,
          "progress"_a.none() = nb::none(), "out"_a.none() = nb::none(),
          "A tree for each seed, from `size` rows that it draws (0: all rows); balanced: its classes weigh the same.");
    m.def(
        "times_drawn", [](u32 n, u32 size, u64 seed) { return to_numpy(times_drawn(n, size, seed)); }, "n"_a, "size"_a,
        "seed"_a, "How often each of n rows is drawn by the tree of a seed.");
}

}  // namespace bough
