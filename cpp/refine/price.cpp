#include "refine/price.hpp"

#include <algorithm>

#include "base/rng.hpp"
#include "grow/plan.hpp"

namespace bough {

namespace {

constexpr u32 kFolds = 3;

// The fold of each row, drawn; each class is spread over all of them.
std::vector<u32> folds_of(const Refining& how) {
    const u32 n = how.data.table.n_rows;
    std::vector<std::pair<u64, u32>> order(n);
    for (u32 row = 0; row < n; ++row) order[row] = {Rng::at(how.plan.seed, row).next(), row};
    std::sort(order.begin(), order.end());
    if (!how.data.target.regression())
        std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
            return how.data.target.classes[a.second] < how.data.target.classes[b.second];
        });
    std::vector<u32> fold(n);
    for (u32 i = 0; i < n; ++i) fold[order[i].second] = i % kFolds;
    return fold;
}

}  // namespace

std::size_t price_by_folds(const Refining& how, std::span<const double> prices,
                           const std::function<void(const Refining& part, const Judge& judge)>& work) {
    const std::vector<u32> fold = folds_of(how);
    std::vector<double> cost(prices.size(), 0.0);
    Losses losses(how.data.target, how.data.table.n_rows);
    for (u32 f = 0; f < kFolds; ++f) {
        std::vector<u32> seen, held;
        for (u32 row = 0; row < fold.size(); ++row) (fold[row] == f ? held : seen).push_back(row);
        if (seen.empty()) continue;
        Sample sample;
        sample.all_rows = false;
        sample.rows = seen;
        Data data = how.data;
        std::vector<double> own;  // a sample has no weights but those in splits
        const SampledData sampled(data, sample, how.budget);
        data = sampled.data();
        for (u32 row : seen)
            if (!how.data.target.own.empty()) own.push_back(how.data.target.own[row]);
        data.target.own = own;
        Refinement unread;
        unread.interrupted = how.found.interrupted;
        std::size_t place = 0;
        const Moments moments = moments_of(data.table, data.target);
        work({data, how.full, how.plan, how.budget, unread}, [&](const Shape& tree, bool sharp) {
            Shape shape(how.data.table, moments);  // the same tree over all rows
            shape.take(tree);
            losses.use_sharp(sharp);
            for (u32 row : held) cost[place] += losses.of(row, shape[shape.leaf_of(0, row)].value);
            ++place;
        });
    }
    std::size_t best = 0;
    for (std::size_t p = 1; p < cost.size(); ++p)
        if (cost[p] <= cost[best] * (1 + kErrors)) best = p;
    return best;
}

}  // namespace bough
