// error_based: C4.5's pruning. The errors of a leaf are taken to be as many as an upper confidence limit allows; from
// the leaves up, a node becomes a leaf, or its heaviest branch takes its place, if that is not estimated worse.
#include <numeric>
#include <utility>

#include "base/slack.hpp"
#include "data/sample.hpp"
#include "pruners/errors.hpp"
#include "tree/route.hpp"
#include "tree/writer.hpp"

namespace bough {

namespace {

constexpr double kSlack = 0.1;  // errors that a simpler tree may cost

double normal_quantile(double p) {  // by bisection of the distribution function, to the last bit
    double low = -40, high = 40;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
    }
    return (low + high) / 2;
}

// How many errors the estimate adds to e of n.
struct Pessimism {
    double confidence, z;
    explicit Pessimism(double given)
        : confidence(static_cast<float>(given)), z(confidence <= 0.5 ? normal_quantile(1 - confidence) : 0.0) {}

    double added(double n, double e) const {
        if (confidence > 0.5) return 0;
        if (e < 1) {
            const double base = n * (1 - std::pow(confidence, 1 / n));
            return e == 0 ? base : base + e * (added(n, 1) - base);
        }
        if (e + 0.5 >= n) return std::max(n - e, 0.0);
        const double f = (e + 0.5) / n;
        const double r =
            (f + z * z / (2 * n) + z * std::sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n);
        return r * n - e;
    }
    double estimate(const ClassWeights& w) const {
        const double n = w.sum(), e = errors_of(w);
        return n <= kEqual ? 0.0 : e + added(n, e);
    }
};

// A tree that is being cut back. Places are numbered as the nodes of the tree; the place of a node whose branch was
// raised asks the question of that branch.
class Work {
   public:
    Work(const Tree& tree, const Data& data, const Pessimism& pessimism, Budget& budget)
        : tree_(tree), data_(data), pessimism_(pessimism), budget_(budget), tally_(tree.parts().n_classes) {
        const u32 n = tree.n_nodes();
        asks_.resize(n);
        std::iota(asks_.begin(), asks_.end(), 0u);
        leaf_.resize(n);
        n_rows_.resize(n);
        estimates_.resize(n);
        for (u32 i = 0; i < n; ++i) {
            leaf_[i] = tree.kind(i) == NodeKind::leaf;
            n_rows_[i] = tree.rows(i);
            weights_.push_back(tree.weights(i));
        }
    }

    // Without rows a branch cannot be tried: children stand behind their parents.
    Tree run_without_raising() {
        for (u32 i = tree_.n_nodes(); i-- > 0;) {
            if (i % 4096 == 0) budget_.poll();
            settle(i, kInf);
        }
        return written();
    }

    // From the leaves up, each place with its rows. What is raised is gone through again.
    Tree run() {
        struct Step {
            u32 place;
            bool children_done;
            bool raised;  // what is below has other rows than it had
        };
        subsets_.resize(tree_.n_nodes());
        subsets_[0].rows.resize(data_.table.n_rows);
        std::iota(subsets_[0].rows.begin(), subsets_[0].rows.end(), 0u);
        std::vector<Step> steps{{0, false, false}};
        while (!steps.empty()) {
            const Step step = steps.back();
            steps.pop_back();
            const u32 i = step.place;
            budget_.poll();
            if (leaf_[i]) {
                settle(i, kInf);
                continue;
            }
            const auto kids = tree_.children(asks_[i]);
            if (!step.children_done) {
                steps.push_back({i, true, step.raised});
                hand_down(i);
                for (u32 c : kids) {
                    if (step.raised) weigh(c);
                    steps.push_back({c, false, step.raised});
                }
                continue;
            }
            take_back(i);
            const u32 heaviest = heaviest_child(i);
            const bool trial = !leaf_[heaviest];
            // Estimates only grow: above the node as it is and as a leaf, a branch is out.
            const double as_leaf = pessimism_.estimate(weights_[i]),
                         enough = std::max(as_leaf, tree_estimate(i)) + 2 * kSlack;
            const double as_branch = trial ? estimate_of_branch(heaviest, subsets_[i], enough) : as_leaf;
            if (settle(i, as_branch)) continue;
            asks_[i] = asks_[heaviest];  // its heaviest branch takes its place, with all rows
            steps.push_back({i, false, true});
        }
        return written();
    }

