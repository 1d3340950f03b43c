#include "grow/boost.hpp"

#include <algorithm>
#include <optional>

#include "base/rng.hpp"
#include "data/presort.hpp"
#include "grow/loss.hpp"
#include "grow/registry.hpp"
#include "tree/mean.hpp"

namespace bough {

namespace {

constexpr std::size_t kBlock = 1 << 12;  // rows of a piece of work; sums are taken block by block
constexpr double kLeastCurve = 0x1p-28;  // of a row, by the largest one: lighter rows would be lost beside others

template <class Each>
void blocks(Team& team, std::size_t n, Each each) {
    team.each((n + kBlock - 1) / kBlock,
              [&](std::size_t b, int worker) { each(b, b * kBlock, std::min(n, (b + 1) * kBlock), worker); });
}

bool any_missing(const Table& table) {
    for (const Column& c : table.columns)
        for (u32 row = 0; row < table.n_rows && c.kind == ColumnKind::numeric; ++row)
            if (is_missing(c.value(row))) return true;
    return false;
}

std::vector<u32> all_rows(u32 n) {
    std::vector<u32> rows(n);
    for (u32 i = 0; i < n; ++i) rows[i] = i;
    return rows;
}

class Booster {
   public:
    Booster(const Data& data, const Sample& sample, const Plan& plan, Rounds rounds, Budget& budget)
        : data_(data),
          plan_(plan),
          rounds_(std::move(rounds)),
          budget_(budget),
          loss_(Registry::find(boosting_losses(), rounds_.loss)),
          k_(n_outputs_of(loss_, data.target.n_classes)),
          team_(plan.threads, budget),
          rows_(sample.all_rows ? all_rows(data.table.n_rows)
                                : std::vector<u32>(sample.rows.begin(), sample.rows.end())),
          sampled_(data, sample, budget),
          missing_(any_missing(data.table)) {
        if (rounds_.loss == "absolute_error") rounds_.alpha = 0.5;
        const std::size_t m = rows_.size();
        slopes_.resize(m * k_);
        curves_.resize(m * k_);
        numbers_.resize(m);
        weighted_ = !loss_.constant || data.target.weighted();
        weights_.resize(weighted_ ? m : 0);
        step_.numbers = numbers_;
        step_.weights = weights_;
        grown_from_ = sampled_.data();
        grown_from_.target = step_;
        full_ = grown_from_;
        sorted_.emplace(full_.table, full_.target);
        engine_ = choose_engine(full_, {}, plan_, u64{rounds_.most} * k_, false, budget, rounds_.bins);
        if (!engine_.ranks && !engine_.bins) grown_from_.table.sorted = &*sorted_;
    }

    Boosted run() {
        const u32 n = data_.table.n_rows;
        Boosted made;
        if (rounds_.start.empty()) {
            rounds_.start = loss_.start(data_.target, rows_, rounds_.alpha);
            for (u32 row = 0; row < n; ++row)
                rounds_.raw.insert(rounds_.raw.end(), rounds_.start.begin(), rounds_.start.end());
        }
        made.start = rounds_.start;
        made.train_scores = rounds_.train_scores;
        made.held_scores = rounds_.held_scores;
        // A round was scored before, or nothing was.
        const u32 before = made.train_scores.empty() ? 0 : static_cast<u32>(made.train_scores.size() - 1);
        budget_.total(static_cast<double>(rounds_.most - std::min(before, rounds_.most)) * k_ *
                      static_cast<double>(rows_.size()) * rounds_.subsample);
        for (u32 round = before;; ++round) {
            const double loss = add_slopes(rows_, slopes_.data(), curves_.data());
            if (made.train_scores.size() <= round) score(loss, made);
            if (round >= rounds_.most || (rounds_.stops && round > before && stops(made))) break;
            const std::size_t first = made.trees.size();
            for (u32 c = 0; c < k_; ++c) made.trees.push_back(tree_of(round, c));
            for (u32 c = 0; c < k_; ++c) add(made.trees[first + c], c);
        }
        made.engine = engine_.reason;
        return made;
    }

   private:
    // The mean loss of some rows; slopes and curvatures go where they are asked for.
    double add_slopes(std::span<const u32> rows, double* slopes, double* curves) {
        const LossRows r{data_.target, rows, rounds_.raw.data(), rounds_.alpha, slopes, curves};
        std::vector<double> sums((rows.size() + kBlock - 1) / kBlock), weights(sums.size());
        blocks(team_, rows.size(), [&](std::size_t b, std::size_t begin, std::size_t end, int) {
            sums[b] = add_losses(loss_, r, begin, end);
            for (std::size_t i = begin; i < end; ++i) weights[b] += data_.target.weight(rows[i]);
        });
        double sum = 0, weight = 0;
        for (std::size_t b = 0; b < sums.size(); ++b) sum += sums[b], weight += weights[b];
        return sum / weight;
    }
    void score(double loss, Boosted& made) {
        std::pair<double, double> found{-loss, 0};
        if (rounds_.judge)
            found = rounds_.judge(rounds_.raw);
        else if (!rounds_.held.empty())
            found.second = -add_slopes(rounds_.held, nullptr, nullptr);
        made.train_scores.push_back(found.first);
        if (!rounds_.held.empty()) made.held_scores.push_back(found.second);
    }
    bool stops(const Boosted& made) const {
        const std::vector<double>& scores = rounds_.held.empty() ? made.train_scores : made.held_scores;
        if (scores.size() <= rounds_.patience) return false;
        const auto recent = scores.end() - rounds_.patience;
        return !std::any_of(recent, scores.end(), [&](double s) { return s > recent[-1] + rounds_.tolerance; });
    }

