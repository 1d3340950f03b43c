// elc: the exact best hyperplane with at most r coefficients through r rows (CART-ELC), over every set of
// r columns, by branch and bound.
#include <mutex>

#include "base/slack.hpp"
#include "elc/search.hpp"
#include "score/sums.hpp"
#include "tree/route.hpp"

namespace bough {

namespace {

using namespace elc;

constexpr double kMostSets = 4e6;  // sets of columns that are kept in memory
constexpr u64 kShareOut = 4000;    // rows × sets of columns above which a node is worth waking helpers

class Elc final : public Family {
   public:
    Elc(const Problem& problem, const Params& params) : problem_(problem) {
        options_.r = params.count("r");
        options_.touching = static_cast<Touching>(params.count("touching"));
        options_.optimal = params.flag("optimal");
        options_.placing = static_cast<Placing>(params.count("place"));
        options_.fallback = params.flag("fallback");
        options_.max_planes = params.count("max_planes");
        if (const double most = params.get("max_seconds"); most > 0) options_.max_seconds = most;
        if (const double most = params.get("max_fit_seconds"); most > 0) options_.max_fit_seconds = most;
        end_ = in(options_.max_fit_seconds);
        if (!problem.scorer->bounds() && !problem.target->regression())
            throw std::invalid_argument(
                "split='elc' cannot bound this criterion; costs of mixing classes are not for it");
        if (options_.optimal && options_.r > 2)
            throw std::invalid_argument("split='elc': optimal=True is for r of 1 and 2, not for r=" +
                                        std::to_string(options_.r));
        const Table& table = *problem.table;
        grains_.resize(table.n_columns());
        problem.team->each(table.n_columns(), [&](std::size_t c, int) {
            const Column& column = table.columns[c];
            if (column.kind != ColumnKind::numeric) return;
            for (u32 i = 0; i < table.n_rows; ++i) {
                if (i % 65536 == 0) problem_.budget->poll();
                if (const double x = column.value(i); !is_missing(x)) grains_[c].add(x);
            }
        });
    }

    void propose(const Node& node, NodeState*, Worker& worker, Best& best) override {
        const NodeColumns columns(node, problem_, grains_);
        const u32 most = std::min<u32>(options_.r, static_cast<u32>(columns.columns.size()));
        if (most > 1 && end_ != Clock::time_point::max() && Clock::now() >= end_) {  // the best cut across one column
            search(node, columns, 1, Clock::time_point::max(), worker, best);
            problem_.budget->add_unproven(static_cast<double>(problem_.scorer->limit(node)) -
                                          std::max(0.0, best.empty() ? 0.0 : best.floor()));
            return;
        }
        const Clock::time_point deadline = std::min(in(options_.max_seconds), end_);
        // Where no hyperplane over r columns divides the rows, fewer columns may.
        for (u32 r = most; r > 0; --r)
            if (search(node, columns, r, r > 1 ? deadline : Clock::time_point::max(), worker, best) ||
                !options_.fallback)
                return;
    }

   private:
    bool search(const Node& node, const NodeColumns& columns, u32 r, Clock::time_point deadline, Worker& worker,
                Best& best) {
        Quest quest{&options_, &problem_, &node, &columns, best.scale(), deadline, {}};
        quest.alone = best.asks();
        quest.best = best.empty() ? -kInf : best.floor();
        const std::vector<u32> sets = sets_of(columns, r);
        const std::size_t n = sets.size() / r;
        std::vector<Found> found(n);
        std::vector<u32> n_random(n);  // hyperplanes of each set of columns
        Rng rng = Rng::at(problem_.seed, node.path);
        for (u32 i = 0; r > 1 && i < options_.max_planes; ++i) ++n_random[rng.below(static_cast<u32>(n))];
        std::vector<std::unique_ptr<Search>> searches(worker.team->size());
        const double part = 0.5 * node.n_rows / static_cast<double>(n);  // the other half: what grows below
        auto run = [&](std::size_t i, int helper) {
            problem_.budget->poll();
            auto& own = searches[helper];
            if (!own) own = std::make_unique<Search>(quest);
            if (n_random[i] > 0 || options_.max_planes == 0 || r == 1)
                found[i] = own->run(sets.data() + i * r, r, n_random[i],
                                    Rng::at(problem_.seed, child_path(node.path, static_cast<u32>(i))));
            problem_.budget->underway(part);
        };
        if (worker.team->size() > 1 && u64{node.n_rows} * n > kShareOut)
            worker.team->each(n, run);
        else
            for (std::size_t i = 0; i < n; ++i) run(i, 0);
        problem_.budget->underway(-part * static_cast<double>(n));
        bool any = false;
        double open = -kInf;
        for (std::size_t i = 0; i < n; ++i) {
            open = std::max(open, found[i].open_bound);
            if (!found[i].any) continue;
            any = true;
            const u32* set = sets.data() + i * r;
            Key key{columns.columns[set[0]].column};
            for (u32 t = 0; t < r; ++t) key.direction = key.direction * (columns.columns.size() + 1) + set[t];
            Candidate c{found[i].gain, found[i].balance, key, index};
            Standing standing;
            if (best.asks() && !judge(node, found[i].split, *best.rule(), standing, c)) continue;
            c.payload.split = std::make_shared<const Split>(std::move(found[i].split));
            best.stand(&standing);
            best.offer(c);
            best.stand(nullptr);
        }
        if (open > quest.best + kClosedForm * quest.unit)
            problem_.budget->add_unproven(open - std::max(0.0, quest.best.load()));
        return any;
    }

