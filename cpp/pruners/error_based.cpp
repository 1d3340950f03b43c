// error_based: C4.5's pruning. The errors of a leaf are taken to be as many as an upper confidence limit allows; from
// the leaves up, a node becomes a leaf, or its heaviest branch takes its place, if that is not estimated worse.
#include <numeric>

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
    double estimate(std::span<const double> w) const {
        const double n = sum_of(w), e = errors_of(w);
        return n <= kEqual ? 0.0 : e + added(n, e);
    }
};

// A tree that is being cut back. Places are numbered as the nodes of the tree; the place of a node whose branch was
// raised asks the question of that branch. The rows of a place are a piece of one list, those of its children parts of
// that piece.
class Work {
   public:
    Work(const Tree& tree, const Data& data, const Pessimism& pessimism, Budget& budget)
        : tree_(tree), data_(data), pessimism_(pessimism), budget_(budget), k_(tree.parts().n_classes) {
        const u32 n = tree.n_nodes();
        asks_.resize(n);
        std::iota(asks_.begin(), asks_.end(), 0u);
        leaf_.resize(n);
        gone_.assign(n, 0);
        ends_.assign(n, 0);
        for (u32 i = n; i-- > 0;) {
            leaf_[i] = tree.kind(i) == NodeKind::leaf;
            if (ends_[i] == 0) ends_[i] = i + 1;
            if (i > 0) ends_[tree.parent(i)] = std::max(ends_[tree.parent(i)], ends_[i]);
        }
        weights_.resize(n * k_);
        for (u32 i = 0; i < n; ++i) std::copy_n(tree.weights(i).begin(), k_, weights_.begin() + i * k_);
        estimates_.resize(n);
    }

    Tree run(bool raising) {
        const u32 n = tree_.n_nodes();
        if (raising) {
            rows_.resize(data_.table.n_rows);
            std::iota(rows_.begin(), rows_.end(), 0u);
            pieces_.resize(n);
            pieces_[0] = {0, data_.table.n_rows};
            for (u32 i = 0; i < n; ++i) part(i, i, rows_, pieces_);
        }
        for (u32 i = n; i-- > 0;) {
            if (i % 256 == 0) budget_.poll();
            if (gone_[i]) continue;
            if (leaf_[i]) {
                estimates_[i] = pessimism_.estimate(of(i));
                continue;
            }
            const u32 heaviest = heaviest_child(i);
            const double as_leaf = pessimism_.estimate(of(i));
            double as_tree = 0, as_branch = kInf;
            for (u32 c : tree_.children(asks_[i])) as_tree += estimates_[c];
            if (raising) as_branch = leaf_[heaviest] ? as_leaf : try_branch(i, heaviest);
            if (as_leaf <= as_tree + kSlack + kEqual && as_leaf <= as_branch + kSlack + kEqual) {
                drop_below(i);
                leaf_[i] = 1;
                estimates_[i] = as_leaf;
            } else if (as_branch <= as_tree + kSlack + kEqual) {
                raise(i, heaviest);
                i = ends_[asks_[i]];  // what is below is looked at again, then this place
            } else {
                estimates_[i] = as_tree;
            }
        }
        return written();
    }

   private:
    struct Piece {
        u32 begin = 0, end = 0;
    };
    std::span<const double> of(u32 place) const { return {weights_.data() + place * k_, k_}; }

    u32 heaviest_child(u32 place) const {
        u32 found = 0;
        double most = 0;
        for (u32 c : tree_.children(asks_[place]))
            if (sum_of(of(c)) - most > -kEqual) most = sum_of(of(c)), found = c;
        return found;
    }

    // Parts the rows of a place, which asks the question of a node, among the children of that node.
    void part(u32 place, u32 node, std::vector<u32>& rows, std::vector<Piece>& pieces) {
        if (leaf_[place]) return;
        const auto kids = tree_.children(node);
        const Piece whole = pieces[place];
        spare_.assign(rows.begin() + whole.begin, rows.begin() + whole.end);
        child_.resize(spare_.size());
        std::vector<u32> begin(kids.size() + 1, 0);
        const SplitView split = tree_.view(node);
        for (std::size_t i = 0; i < spare_.size(); ++i) {
            // A row that stops at the node is behind those of the children.
            child_[i] = std::min(route(split, data_.table.columns, spare_[i]), static_cast<u32>(kids.size()));
            if (child_[i] < kids.size()) ++begin[child_[i] + 1];
        }
        for (std::size_t c = 0; c < kids.size(); ++c) begin[c + 1] += begin[c];
        for (std::size_t c = 0; c < kids.size(); ++c)
            pieces[kids[c]] = {whole.begin + begin[c], whole.begin + begin[c + 1]};
        for (std::size_t i = 0; i < spare_.size(); ++i) {
            if (i % 65536 == 0) budget_.poll();
            rows[whole.begin + begin[child_[i]]++] = spare_[i];
        }
    }