   private:
    // Rows, and what each weighs where that is not as in the data.
    struct RowSubset {
        std::vector<u32> rows;
        std::vector<double> weights;
        bool kept = false;  // the children's rows are not these
    };
    u32 heaviest_child(u32 place) const {
        u32 found = 0;
        double most = 0;
        for (u32 c : tree_.children(asks_[place]))
            if (weights_[c].sum() - most > -kEqual) most = weights_[c].sum(), found = c;
        return found;
    }

    double tree_estimate(u32 i) const {
        double sum = 0;
        for (u32 c : tree_.children(asks_[i])) sum += estimates_[c];
        return sum;
    }

    // Makes a place a leaf or leaves it; false if a branch that is estimated `as_branch` is to take its place.
    bool settle(u32 i, double as_branch) {
        const double as_leaf = pessimism_.estimate(weights_[i]);
        estimates_[i] = as_leaf;
        if (leaf_[i]) return true;
        const double as_tree = tree_estimate(i);
        if (as_leaf <= as_tree + kSlack + kEqual && as_leaf <= as_branch + kSlack + kEqual) {
            leaf_[i] = 1;
            return true;
        }
        estimates_[i] = as_tree;
        return !(as_branch <= as_tree + kSlack + kEqual);
    }

    double weight(const RowSubset& subset, std::size_t i) const {
        return subset.weights.empty() ? data_.target.weight(subset.rows[i]) : subset.weights[i];
    }
    ClassWeights weights_of(const RowSubset& subset) {
        for (std::size_t i = 0; i < subset.rows.size(); ++i)
            tally_.add(data_.target.classes[subset.rows[i]], weight(subset, i));
        return tally_.take();
    }
    void weigh(u32 place) {
        weights_[place] = weights_of(subsets_[place]);
        n_rows_[place] = static_cast<u32>(subsets_[place].rows.size());
    }

    // Parts rows among the children of a node, and tells whether each went to one of them.
    bool part(u32 node, const RowSubset& subset, std::vector<RowSubset>& children) {
        const SplitView split = tree_.view(node);
        const auto& columns = data_.table.columns;
        const bool shared = tree_.missing() == Missing::shared;
        children.assign(tree_.children(node).size(), {});
        std::vector<std::size_t> lost;
        for (std::size_t i = 0; i < subset.rows.size(); ++i) {
            if (i % 65536 == 0) budget_.poll();
            const u32 row = subset.rows[i], to = shared ? answer(split, columns, row) : route(split, columns, row);
            if (to == kNone) {
                lost.push_back(i);
                continue;
            }
            children[to].rows.push_back(row);
            if (!subset.weights.empty()) children[to].weights.push_back(subset.weights[i]);
        }
        if (lost.empty() || !shared) return lost.empty();
        double known = 0;
        std::vector<double> sizes;
        for (RowSubset& child : children) {
            double size = 0;
            for (std::size_t i = 0; i < child.rows.size(); ++i) size += weight(child, i);
            sizes.push_back(size);
            known += size;
        }
        for (std::size_t c = 0; c < children.size(); ++c) {
            const double share = known > 0 ? sizes[c] / known : 1.0 / static_cast<double>(children.size());
            if (!(share > kEqual)) continue;
            RowSubset& child = children[c];
            if (child.weights.empty())
                for (u32 row : child.rows) child.weights.push_back(data_.target.weight(row));
            for (std::size_t i : lost) {
                child.rows.push_back(subset.rows[i]);
                child.weights.push_back(weight(subset, i) * share);
            }
        }
        return false;
    }

    // The rows of a place go to its children, and come back from them unless they were shared or stopped there: so all
    // places together hold each row about once.
    void hand_down(u32 place) {
        const auto kids = tree_.children(asks_[place]);
        std::vector<RowSubset> parts;
        subsets_[place].kept = !part(asks_[place], subsets_[place], parts);
        for (std::size_t c = 0; c < kids.size(); ++c) subsets_[kids[c]] = std::move(parts[c]);
        if (!subsets_[place].kept) subsets_[place] = {};
    }
    void take_back(u32 place) {
        RowSubset& own = subsets_[place];
        for (u32 c : tree_.children(asks_[place])) {
            RowSubset from = std::exchange(subsets_[c], {});
            if (own.kept) continue;
            own.rows.insert(own.rows.end(), from.rows.begin(), from.rows.end());
            own.weights.insert(own.weights.end(), from.weights.begin(), from.weights.end());
        }
    }

