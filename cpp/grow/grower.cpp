#include "grow/grower.hpp"

#include <algorithm>

#include "grow/ground.hpp"

namespace bough {

namespace {

class Grower {
   public:
    Grower(const Data& data, const Table& whole, const Plan& plan, Budget& budget, std::span<const u32> rows,
           const Ranks* ranks, const Start& start)
        : fit_(data, whole, plan, budget),
          target_(data.target),
          plan_(plan),
          budget_(budget),
          team_(plan.threads, budget),
          solo_(1, budget),
          start_(start) {
        fit_.rows = rows;
        fit_.ranks = ranks;
        if (start.moments) fit_.moments = *start.moments;
    }

    TreeParts grow() {
        const Table& table = fit_.data.table;
        Records records;
        Open root;
        root.record = records.add();
        root.node.depth = start_.depth;
        root.node.path = start_.path;
        if (fit_.rows.empty()) {
            std::vector<u32> all(table.n_rows);
            for (u32 i = 0; i < table.n_rows; ++i) all[i] = i;
            measure(root.node, target_, all);
        } else {
            measure(root.node, target_, fit_.rows);
        }
        fit_.weight = start_.weight > 0 ? start_.weight : root.node.total;
        root.ground = std::make_shared<Ground>(fit_, team_);
        root.ground->begin(root);
        if (plan_.stop.max_leaf_nodes > 0) {
            best_first(std::move(root), records);
        } else if (team_.size() == 1) {
            Worker worker(&team_, table.n_rows);
            depth_first(std::move(root), records, worker, 0, nullptr);
        } else {
            in_two_phases(std::move(root), records);
        }
        // The ground and what its families remember went with the last node, before the tree is laid out.
        TreeParts parts = std::move(records).in_preorder(table, target_, plan_.missing, plan_.target_offset);
        if (!parts.term_counts.empty()) {
            if (fit_.moments.centered) parts.centers = fit_.moments.centers;
            parts.spreads = fit_.moments.spreads;
        }
        return parts;
    }

   private:
    // ---- order of growth -------------------------------------------------------------------------

    // Grows to the end; nodes of at most `set_aside` rows are left in `later` if that is given.
    void depth_first(Open root, Records& records, Worker& worker, u32 set_aside, std::vector<Open>* later) {
        std::vector<Open> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (later && open.node.n_rows <= set_aside) {
                later->push_back(std::move(open));
                continue;
            }
            if (!later && open.ground && open.ground->grows_alone(open)) {
                records.make_whole(open.record, open.ground->grow_below(open, worker));
                continue;
            }
            Decision decision;
            std::optional<Division> division = decide(open, worker, decision);
            if (!division) {
                finish(open, records);
                continue;
            }
            std::vector<Open> children = make(open, decision, *division, records, worker);
            for (std::size_t c = children.size(); c-- > 0;) stack.push_back(std::move(children[c]));
        }
    }

    void best_first(Open root, Records& records) {
        struct Waiting {
            Open open;
            Decision decision;
            u64 number;
        };
        auto later = [](const std::unique_ptr<Waiting>& a, const std::unique_ptr<Waiting>& b) {
            const double x = a->decision.improvement, y = b->decision.improvement;
            return x != y ? x < y : a->number > b->number;
        };
        std::vector<std::unique_ptr<Waiting>> heap;
        Worker worker(&team_, fit_.data.table.n_rows);
        u64 number = 0;
        u32 leaves = 1;
        auto consider = [&](Open open) {
            auto w = std::make_unique<Waiting>();
            if (!decide(open, worker, w->decision)) {
                finish(open, records);
                return;
            }
            w->open = std::move(open);
            w->number = number++;
            heap.push_back(std::move(w));
            std::push_heap(heap.begin(), heap.end(), later);
        };
        consider(std::move(root));
        while (!heap.empty()) {
            std::pop_heap(heap.begin(), heap.end(), later);
            const auto w = std::move(heap.back());
            heap.pop_back();
            w->open.ground->enter(w->open);
            const u32 more = w->decision.split.n_children() - 1;
            if (leaves + more > plan_.stop.max_leaf_nodes) {
                finish(w->open, records);
                continue;
            }
            leaves += more;
            std::vector<Open> children;
            {
                Division division = w->open.ground->divide(w->open, w->decision, worker);
                children = make(w->open, w->decision, division, records, worker);
            }
            for (auto& child : children) consider(std::move(child));
        }
    }

