// The one loop over nodes: a node is stopped, or its columns are drawn and searched, the best split is accepted,
// written, and its rows are divided. What a node holds, and how it is searched, is the business of a store:
// cpp/stores/, and grow/context.hpp where families propose. A store is a type with
//
//   Handle, Decision             an open node; the best split of one
//   enter(handle)                completes the view of a node, and gives it
//   search(handle, columns, …)   offers the splits of some columns; none: of all
//   resolve(handle, decision)    the split of its candidate, and the sums of the children
//   divide(handle, decision, …)  the children that stay open get their rows
//   close(handle)                the node is a leaf
#pragma once

#include <algorithm>

#include "grow/accept.hpp"
#include "grow/column_draw.hpp"
#include "grow/frontier.hpp"
#include "grow/records.hpp"
#include "score/problem.hpp"

namespace bough {

template <class Store>
class Loop {
   public:
    using Handle = typename Store::Handle;
    using Decision = typename Store::Decision;

    Loop(Store& store, const StopRules& stop, const SplitAcceptance& acceptance, ColumnDraw& columns, Budget& budget)
        : store_(store),
          stop_(stop),
          acceptance_(acceptance),
          columns_(columns),
          pace_(budget),
          rules_(acceptance.rules()) {}

    // Writes a node and all below it, the first child first. `hand_over(handle, way)` may do so in this loop's place.
    Way root() const { return rules_.root(); }
    template <class HandOver>
    void depth_first(Handle root, const Way& way, TreeWriter& out, HandOver hand_over) {
        std::vector<Open> stack;
        stack.push_back({std::move(root), way});
        while (!stack.empty()) {
            Handle at = std::move(stack.back().at);
            rules_.enter(stack.back().way);
            stack.pop_back();
            const Node& node = store_.enter(at);
            if (at.open && hand_over(at, rules_.way())) continue;
            if (!decide(node, at, decision_)) {
                out.leaf(sums_of(at, as_leaf(node)), store_.tests(at), node.lines.get());
                close(at, node);
                continue;
            }
            out.inner(decision_.split, decision_.gain, sums_of(at, node), sums_of(at, decision_.stayed),
                      store_.tests(at), node.lines.get());
            divide(at, decision_);
            for (std::size_t c = children_.size(); c-- > 0;) stack.push_back(std::move(children_[c]));
        }
    }
    void depth_first(Handle root, const Way& way, TreeWriter& out) {
        depth_first(std::move(root), way, out, [](Handle&, const Way&) { return false; });
    }

    // Makes the split that improves the tree most, until there are so many leaves.
    void best_first(Handle root, u32 most_leaves, const Target& target, Records& records) {
        struct Waiting {
            Open open;
            u32 record;
            Decision decision;
        };
        BestFirst<Waiting> frontier(most_leaves);
        auto consider = [&](Open open, u32 record) {
            auto w = std::make_unique<Waiting>();
            rules_.enter(open.way);
            const Node& node = store_.enter(open.at);
            if (!decide(node, open.at, w->decision)) return make_leaf(open.at, node, record, target, records);
            defer(w->decision);
            open.way = rules_.way();
            w->open = std::move(open);
            w->record = record;
            const double improvement = w->decision.improvement;
            frontier.push(std::move(w), improvement);
        };
        consider({std::move(root), rules_.root()}, records.add());
        while (!frontier.empty()) {
            const auto w = frontier.pop();
            Handle& at = w->open.at;
            rules_.enter(w->open.way);
            const Node& node = store_.enter(at);
            if (!frontier.take(w->decision.split.n_children() - 1)) {
                make_leaf(at, node, w->record, target, records);
                continue;
            }
            const u32 first = make_inner(at, node, w->record, w->decision, target, records);
            std::vector<Open> children = std::move(children_);
            children_.clear();
            for (u32 c = 0; c < children.size(); ++c) consider(std::move(children[c]), first + c);
        }
    }