    // The estimate of a branch if it got these rows; once it is above `enough`, something above that.
    double estimate_of_branch(u32 branch, const RowSubset& rows, double enough) {
        std::vector<std::pair<u32, RowSubset>> waiting;
        double sum = 0;
        std::vector<RowSubset> parts;
        auto visit = [&](u32 here, const RowSubset& subset) {
            budget_.poll();
            if (leaf_[here]) {
                sum += pessimism_.estimate(weights_of(subset));
                return;
            }
            part(asks_[here], subset, parts);
            const auto kids = tree_.children(asks_[here]);
            for (std::size_t c = kids.size(); c-- > 0;) waiting.emplace_back(kids[c], std::move(parts[c]));
        };
        visit(branch, rows);
        while (!waiting.empty() && sum <= enough) {
            const auto [here, subset] = std::move(waiting.back());
            waiting.pop_back();
            visit(here, subset);
        }
        return sum;
    }

    Tree written() const {
        TreeWriter writer(tree_);
        std::vector<double> left(tree_.parts().n_classes, 0.0), weights;  // all 0 between places
        std::vector<u32> stack{0};
        while (!stack.empty()) {
            const u32 i = stack.back();
            stack.pop_back();
            if (leaf_[i]) {
                writer.leaf({n_rows_[i], weights_[i].weights(), weights_[i].classes()}, tree_.tests(asks_[i]));
                continue;
            }
            const auto kids = tree_.children(asks_[i]);
            const ClassWeights& own = weights_[i];
            EndSums stayed{n_rows_[i]};  // those of the place that none of its children has
            for (std::size_t j = 0; j < own.size(); ++j) left[own.id(j)] = own[j];
            for (u32 c : kids) {
                stayed.rows -= std::min(stayed.rows, n_rows_[c]);
                for (std::size_t j = 0; j < weights_[c].size(); ++j) {
                    double& w = left[weights_[c].id(j)];
                    w = std::max(0.0, w - weights_[c][j]);
                }
            }
            weights.clear();
            for (std::size_t j = 0; j < own.size(); ++j) weights.push_back(std::exchange(left[own.id(j)], 0.0));
            stayed.weights = weights;
            stayed.classes = own.classes();
            if (stayed.rows == 0 || !(ClassWeights(weights, {}).most() > 0)) stayed = {};
            writer.inner(tree_.split(asks_[i]), tree_.gain(asks_[i]), {n_rows_[i]}, stayed, tree_.tests(asks_[i]));
            for (std::size_t c = kids.size(); c-- > 0;) stack.push_back(kids[c]);
        }
        return Tree(std::move(writer).finish(), budget_);
    }

    const Tree& tree_;
    const Data& data_;
    const Pessimism& pessimism_;
    Budget& budget_;
    ClassTally tally_;
    std::vector<u32> asks_, n_rows_;  // per place: the node whose question it asks, its rows
    std::vector<u8> leaf_;
    std::vector<ClassWeights> weights_;  // per place
    std::vector<double> estimates_;
    std::vector<RowSubset> subsets_;
};

struct ErrorBased final : Pruner {
    Pessimism pessimism;
    bool raising;
    ErrorBased(double confidence, bool r) : pessimism(confidence), raising(r) {}
    Tree prune(const Tree& tree, const Pruning& how) const override {
        check_classes(tree, "error_based");
        check_plain(how, "error_based");
        Work work(tree, *how.data, pessimism, how.budget);
        return raising ? work.run() : work.run_without_raising();
    }
};

}  // namespace

void register_error_based(Registry& r) {
    PrunerPlugin plugin{
        {"error_based",
         "a node becomes a leaf, or its heaviest branch takes its place, if the estimated errors do not rise",
         "Quinlan 1993 (C4.5), as J48 computes it",
         {{"confidence", "confidence of the upper limit of a leaf's errors; smaller prunes more", Param::Type::real,
           0.25, 1e-9, 1},
          {"raising", "whether a branch may take the place of its parent", Param::Type::flag, 1}}},
        [](const Params& p) { return std::make_unique<ErrorBased>(p.get("confidence"), p.flag("raising")); }};
    plugin.needs_data = true;
    r.pruners.push_back(std::move(plugin));
}

}  // namespace bough
