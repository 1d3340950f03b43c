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
//
// A store that has to ask others about its nodes, cpp/distributed/counts.hpp, does so for many at once. Its driver goes
// through the same steps, from find() to make(), with questions between them.
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

    struct Open {
        Handle at;
        Way way;
        u32 record = kNone;
    };
    // A node and a split of it that is not made yet.
    struct Found {
        Open open;
        Decision decision;
    };

    // Nodes go to `records`, or, depth first, to a writer.
    Loop(Store& store, const StopRules& stop, const SplitAcceptance& acceptance, ColumnDraw& columns, Budget& budget,
         Records* records = nullptr)
        : store_(store),
          stop_(stop),
          acceptance_(acceptance),
          columns_(columns),
          records_(records),
          pace_(budget),
          rules_(acceptance.rules()) {}

    // The root of a tree.
    Open root(Handle at) { return {std::move(at), rules_.root(), records_ ? records_->add() : kNone}; }

    // Writes a node and all below it, the first child first. `hand_over(node)` may do so in this loop's place.
    template <class HandOver>
    void depth_first(Open root, TreeWriter& out, HandOver hand_over) {
        std::vector<Open> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            Handle& at = open.at;
            stack.pop_back();
            const Node& node = enter(open);
            if (at.open && hand_over(open)) continue;
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
    void depth_first(Open root, TreeWriter& out) {
        depth_first(std::move(root), out, [](Open&) { return false; });
    }

    // Makes the split that improves the tree most, until there are so many leaves.
    void best_first(Open root, u32 most_leaves) {
        BestFirst<Found> frontier(most_leaves);
        std::vector<Open> open;
        open.push_back(std::move(root));
        while (!open.empty()) {
            for (Open& one : open) {
                auto found = std::make_unique<Found>();
                const Node& node = enter(one);
                if (!decide(node, one.at, found->decision)) {
                    make_leaf(one, node);
                    continue;
                }
                defer(found->decision);
                one.way = rules_.way();
                found->open = std::move(one);
                const double improvement = found->decision.improvement;
                frontier.push(std::move(found), improvement);
            }
            open.clear();
            while (open.empty() && !frontier.empty()) make_best(frontier, open);
        }
    }
    // Makes the best of the splits that were found, if there is room for its leaves; its children go to `open`.
    void make_best(BestFirst<Found>& frontier, std::vector<Open>& open) {
        const auto best = frontier.pop();
        if (frontier.take(best->decision.split.n_children() - 1))
            make(*best, open);
        else
            make_leaf(best->open);
    }

    // Splits nodes of more than so many rows; `set_aside(node)` takes the others.
    template <class SetAside>
    void large_first(Open root, u32 most_aside, SetAside set_aside) {
        std::vector<Open> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (rows_of(open.at) <= most_aside) {
                set_aside(std::move(open));
                continue;
            }
            const Node& node = enter(open);
            if (!decide(node, open.at, decision_)) {
                make_leaf(open, node);
                continue;
            }
            make(open, node, decision_);
            for (std::size_t c = children_.size(); c-- > 0;) stack.push_back(std::move(children_[c]));
        }
    }

    // ---- the steps by themselves

    // The best of the splits of a node that is open.
    const Best& look(Open& open) {
        const Node& node = enter(open);
        begin(node);
        search(node, open.at);
        return best_;
    }
    // Finds the split of a node, and what its children would be; judge() says whether it is made, by what they are by
    // then; make() and make_leaf() write the node.
    bool find(Found& found) {
        const Node& node = enter(found.open);
        return find(node, found.open.at, found.decision);
    }
    bool judge(Found& found) { return judge(enter(found.open), found.decision); }
    void make(Found& found, std::vector<Open>& children) {
        make(found.open, enter(found.open), found.decision);
        std::move(children_.begin(), children_.end(), std::back_inserter(children));
    }
    void make_leaf(Open& open) { make_leaf(open, enter(open)); }

    // Rows of a node.
    static u32 rows_of(const Handle& at) {
        if constexpr (requires { at.node; })
            return at.node.n_rows;
        else
            return at.n_rows;
    }

   private:
    const Node& enter(Open& open) {
        rules_.enter(open.way);
        return store_.enter(open.at);
    }
    // Finds the best split of a node, if one is accepted, and what its children would be.
    bool decide(const Node& node, Handle& at, Decision& d) { return find(node, at, d) && judge(node, d); }
    bool find(const Node& node, Handle& at, Decision& d) {
        if (!at.open) return false;
        d.given = nullptr;
        if (const FirstSplit* first = rules_.due(); first && first->given()) {
            d.candidate = {};
            d.candidate.family = kNone;
            d.given = &first->split;
            store_.resolve(at, d);
            const char* why = why_not(d);
            if (!why) return true;
            defer(d);
            d.given = nullptr;
            rules_.waive(why);
        }
        begin(node);
        search(node, at);
        if (best_.empty() && rules_.due()) {
            rules_.waive(" has no split here that every rule allows");
            search(node, at);
        }
        if (best_.empty()) return false;
        d.candidate = best_.winner();
        store_.resolve(at, d);
        return true;
    }
    bool judge(const Node& node, Decision& d) {
        if (!d.given && !accept(node, d)) {
            defer(d);
            return false;
        }
        const Problem& problem = store_.problem();
        if (rules_.due()) d.improvement = kInf;  // before all others
        d.gain =
            recorded_gain(*problem.scorer, node, d.children, d.given ? kNaN : d.candidate.gain + d.candidate.price);
        d.open.resize(d.children.size());
        for (std::size_t c = 0; c < d.children.size(); ++c)
            d.open[c] = stop_.why_stop(d.children[c], problem.limits) == nullptr;
        return true;
    }
    void begin(const Node& node) {
        const Problem& problem = store_.problem();
        best_.begin(problem.scorer->unit(node), store_.tie_weight(node), problem.tie_places,
                    rules_.judges() ? &rules_ : nullptr);
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
        if constexpr (requires { store_.accepts(node, d); }) {
            return store_.accepts(node, d);
        } else {
            if (acceptance_.reads_children())
                for (Node& child : d.children) {
                    child.counts = child.weights;  // such rows weigh 1
                    list_present(child, *store_.problem().target);
                }
            return acceptance_.accepts(node, d.children, d.candidate.price, d.improvement);
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
    void make_leaf(Open& open, const Node& node) {
        records_->make_leaf(open.record, as_leaf(node), store_.classes(open.at));
        records_->tested(open.record, store_.tests(open.at));
        close(open.at, node);
    }
    void make(Open& open, const Node& node, Decision& d) {
        records_->tested(open.record, store_.tests(open.at));
        const u32 first = records_->make_inner(open.record, d.split, d.gain, node, d.stayed, store_.classes(open.at));
        divide(open.at, d);
        for (u32 c = 0; c < children_.size(); ++c) children_[c].record = first + c;
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
    Records* records_;
    Pace pace_;
    Best best_{0, 0};
    Decision decision_;
    Rules rules_;
    Node leaf_;
    std::vector<Handle> handles_;
    std::vector<Open> children_;  // of the node that was divided last
};

}  // namespace bough