    // Splits nodes of more than so many rows; `set_aside(handle, way, record)` takes the others.
    template <class SetAside>
    void large_first(Handle root, u32 most_aside, const Target& target, Records& records, SetAside set_aside) {
        std::vector<std::pair<Open, u32>> stack;
        stack.emplace_back(Open{std::move(root), rules_.root()}, records.add());
        while (!stack.empty()) {
            auto [open, record] = std::move(stack.back());
            stack.pop_back();
            Handle& at = open.at;
            if (rows_of(at) <= most_aside) {
                set_aside(std::move(at), open.way, record);
                continue;
            }
            rules_.enter(open.way);
            const Node& node = store_.enter(at);
            if (!decide(node, at, decision_)) {
                make_leaf(at, node, record, target, records);
                continue;
            }
            const u32 first = make_inner(at, node, record, decision_, target, records);
            for (std::size_t c = children_.size(); c-- > 0;)
                stack.emplace_back(std::move(children_[c]), first + static_cast<u32>(c));
        }
    }

    // Rows of a node.
    static u32 rows_of(const Handle& at) {
        if constexpr (requires { at.node; })
            return at.node.n_rows;
        else
            return at.n_rows;
    }

   private:
    struct Open {
        Handle at;
        Way way;
    };

    // Finds the best split of a node, if one is accepted, and what its children would be.
    bool decide(const Node& node, Handle& at, Decision& d) {
        if (!at.open) return false;
        const Problem& problem = store_.problem();
        d.given = nullptr;
        if (const FirstSplit* first = rules_.due(); first && first->given()) {
            d.candidate = {};
            d.candidate.family = kNone;
            d.given = &first->split;
            store_.resolve(at, d);
            if (const char* why = why_not(d)) {
                defer(d);
                d.given = nullptr;
                rules_.waive(why);
            }
        }
        if (!d.given && !find(node, at, d)) return false;
        if (rules_.due()) d.improvement = kInf;  // before all others
        d.gain =
            recorded_gain(*problem.scorer, node, d.children, d.given ? kNaN : d.candidate.gain + d.candidate.price);
        d.open.resize(d.children.size());
        for (std::size_t c = 0; c < d.children.size(); ++c)
            d.open[c] = stop_.why_stop(d.children[c], problem.limits) == nullptr;
        return true;
    }
    // The best of the splits that may be made, if it is accepted.
    bool find(const Node& node, Handle& at, Decision& d) {
        const Problem& problem = store_.problem();
        best_.begin(problem.scorer->unit(node), store_.tie_weight(node), problem.tie_places,
                    rules_.judges() ? &rules_ : nullptr);
        search(node, at);
        if (best_.empty() && rules_.due()) {
            rules_.waive(" has no split here that every rule allows");
            search(node, at);
        }
        if (best_.empty()) return false;
        d.candidate = best_.winner();
        store_.resolve(at, d);
        if (accept(node, d)) return true;
        defer(d);
        return false;
    }
    void search(const Node& node, Handle& at) {
        const Problem& problem = store_.problem();
        if (!rules_.open().empty()) return search_open(node, at);
        if (const u32 n = store_.n_columns(); stop_.max_features == 0 || stop_.max_features >= n)
            store_.search(at, {}, true, pace_, best_);
        else
            columns_.each_group(n, stop_, problem.seed, node.path, best_,
                                [&](std::span<const u32> columns, Best& best) {
                                    return store_.search(at, columns, stop_.count_constant, pace_, best);
                                });
    }
    // Where rules say which columns may be asked: those that are drawn are some of these.
    void search_open(const Node& node, Handle& at) {
        const ColumnGroups& open = rules_.open();
        std::vector<u32> all = open[0], drawn, part;
        for (const auto& group : open) {
            part.clear();
            std::set_union(all.begin(), all.end(), group.begin(), group.end(), std::back_inserter(part));
            all.swap(part);
        }
        auto look = [&](std::span<const u32> columns, bool only, Best& best) {
            if (open.size() == 1) return store_.search(at, columns, only, pace_, best);
            bool any = false;
            for (const auto& group : open) {
                part.clear();
                std::set_intersection(group.begin(), group.end(), columns.begin(), columns.end(),
                                      std::back_inserter(part));
                any |= !part.empty() && store_.search(at, part, false, pace_, best);
            }
            return any;
        };
        const u32 n = static_cast<u32>(all.size());
        if (stop_.max_features == 0 || stop_.max_features >= n) {
            look(all, true, best_);
            return;
        }
        ColumnDraw draw;  // of other columns than the node before it had
        draw.each_group(n, stop_, store_.problem().seed, node.path, best_,
                        [&](std::span<const u32> places, Best& best) {
                            drawn.clear();
                            for (u32 place : places) drawn.push_back(all[place]);
                            std::sort(drawn.begin(), drawn.end());
                            return look(drawn, stop_.count_constant, best);
                        });
    }
    // Why a split that is given cannot be made; null: it can.
    const char* why_not(const Decision& d) const {
        if (!two_sides(d.children)) return " leaves no rows on one of its sides";
        const LeafLimits& limits = store_.problem().limits;
        for (const Node& child : d.children)
            if (child.n_rows < limits.min_rows || child.total < limits.min_weight)
                return " leaves fewer rows on one of its sides than min_samples_leaf or min_weight_fraction_leaf asks "
                       "for";
        if (rules_.judges() && !rules_.allows(d.split, d.children))
            return " contradicts monotonic_cst: the predictions of its two sides are in the wrong order";
        return nullptr;
    }
    static bool two_sides(std::span<const Node> children) {
        return std::count_if(children.begin(), children.end(), [](const Node& c) { return c.n_rows > 0; }) > 1;
    }
    bool accept(const Node& node, Decision& d) {
        if (rules_.judges() && !rules_.allows(d.split, d.children)) return false;
        if (rules_.due()) return two_sides(d.children);
        const double price = d.candidate.price;
        if constexpr (requires { d.known; }) {
            const SplitAcceptance& acceptance = store_.acceptance();
            if (d.known) return acceptance.accepts(*d.known, d.known_sides, price, d.improvement);
            return acceptance.accepts(node, d.children, price, d.improvement);
        } else {
            if (acceptance_.reads_children())
                for (Node& child : d.children) {
                    child.counts = child.weights;  // such rows weigh 1
                    list_present(child, *store_.problem().target);
                }
            return acceptance_.accepts(node, d.children, price, d.improvement);
        }
    }
    // The split is not made now: another node is entered.
    void defer(Decision& d) {
        if constexpr (requires { store_.defer(d); }) store_.defer(d);
    }
    void divide(Handle& at, Decision& d) {
        if (d.stayed.n_rows > 0) pace_.done(store_.work(d.stayed));
        children_.clear();
        children_.resize(d.children.size());
        if (rules_.any())
            for (u32 c = 0; c < children_.size(); ++c) children_[c].way = rules_.below(d.split, d.children, c);
        store_.divide(at, d, handles_);
        for (std::size_t c = 0; c < children_.size(); ++c) children_[c].at = std::move(handles_[c]);
    }
    void close(Handle& at, const Node& node) {
        store_.close(at);
        pace_.done(store_.work(node));
    }
    void make_leaf(Handle& at, const Node& node, u32 record, const Target& target, Records& records) {
        records.make_leaf(record, as_leaf(node), target, store_.classes(at));
        records.tested(record, store_.tests(at));
        close(at, node);
    }
    u32 make_inner(Handle& at, const Node& node, u32 record, Decision& d, const Target& target, Records& records) {
        records.tested(record, store_.tests(at));
        const u32 first = records.make_inner(record, d.split, d.gain, node, d.stayed, target, store_.classes(at));
        divide(at, d);
        return first;
    }
    const Node& as_leaf(const Node& node) {
        return rules_.clips() ? leaf_ = rules_.as_leaf(node, *store_.problem().target) : node;
    }
    EndSums sums_of(const Handle& at, const Node& node) const {
        return {node.n_rows, node.weights, store_.classes(at), node.value, node.loss};
    }
    Store& store_;
    const StopRules& stop_;
    const SplitAcceptance& acceptance_;
    ColumnDraw& columns_;
    Pace pace_;
    Best best_{0, 0};
    Decision decision_;
    Rules rules_;
    Node leaf_;
    std::vector<Handle> handles_;
    std::vector<Open> children_;  // of the node that was divided last
};

}  // namespace bough
