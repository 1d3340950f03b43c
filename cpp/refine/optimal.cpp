// lookahead, optimal: the tree of a few levels that makes the fewest errors, or nearly, found by a search of its own.
#include <chrono>

#include "grow/plan.hpp"
#include "grow/refiner.hpp"
#include "refine/price.hpp"
#include "refine/rebuild.hpp"
#include "refine/shallow_search.hpp"

namespace bough {

namespace {

constexpr u32 kDepth = 3;        // where the plan has no limit
constexpr u32 kMostLevels = 16;  // that anyone could wait for

class Optimal final : public Refiner {
   public:
    Optimal(const Params& params, bool proves)
        : price_(params.get("leaf_price")), look_(proves ? 0 : params.count("look")) {
        if (params.get("max_seconds") > 0) max_seconds_ = params.get("max_seconds");
    }

    TreeParts refine(const Refining& how) const override {
        const auto began = std::chrono::steady_clock::now();
        const Moments moments = moments_of(how.data.table, how.data.target);
        if (!how.found.given.empty()) return rebuild(how, how.found.given, moments);
        double price = price_;
        if (price_ < 0)
            price = kPrices[price_by_folds(how, kPrices, [&](const Refining& part, const Judge& judge) {
                for (double trial : kPrices) judge(search(part, trial, moments), true);
            })];
        const Shape shape = search(how, price, moments);
        how.found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        how.budget.done(how.data.table.n_rows);
        return rebuild(how, shape.preorder(), moments);
    }

   private:
    u32 depth_of(const Plan& plan) const {
        const u32 given = plan.stop.max_depth;
        if (given != kNone && given > kMostLevels)
            throw std::invalid_argument("max_depth is " + std::to_string(given) + "; the best tree of more than " +
                                        std::to_string(kMostLevels) +
                                        " levels cannot be searched for. "
                                        "Pass max_depth=3, or take refine='axis'.");
        return given == kNone ? kDepth : given;
    }

    Shape search(const Refining& how, double price, const Moments& moments) const {
        const u32 depth = depth_of(how.plan);
        Losses losses(how.data.target, how.data.table.n_rows);
        losses.use_sharp(true);
        Team team(how.plan.threads, how.budget);
        const ShallowProblem problem(how.data, losses, price, team, how.budget);
        Refinement& out = how.found;
        out.stages = {look_ ? "lookahead" : "search"};
        ShallowSearch::Settings settings{max_seconds_, out.interrupted};
        ShallowSearch work(problem, settings, how.budget, [&](Cost better) {
            out.stage.push_back(0);
            out.objective.push_back(problem.loss(better));
        });
        const Found found = look_ ? work.lookahead(depth, look_) : work.optimal(depth);
        if (out.near) {
            NearTrees& near = *out.near;
            const Cost limit = found.cost + static_cast<Cost>(static_cast<double>(found.cost) * near.within);
            for (const Variant& v : work.variants(depth, limit, near.most)) {
                near.trees.push_back(splits_of(problem, v.tree));
                near.objective.push_back(std::ldexp(problem.loss(v.cost), how.data.target.exponent));
            }
            near.complete = !work.stopped();
        }
        Shape shape(how.data.table, moments);
        u64 clock = 0;
        shape.grow(0, splits_of(problem, found.tree), clock);
        if (shape.keep_limits(how.plan.limits, how.data.target, how.budget)) {
            out.stages.push_back("limits of leaves");
            out.stage.push_back(1);
            out.objective.push_back(0);
        }
        const double leaf = price * losses.unit();
        Shape::Rows rows;
        shape.reach(how.budget, rows);
        out.objective.back() = shape.refit(losses, rows, clock) + leaf * shape.n_leaves();
        if (look_) return shape;
        out.bound = std::min(problem.loss(found.bound), out.objective.back());
        out.proven = !(out.bound < out.objective.back() * (1 - kErrors)) ||
                     (found.bound >= found.cost && out.stages.size() == 1);
        out.claim = claim(how, depth, problem, leaf);
        return shape;
    }

    static std::string claim(const Refining& how, u32 depth, const ShallowProblem& problem, double leaf) {
        const Target& target = how.data.target;
        const bool counted = !target.weighted() && target.own.empty() && target.losses.empty() && target.scale.empty();
        const double bound = std::ldexp(how.found.bound, target.exponent),
                     own = std::ldexp(how.found.objective.back(), target.exponent);
        auto number = [](double x, const char* format = "%.6g") {
            char text[40];
            std::snprintf(text, sizeof text, format, x);
            return std::string(text);
        };
        const bool errors = counted && leaf == 0;
        const double least = errors ? std::ceil(bound * (1 - kErrors)) : bound;
        std::string text = "no tree of depth " + std::to_string(depth) +
                           (errors ? " makes fewer than " + number(least, "%.0f") + (least == 1 ? " error" : " errors")
                                   : " costs less than " + number(least)) +
                           " on these rows";
        if (leaf > 0) text += ", a leaf costing " + number(std::ldexp(leaf, target.exponent));
        if (problem.rounded) text += ", weights rounded to multiples of " + number(problem.unit, "%.2g");
        if (how.found.proven) return text + ": proven";
        return text + (errors ? "; this one makes " + number(own, "%.0f") : "; this one costs " + number(own)) +
               ": the search was cut off before the gap was closed";
    }

    double price_;
    u32 look_;
    double max_seconds_ = kInf;
};

RefinerPlugin plugin(const char* name, const char* doc, const char* source, bool proves) {
    Info info{name, doc, source};
    info.params = {
        {"leaf_price",
         "rows that a leaf must save; 'cv': chosen by three-fold cross-validation",
         Param::Type::real,
         0,
         0,
         kInf,
         {"cv"}},
        {"max_seconds", "time limit of the search in seconds; then the best tree so far is taken; 0: no limit",
         Param::Type::real, 10, 0, kInf},
        {"keep", "Ctrl-C ends the search and keeps the best tree so far, instead of ending the fit", Param::Type::flag,
         0}};
    if (!proves) info.params.push_back({"look", "how many levels it looks ahead", Param::Type::integer, 3, 2, 4});
    return {info, [proves](const Params& p) { return std::make_unique<Optimal>(p, proves); }, false};
}

}  // namespace

void register_optimal(Registry& r) {
    r.refiners.push_back(
        plugin("lookahead", "splits every node as the best tree of a few levels would", "Babbar et al. 2025", false));
    r.refiners.push_back(plugin("optimal", "the tree of a few levels with the fewest training errors, with a proof",
                                "Mazumder, Meng & Wang 2022; Briţa, van der Linden & Demirović 2025", true));
}

}  // namespace bough
