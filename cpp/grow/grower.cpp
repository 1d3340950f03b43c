#include "grow/grower.hpp"

#include <algorithm>
#include <optional>

#include "grow/family.hpp"
#include "grow/records.hpp"
#include "grow/selector.hpp"
#include "grow/simplify.hpp"
#include "grow/worth.hpp"
#include "tree/route.hpp"

namespace bough {

namespace {

// A node that waits to be split, with what the families remember about it.
struct Open {
    Node node;
    u32 record = 0;
    u32 rows_begin = 0;
    std::vector<std::unique_ptr<NodeState>> states;
    std::vector<double> log_p;  // what the selector found out about the columns, if it tests them
};

// A split that has been found worth making.
struct Decision {
    Candidate candidate;
    Split split;
    std::vector<Node> children;
    bool flipped = false;    // its sides have changed places since it was proposed
    double improvement = 0;  // weighted decrease of impurity, for growing best first
};

class Grower {
   public:
    Grower(const Table& table, const Target& target, const Plan& plan, Budget& budget)
        : table_(table), target_(target), plan_(plan), budget_(budget), team_(plan.threads), solo_(1) {
        const Registry& registry = Registry::get();
        scorer_ = Registry::find(registry.criteria, plan.criterion).make(target);
        problem_.table = &table_;
        problem_.target = &target_;
        problem_.scorer = scorer_.get();
        problem_.limits = plan.limits;
        problem_.seed = plan.seed;
        problem_.standardize = plan.standardize;
        problem_.functions = plan.functions;
        problem_.team = &team_;
        problem_.budget = &budget_;
        const FamilyPlugin& split = Registry::find(registry.splits, plan.split.name);
        if (plan.standardize || split.needs_moments) problem_.moments = moments_of(table, target);
        if (!table.of(ColumnKind::numeric).empty()) {
            if (!split.joined_by.empty()) add_family(Registry::find(registry.splits, split.joined_by), {});
            add_family(split, plan.split.params);
        }
        if (!table.of(ColumnKind::nominal).empty())
            add_family(Registry::find(registry.nominal, plan.nominal.name), plan.nominal.params);
        const auto& selector = Registry::find(registry.selectors, plan.selector.name);
        selector_ = selector.make(problem_, Params(selector.info, plan.selector.params));
        keep_rows_ = plan.simplify || target.weighted() || target.regression() || !selector_->passive();
        for (const auto& f : families_) keep_rows_ |= f->needs_rows();
        if (keep_rows_) {
            rows_.resize(table.n_rows);
            for (u32 i = 0; i < table.n_rows; ++i) rows_[i] = i;
        }
    }

    TreeParts grow() {
        Records records;
        Open root;
        root.record = records.add();
        root.node.path = kRootPath;
        {
            std::vector<u32> all(table_.n_rows);
            for (u32 i = 0; i < table_.n_rows; ++i) all[i] = i;
            measure(root.node, target_, all);
        }
        worth_ = Worth(target_, *scorer_, plan_.stop, root.node.total);
        for (auto& f : families_) root.states.push_back(f->root());
        enter(root);
        if (plan_.stop.max_leaf_nodes > 0) {
            best_first(std::move(root), records);
        } else if (team_.size() == 1) {
            Worker worker(&team_, table_.n_rows);
            depth_first(std::move(root), records, worker, 0, nullptr);
        } else {
            in_two_phases(std::move(root), records);
        }
        families_.clear();  // their lists and copies go before the tree is laid out beside its records
        TreeParts parts = std::move(records).in_preorder(table_, target_, plan_.target_offset);
        if (!parts.term_counts.empty()) {
            if (problem_.moments.centered) parts.centers = problem_.moments.centers;
            parts.spreads = problem_.moments.spreads;
        }
        return parts;
    }

   private:
    void add_family(const FamilyPlugin& plugin, const std::map<std::string, double>& given) {
        auto family = plugin.make(problem_, Params(plugin.info, given));
        family->index = static_cast<u32>(families_.size());
        families_.push_back(std::move(family));
    }

    // Completes the view of a node.
    void enter(Open& open) {
        Node& node = open.node;
        if (keep_rows_) node.rows = {rows_.data() + open.rows_begin, node.n_rows};
        list_present(node, target_);
    }

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
        Worker worker(&team_, table_.n_rows);
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
            enter(w->open);
            const u32 more = w->decision.split.n_children() - 1;
            if (leaves + more > plan_.stop.max_leaf_nodes) {
                finish(w->open, records);
                continue;
            }
            leaves += more;
            std::vector<Open> children;
            {
                Division division = divide(w->open, w->decision, worker);
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
            Worker worker(&team_, table_.n_rows);
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
            if (!worker) worker = std::make_unique<Worker>(&solo_, table_.n_rows);
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
        records.make_leaf(open.record, open.node, target_);
        records.tested(open.record, open.log_p);
        budget_.done(open.node.n_rows);
    }