    // What rules want to know of a split; false: they do not allow it.
    bool judge(const Node& node, const Split& split, const SplitRule& rule, Standing& standing, Candidate& c) const {
        const bool axis = split.kind == NodeKind::axis;
        if (axis) standing = rule.standing(split.column);
        if (!axis && !rule.standing(split.term_columns, split.term_weights, standing)) return false;
        const SplitView view = view_of(split, problem_.moments.centers);
        SideSums sums(node, *problem_.target, 2);
        for (u32 row : node.rows) sums.add(route(view, problem_.table->columns, row), row, 0);
        const bool positions = problem_.target->regression();
        c.sides = {sums.side(0, positions), sums.side(1, positions), node.ruled};
        return true;
    }

    // Every set of r columns, those first whose columns are the best by themselves.
    std::vector<u32> sets_of(const NodeColumns& columns, u32 r) const {
        const u32 m = static_cast<u32>(columns.columns.size());
        double count = 1;
        for (u32 t = 0; t < r; ++t) count = count * (m - t) / (t + 1);
        if (count > kMostSets)
            throw std::invalid_argument("split='elc': r=" + std::to_string(r) + " of " + std::to_string(m) +
                                        " columns are too many sets to try; use a smaller r, or max_features");
        std::vector<double> alone(m);
        for (u32 c = 0; c < m; ++c) alone[c] = best_alone(columns, c);
        std::vector<std::pair<double, std::size_t>> order;
        std::vector<u32> all, set(r);
        for (u32 t = 0; t < r; ++t) set[t] = t;
        do {
            double sum = 0;
            for (u32 t : set) sum -= alone[t];
            order.push_back({sum, order.size()});
            all.insert(all.end(), set.begin(), set.end());
        } while (next_set(set.data(), r, m));
        std::sort(order.begin(), order.end());
        std::vector<u32> sorted;
        sorted.reserve(all.size());
        for (const auto& [sum, i] : order)
            sorted.insert(sorted.end(), all.begin() + static_cast<std::ptrdiff_t>(i * r),
                          all.begin() + static_cast<std::ptrdiff_t>((i + 1) * r));
        return sorted;
    }

    // The best gain of one column, at about a hundred cuts: enough to order columns by.
    double best_alone(const NodeColumns& columns, u32 c) const {
        constexpr u32 kCuts = 64;
        const auto& y = columns.columns[c].z;
        const double reach = 4;  // in units of the column's spread; what is beyond counts at the ends
        std::vector<double> sums(kCuts * columns.k, 0.0), side(columns.k, 0.0);
        for (u32 d = 0; d + 1 < columns.segment.size(); ++d)
            for (u32 i = columns.segment[d]; i < columns.segment[d + 1]; ++i) {
                if (is_missing(y[i])) continue;
                const double p = std::clamp((y[i] + reach) / (2 * reach), 0.0, 1.0);
                const u32 at = std::min(kCuts - 1, static_cast<u32>(p * kCuts));
                columns.add(&sums[at * columns.k], i, d);
            }
        double best = -kInf;
        for (u32 b = 0; b + 1 < kCuts; ++b) {
            for (u32 d = 0; d < columns.k; ++d) side[d] += sums[b * columns.k + d];
            best = std::max(best, gain_of_sums(problem_.scorer->bounds(), side.data(), columns.all.data(), columns.k));
        }
        return std::isfinite(best) ? best : 0.0;
    }

    const Problem problem_;
    Options options_;
    Clock::time_point end_;  // of the time for all nodes
    std::vector<Grain> grains_;
};

}  // namespace

void register_elc(Registry& r) {
    Info info{"elc", "every hyperplane with at most r coefficients through r rows, exactly", "Laack 2025 (CART-ELC)"};
    info.params = {
        {"r", "coefficients of a hyperplane, and rows it passes through", Param::Type::integer, 2, 1, kMostTerms},
        choice_param("touching", "rows on the hyperplane go to the better side, or above it as published",
                     {"either", "above"}),
        {"optimal", "each row on the hyperplane may go to either side: the best of all linear splits (r of 1 or 2)",
         Param::Type::flag, 0},
        choice_param("place", "move the hyperplane to the middle of the widest gap, or leave it through the rows",
                     {"margin", "through"}),
        {"fallback", "if no hyperplane over r columns divides the rows, try fewer columns; False: make the node a leaf",
         Param::Type::flag, 1},
        {"max_planes", "how many hyperplanes through random rows are tried at a node; 0: all, exactly",
         Param::Type::integer, 0, 0, 1e9},
        {"max_seconds",
         "time limit of a node's search in seconds; then the best split so far is taken, with a warning; 0: no limit",
         Param::Type::real, 0, 0},
        {"max_fit_seconds",
         "time limit of the whole fit in seconds; later nodes get their best axis cut, with a warning; 0: no limit",
         Param::Type::real, 0, 0},
    };
    FamilyPlugin plugin{info, [](const Problem& p, const Params& params) -> std::unique_ptr<Family> {
                            return std::make_unique<Elc>(p, params);
                        }};
    plugin.several = plugin.bounds = true;
    r.splits.push_back(plugin);
}

}  // namespace bough