    void weigh(const Piece& piece, const std::vector<u32>& rows, double* to) const {
        std::fill_n(to, k_, 0.0);
        for (u32 i = piece.begin; i < piece.end; ++i) to[data_.target.classes[rows[i]]] += data_.target.weight(rows[i]);
    }

    // The estimate of a branch if it got all rows of the place above; leaves rows and pieces in the trial.
    double try_branch(u32 place, u32 branch) {
        const Piece all = pieces_[place];
        trial_rows_.assign(rows_.begin() + all.begin, rows_.begin() + all.end);
        trial_.resize(pieces_.size());
        trial_[branch] = {0, all.end - all.begin};
        trial_places_.assign(1, branch);
        double sum = 0;
        std::vector<double> w(k_);
        for (std::size_t at = 0; at < trial_places_.size(); ++at) {
            const u32 here = trial_places_[at];
            if (at % 64 == 0) budget_.poll();
            if (leaf_[here]) {
                weigh(trial_[here], trial_rows_, w.data());
                sum += pessimism_.estimate(w);
                continue;
            }
            part(here, asks_[here], trial_rows_, trial_);
            for (u32 c : tree_.children(asks_[here])) trial_places_.push_back(c);
        }
        return sum;
    }

    void drop_below(u32 place) {
        for (u32 i = asks_[place] + 1; i < ends_[asks_[place]]; ++i) gone_[i] = 1;
    }

    // Puts a branch, as it was tried, in the place of its parent.
    void raise(u32 place, u32 branch) {
        std::copy(trial_rows_.begin(), trial_rows_.end(), rows_.begin() + pieces_[place].begin);
        const u32 shift = pieces_[place].begin;
        std::vector<u8> stays(tree_.n_nodes() == 0 ? 0 : ends_[asks_[place]] - place, 0);
        for (std::size_t at = 1; at < trial_places_.size(); ++at) {
            const u32 here = trial_places_[at];
            pieces_[here] = {trial_[here].begin + shift, trial_[here].end + shift};
            weigh(pieces_[here], rows_, weights_.data() + here * k_);
            stays[here - place] = 1;
        }
        for (u32 i = place + 1; i < ends_[asks_[place]]; ++i) gone_[i] |= !stays[i - place];
        asks_[place] = asks_[branch];
    }

    Tree written() const {
        TreeWriter writer(tree_);
        std::vector<u32> stack{0};
        while (!stack.empty()) {
            const u32 i = stack.back();
            stack.pop_back();
            if (leaf_[i]) {
                const u32 n = pieces_.empty() ? tree_.rows(i) : pieces_[i].end - pieces_[i].begin;
                writer.leaf({n, of(i)}, tree_.tests(asks_[i]));
                continue;
            }
            writer.inner(tree_, asks_[i]);
            const auto kids = tree_.children(asks_[i]);
            for (std::size_t c = kids.size(); c-- > 0;) stack.push_back(kids[c]);
        }
        return Tree(std::move(writer).finish(), budget_);
    }

    const Tree& tree_;
    const Data& data_;
    const Pessimism& pessimism_;
    Budget& budget_;
    std::size_t k_;
    std::vector<u32> asks_, ends_;  // per place: the node whose question it asks; per node: behind its last descendant
    std::vector<u8> leaf_, gone_;   // per place
    std::vector<double> weights_, estimates_;
    std::vector<u32> rows_, trial_rows_, trial_places_, spare_, child_;
    std::vector<Piece> pieces_, trial_;
};

struct ErrorBased final : Pruner {
    Pessimism pessimism;
    bool raising;
    ErrorBased(double confidence, bool r) : pessimism(confidence), raising(r) {}
    Tree prune(const Tree& tree, const Pruning& how) const override {
        check_classes(tree, "error_based");
        check_plain(how, "error_based");
        return Work(tree, *how.data, pessimism, how.budget).run(raising);
    }
};

}  // namespace

void register_error_based(Registry& r) {
    PrunerPlugin plugin{
        {"error_based",
         "a node becomes a leaf, or its heaviest branch takes its place, if no more errors are estimated then",
         "Quinlan 1993 (C4.5), as J48 computes it",
         {{"confidence", "of the upper limit of a leaf's errors: smaller prunes more", Param::Type::real, 0.25, 1e-9,
           1},
          {"raising", "whether branches may take the place of their parent", Param::Type::flag, 1}}},
        [](const Params& p) { return std::make_unique<ErrorBased>(p.get("confidence"), p.flag("raising")); }};
    plugin.needs_data = true;
    r.pruners.push_back(std::move(plugin));
}

}  // namespace bough