    // ---- one node --------------------------------------------------------------------------------

    // Finds the split of a node and measures its children; nothing if the node is left alone.
    std::optional<Division> decide(Open& open, Worker& worker, Decision& decision) {
        budget_.poll();
        Node& node = open.node;
        enter(open);
        if (plan_.stop.why_stop(node, plan_.limits)) return {};
        // Balances are equal up to a share of the weight; where the first of equal gains wins, all are.
        Best best(scorer_->unit(node), selector_->first_of_equals() ? kInf : node.total);
        search(open, worker, best);
        if (best.empty()) return {};
        decision.candidate = best.winner();
        decision.split = families_[decision.candidate.family]->resolve(
            node, open.states[decision.candidate.family].get(), decision.candidate);
        Division division = divide(open, decision, worker);
        if (plan_.simplify && decision.split.kind == NodeKind::linear) {
            auto left = [&](u32 row) { return division.side(row) == 0; };
            decision.flipped = simplify(decision.split, table_, problem_.moments, node.rows, left, budget_);
            if (decision.flipped) division.flip();
        }
        measure_children(open, decision, division);
        if (!worth_.is_worth_making(node, decision.children, decision.improvement)) return {};
        return division;
    }

    void search(Open& open, Worker& worker, Best& best) {
        Node& node = open.node;
        const u32 d = table_.n_columns(), most = plan_.stop.max_features;
        Selection selection;
        // Proposes splits of the columns that are up for selection; false: the selector says stop.
        auto propose = [&] {
            selection.next.clear();
            if (!selector_->passive() && !selector_->select(node, worker, selection)) return false;
            auto ask = [&](std::span<const u8> allowed, Best& to) {
                node.allowed = allowed;
                for (auto& f : families_) f->propose(node, open.states[f->index].get(), worker, to);
                node.allowed = {};
            };
            auto bits = [&](const Candidate& c) { return families_[c.family]->bits(c); };
            offer_choice(*selector_, *scorer_, node, selection.allowed, ask, bits, best);
            for (std::size_t i = 0; i < selection.next.size() && best.empty(); ++i) {
                std::fill(selection.allowed.begin(), selection.allowed.end(), 0);
                for (u32 c : selection.next[i]) selection.allowed[c] = 1;
                ask(selection.allowed, best);
            }
            return true;
        };
        if (most == 0 || most >= d) {
            if (!selector_->passive()) selection.allowed.assign(d, 1);
            propose();
            open.log_p = std::move(selection.log_p);
            return;
        }
        // Columns in random order; beyond max_features only until one can be split at all.
        std::vector<u32> columns(d);
        for (u32 c = 0; c < d; ++c) columns[c] = c;
        Rng rng = Rng::at(plan_.seed ^ 0x6d61785f66656174ull, node.path);
        for (u32 i = 0; i < columns.size(); ++i) {
            const u32 j = i + rng.below(static_cast<u32>(columns.size()) - i);
            std::swap(columns[i], columns[j]);
        }
        for (std::size_t tried = 0; tried < columns.size() && best.empty();) {
            const std::size_t upto = tried == 0 ? std::min<std::size_t>(most, columns.size()) : tried + 1;
            selection.allowed.assign(d, 0);
            for (; tried < upto; ++tried) selection.allowed[columns[tried]] = 1;
            if (!propose()) break;
        }
        open.log_p = std::move(selection.log_p);
    }

    // Which child every row of the node goes to.
    Division divide(const Open& open, const Decision& d, Worker& worker) {
        const Node& node = open.node;
        const SplitView split = view_of(d.split, problem_.moments.centers);
        auto child_of = [&](u32 row) { return route(split, table_.columns, row); };
        if (split.kind == NodeKind::multiway)
            return Division::in_many(worker.division, node.rows, d.split.n_children(), child_of);
        return Division::in_two(worker.division, node.n_rows, [&](std::vector<u32>& rows) -> u32 {
            Family& family = *families_[d.candidate.family];
            u32 child = 0;
            if (family.side(node, open.states[family.index].get(), d.candidate, rows, child))
                return d.flipped ? 1 - child : child;
            for (u32 row : node.rows)
                if (child_of(row) == 0) rows.push_back(row);
            return 0;
        });
    }

