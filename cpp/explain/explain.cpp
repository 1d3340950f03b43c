#include "explain/explain.hpp"

#include <algorithm>
#include <optional>

#include "base/parallel.hpp"
#include "explain/coalitions.hpp"

namespace bough {

void explain(const Explaining& of, const Explained& to, Budget& budget) {
    constexpr u32 kRows = 64;  // at a time
    Team team(of.threads, budget);
    budget.total(static_cast<double>(of.trees.size()) * of.n_rows);
    for (std::size_t t = 0; t < of.trees.size(); ++t) {
        const Game game(*of.trees[t], of.values[t], budget);
        const std::size_t n = game.arms().size(), size = of.rows.size() * game.n_outputs();
        const double scale = 1.0 / static_cast<double>(of.trees.size()), part = scale / std::max(1u, of.n_background);
        game.nothing_known(scale, to.base);
        std::vector<double> others(of.n_background * n);
        bool simple = true;
        for (u32 b = 0; b < of.n_background && simple; ++b)
            simple = game.shares(of.background, b, others.data() + b * n);
        if (!simple) others.clear();
        std::vector<std::optional<Products>> products(static_cast<std::size_t>(team.size()));
        team.each((of.n_rows + kRows - 1) / kRows, [&](std::size_t piece, int worker) {
            auto& by_leaf = products[static_cast<std::size_t>(worker)];
            if (!by_leaf) by_leaf.emplace(game, others);
            Coalitions coalitions(game);
            std::vector<double> shares(n);
            for (u64 row = piece * kRows; row < std::min<u64>(of.n_rows, (piece + 1) * kRows); ++row) {
                double* out = to.values + row * size;
                budget.poll();
                if (simple && game.shares(of.rows, row, shares.data())) {
                    by_leaf->add(shares, scale, out);
                    continue;
                }
                for (u32 b = 0; b < std::max(1u, of.n_background) && !to.unclear[row]; ++b)
                    to.unclear[row] = !coalitions.add({of.rows, row}, {of.background, b}, part, out, budget);
            }
            budget.done(kRows);
        });
    }
}

}  // namespace bough
