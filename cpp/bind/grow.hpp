// The plan as Python wrote it, and what grows by it.
#pragma once

#include "bind/data.hpp"
#include "bind/functions.hpp"
#include "bind/work.hpp"
#include "grow/grow.hpp"

namespace bough {

// What bough.estimators.plan.Plan says; `functions` gets those of the user's own, which are not yet in the plan.
Plan plan_of(nanobind::handle from, nanobind::handle& functions);

void warn_unproven(const Unproven& u, const Part& split);

// Runs work(plan, budget) as Python waits for it; warns where a search was not proven. `raised`: by a function of the
// user's own.
template <class Work>
auto grown(nanobind::handle given, const nanobind::object& progress, Work work, std::exception_ptr& raised,
           std::atomic<bool>* interrupted = nullptr) {
    nanobind::handle functions;
    Plan plan = plan_of(given, functions);
    // Is a tree to be kept that an interrupt leaves unfinished?
    const bool keeps = plan.refine && plan.refine->params.contains("keep") && plan.refine->params.at("keep") != 0;
    plan.functions = functions_of(nanobind::cast<nanobind::dict>(functions), raised);
    try {
        Unproven unproven;
        auto result = interruptible(
            progress,
            [&](Budget& budget) {
                plan.functions.failed = [&budget] { budget.stop(); };
                if (plan.functions.edges)  // called where nobody knows of `failed`
                    plan.functions.edges = [&budget, call = plan.functions.edges](const auto&... given) {
                        try {
                            return call(given...);
                        } catch (...) {
                            budget.stop();
                            throw;
                        }
                    };
                auto trees = work(plan, budget);
                unproven = budget.unproven();
                return trees;
            },
            keeps ? interrupted : nullptr);
        if (unproven.nodes > 0) warn_unproven(unproven, plan.split);
        return result;
    } catch (const Stopped&) {
        if (raised) std::rethrow_exception(raised);
        throw;
    }
}

template <class Work>
auto grown(nanobind::handle given, const nanobind::object& progress, Work work,
           std::atomic<bool>* interrupted = nullptr) {
    std::exception_ptr raised;
    return grown(given, progress, work, raised, interrupted);
}

}  // namespace bough