    void measure_children(const Open& open, Decision& d, const Division& division) {
        const Node& node = open.node;
        const u32 n = d.split.n_children();
        d.children.assign(n, Node{});
        for (u32 c = 0; c < n; ++c) {
            d.children[c].depth = node.depth + 1;
            d.children[c].path = child_path(node.path, d.flipped ? 1 - c : c);
        }
        if (!keep_rows_) {  // whole counts: one side is counted, the other is the rest
            Node &listed = d.children[division.front()], &other = d.children[1 - division.front()];
            measure(listed, target_, division.listed());
            other.n_rows = node.n_rows - listed.n_rows;
            other.counts = other.weights = node.counts;
            for (std::size_t c = 0; c < node.counts.size(); ++c)
                other.counts[c] = other.weights[c] = node.counts[c] - listed.counts[c];
            other.total = node.total - listed.total;
        } else {  // each child in the order of its rows
            std::vector<std::vector<u32>> rows(n);
            for (u32 row : node.rows) rows[division.child(row)].push_back(row);
            for (u32 c = 0; c < n; ++c) measure(d.children[c], target_, rows[c]);
        }
        for (auto& child : d.children) list_present(child, target_);
        if (d.split.kind == NodeKind::axis || d.split.kind == NodeKind::linear)
            if (!d.split.saw_missing) d.split.missing_left = left_is_heavier(d.children[0].total, d.children[1].total);
    }

    // Makes a split: records it, partitions rows and memories, returns the children.
    std::vector<Open> make(Open& open, Decision& d, Division& division, Records& records, Worker& worker) {
        const u32 n = division.n_children();
        std::vector<Open> children(n);
        const u32 first = static_cast<u32>(records.nodes.size());
        bool any_open = false;
        for (u32 c = 0; c < n; ++c) {
            division.open[c] = plan_.stop.why_stop(d.children[c], plan_.limits) == nullptr;
            any_open |= division.open[c] != 0;
            children[c].record = records.add();
            children[c].states.resize(families_.size());
        }
        if (any_open) {
            for (auto& f : families_) {
                std::vector<std::unique_ptr<NodeState>> states(n);
                f->divide(open.node, open.states[f->index].get(), d.candidate, division, worker, states);
                for (u32 c = 0; c < n; ++c) children[c].states[f->index] = std::move(states[c]);
            }
            if (keep_rows_) divide_rows(open, division, worker, children);
        }
        records.tested(open.record, open.log_p);
        Record& r = records.nodes[open.record];
        r.gain = worth_.recorded(open.node, d.children, d.candidate.gain);
        r.first_child = first;
        r.split = static_cast<u32>(records.splits.size());
        records.splits.push_back(std::move(d.split));
        for (u32 c = 0; c < n; ++c) children[c].node = std::move(d.children[c]);
        return children;
    }

    void divide_rows(const Open& open, const Division& division, Worker& worker, std::vector<Open>& children) {
        worker.spare.grow_to(open.node.n_rows);
        std::vector<Piece> pieces(children.size());
        division.part(rows_.data() + open.rows_begin, open.node.n_rows, kNone, pieces.data(),
                      reinterpret_cast<u32*>(worker.spare.data()));
        for (std::size_t c = 0; c < children.size(); ++c) children[c].rows_begin = open.rows_begin + pieces[c].begin;
    }

    const Table& table_;
    const Target& target_;
    const Plan& plan_;
    Budget& budget_;
    Team team_, solo_;
    Problem problem_;
    std::unique_ptr<Scorer> scorer_;
    std::unique_ptr<Selector> selector_;
    std::vector<std::unique_ptr<Family>> families_;
    std::vector<u32> rows_;
    bool keep_rows_ = false;
    Worth worth_;
};

}  // namespace

TreeParts grow_parts(const Data& data, const Plan& plan, Budget& budget) {
    Target target = data.target;
    std::vector<double> weights, numbers;
    rescale(target, weights, numbers);
    Plan own = plan;
    own.limits.min_weight = std::ldexp(plan.limits.min_weight, -target.exponent);
    own.stop.min_impurity_decrease = std::ldexp(plan.stop.min_impurity_decrease, -2 * target.number_exponent);
    TreeParts parts = Grower(data.table, target, own, budget).grow();
    if (target.exponent != 0 || target.number_exponent != 0 || target.wild()) {
        // back to the user's weights and numbers, as far as float64 goes
        auto unscale = [](std::vector<double>& v, int exponent) {
            for (double& x : v) x = std::clamp(std::ldexp(x, exponent), -1.7e308, 1.7e308);
        };
        unscale(parts.leaf_weights, target.exponent);
        unscale(parts.leaf_spreads, target.exponent + 2 * target.number_exponent);
        const Traits& traits = Registry::find(Registry::get().criteria, plan.criterion).traits;
        unscale(parts.gains, traits.degree * target.exponent + 2 * target.number_exponent);
    }
    return parts;
}

}  // namespace bough