    // Large nodes one after the other with all threads, then whole subtrees side by side.
    void in_two_phases(Open root, Records& records) {
        const u32 small = std::max<u32>(root.node.n_rows / (5 * static_cast<u32>(team_.size())), 256);
        std::vector<Open> later;
        {
            Worker worker(&team_, fit_.data.table.n_rows);
            depth_first(std::move(root), records, worker, small, &later);
        }
        std::vector<std::size_t> order(later.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return later[a].node.n_rows > later[b].node.n_rows; });
        std::vector<Records> grown(later.size());
        std::vector<u32> roots(later.size());
        std::vector<std::unique_ptr<Worker>> workers(team_.size());
        team_.each(later.size(), [&](std::size_t i, int helper) {
            auto& worker = workers[helper];
            if (!worker) worker = std::make_unique<Worker>(&solo_, fit_.data.table.n_rows);
            Open& open = later[order[i]];
            roots[order[i]] = open.record;
            open.record = grown[order[i]].add();
            depth_first(std::move(open), grown[order[i]], *worker, 0, nullptr);
        });
        workers.clear();
        for (std::size_t i = 0; i < later.size(); ++i) {
            records.graft(roots[i], std::move(grown[i]));
            grown[i] = {};
        }
    }

    void finish(Open& open, Records& records) {
        records.make_leaf(open.record, open.node, target_, open.classes());
        records.tested(open.record, open.log_p);
        // Parts of rows count as such.
        budget_.done(fit_.any_gaps ? open.node.total / fit_.weight * fit_.data.table.n_rows : open.node.n_rows);
    }

    // Finds the split of a node; nothing if it is left alone.
    std::optional<Division> decide(Open& open, Worker& worker, Decision& decision) {
        budget_.poll();
        if (open.lot) {  // what is below it grows by itself
            list_present(open.node, target_);
            if (plan_.stop.why_stop(open.node, fit_.limits)) return {};
            open.ground = std::make_shared<Ground>(fit_, std::move(*open.lot), *worker.team);
            open.lot.reset();
            open.ground->begin(open);
        }
        return open.ground->decide(open, worker, decision);
    }

    // Makes a split: records it and returns the children.
    std::vector<Open> make(Open& open, Decision& d, Division& division, Records& records, Worker& worker) {
        std::vector<Open> children = open.ground->children_of(open, d, division, worker);
        const u32 first = static_cast<u32>(records.nodes.size());
        for (Open& child : children) child.record = records.add();
        records.tested(open.record, open.log_p);
        Record& r = records.nodes[open.record];
        r.gain = static_cast<double>(d.candidate.gain);
        r.first_child = first;
        r.rows = open.node.n_rows;
        r.split = static_cast<u32>(records.splits.size());
        if (d.stayed.n_rows > 0) {
            r.stayed = records.sums(d.stayed, target_, open.classes());
            budget_.done(d.stayed.total / fit_.weight * fit_.data.table.n_rows);
        }
        records.splits.push_back(std::move(d.split));
        return children;
    }

    Fit fit_;
    const Target& target_;
    const Plan& plan_;
    Budget& budget_;
    Team team_, solo_;
    const Start start_;
};

}  // namespace

TreeParts grow_parts(const Data& given, const Table& whole, const Plan& plan, Budget& budget, std::span<const u32> rows,
                     const Ranks* ranks, const Start& start) {
    Data data = given;
    Target& target = data.target;
    std::vector<double> weights, numbers;
    rescale(target, weights, numbers);
    Plan own = plan;
    own.limits.min_weight = std::ldexp(plan.limits.min_weight, -target.exponent);
    own.stop.min_impurity_decrease = std::ldexp(plan.stop.min_impurity_decrease, -2 * target.number_exponent);
    TreeParts parts = Grower(data, whole, own, budget, rows, ranks, start).grow();
    if (target.exponent != 0 || target.number_exponent != 0 || target.wild()) {
        // back to the user's weights and numbers, as far as float64 goes
        auto unscale = [](std::vector<double>& v, int exponent) {
            for (double& x : v) x = std::clamp(std::ldexp(x, exponent), -1.7e308, 1.7e308);
        };
        for (auto* weights : {&parts.leaf_weights, &parts.stay_weights}) unscale(*weights, target.exponent);
        for (auto* spreads : {&parts.leaf_spreads, &parts.stay_spreads})
            unscale(*spreads, target.exponent + 2 * target.number_exponent);
        const Traits& traits = Registry::find(Registry::get().criteria, plan.criterion).traits;
        unscale(parts.gains, traits.degree * target.exponent + 2 * target.number_exponent);
    }
    return parts;
}

}  // namespace bough