    Tree tree_of(u32 round, u32 c) {
        const std::size_t m = rows_.size();
        double most = 0;
        for (std::size_t i = c; i < m * k_; i += k_) most = std::max(most, curves_[i]);
        const double least = most > 0 ? most * kLeastCurve : 1.0;
        blocks(team_, m, [&](std::size_t, std::size_t begin, std::size_t end, int) {
            for (std::size_t i = begin; i < end; ++i) {
                const double h = std::max(curves_[i * k_ + c], least);
                numbers_[i] = -slopes_[i * k_ + c] / h;
                if (weighted_) weights_[i] = h;
            }
        });
        Plan own = plan_;
        own.seed = mix(plan_.seed + u64{round} * k_ + c);
        Sample part;
        if (rounds_.subsample < 1) {
            draw(round);
            part.all_rows = false;
            part.rows = part_;
        }
        Tree tree = grow_tree(grown_from_, part, own, engine_, budget_);
        if (loss_.refits) return refitted(tree, part);
        if (rounds_.l2 == 0) return tree;
        TreeParts parts = tree.parts();
        for (std::size_t i = 0; i < parts.leaf_means.size(); ++i)
            parts.leaf_means[i] *= parts.leaf_weights[i] / (parts.leaf_weights[i] + rounds_.l2);
        return Tree(std::move(parts), budget_);
    }
    // The rows of a round, the same ones for every class.
    void draw(u32 round) {
        const u32 m = static_cast<u32>(rows_.size());
        u32 wanted = std::max(1u, static_cast<u32>(std::floor(rounds_.subsample * m)));
        Rng rng = Rng::at(plan_.seed ^ 0x73756273616d706cull, round);
        part_.clear();
        for (u32 i = 0; i < m && wanted > 0; ++i)
            if (rng.below(m - i) < wanted) part_.push_back(i), --wanted;
    }
    // Leaves say a quantile of what is left of their rows.
    Tree refitted(const Tree& tree, const Sample& part) {
        const std::span<const Column> columns = full_.table.columns;
        const std::size_t m = rows_.size();
        std::vector<u32> nodes(m);
        blocks(team_, m, [&](std::size_t, std::size_t begin, std::size_t end, int) {
            tree.apply(columns, begin, end, nodes.data() + begin, missing_);
        });
        std::vector<std::vector<u32>> there(tree.n_nodes());
        auto put = [&](u32 i) {
            numbers_[i] = data_.target.numbers[rows_[i]] - rounds_.raw[rows_[i]];
            there[nodes[i]].push_back(i);
        };
        if (part.all_rows)
            for (u32 i = 0; i < m; ++i) put(i);
        else
            for (u32 i : part.rows) put(i);
        TreeParts parts = tree.parts();
        std::vector<double> own(data_.target.weighted() ? m : 0);
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = data_.target.weight(rows_[i]);
        u32 place = 0;
        for (u32 node = 0; node < tree.n_nodes(); ++node) {
            budget_.poll();
            const bool leaf = tree.kind(node) == NodeKind::leaf;
            if (!leaf && (tree.missing() != Missing::surrogate || tree.view(node).without != kStopHere)) continue;
            if (!there[node].empty()) {
                double& mean = parts.leaf_means[place];
                mean = quantile_of(numbers_, own, there[node], rounds_.alpha);
                if (rounds_.l2 > 0) mean *= parts.leaf_weights[place] / (parts.leaf_weights[place] + rounds_.l2);
            }
            ++place;
        }
        return Tree(std::move(parts), budget_);
    }
    // To what is said of every row of the table.
    void add(const Tree& tree, u32 c) {
        std::vector<std::vector<u32>> nodes(static_cast<std::size_t>(team_.size()));
        blocks(team_, data_.table.n_rows, [&](std::size_t, std::size_t begin, std::size_t end, int worker) {
            add_tree(tree, data_.table.columns, begin, end, missing_, rounds_.rate, &rounds_.raw[begin * k_ + c], k_,
                     nodes[worker]);
        });
    }

    const Data& data_;
    Plan plan_;
    Rounds rounds_;
    Budget& budget_;
    const LossPlugin& loss_;
    const u32 k_;
    Team team_;
    const std::vector<u32> rows_;                              // of the table, that trees grow from
    const SampledData sampled_;                                // ... as a table
    const bool missing_;                                       // some number is
    std::vector<double> slopes_, curves_, numbers_, weights_;  // of the rows
    bool weighted_ = false;
    Target step_;
    Data grown_from_, full_;
    std::optional<SortedLists> sorted_;
    Engine engine_;
    std::vector<u32> part_;  // places of rows that a round grows from
};

}  // namespace

Boosted boost(const Data& data, const Sample& sample, const Plan& plan, Rounds rounds, Budget& budget) {
    return Booster(data, sample, plan, std::move(rounds), budget).run();
}

}  // namespace bough
