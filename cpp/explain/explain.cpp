#include "explain/explain.hpp"

#include <algorithm>

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
        bool simple = true, whole = true;  // splits ask one column each; no row is shared
        for (u32 b = 0; b < of.n_background && simple; ++b) {
            double* own = others.data() + b * n;
            simple = game.shares(of.background, b, own);
            whole = whole && std::all_of(own, own + n, [](double share) { return share == 0 || share == 1; });
        }
        const Crowd crowd(game, simple && whole ? others : std::vector<double>());
        team.each((of.n_rows + kRows - 1) / kRows, [&](std::size_t piece, int) {
            Weighted weighted(game);
            Crowd own_crowd = crowd;
            Coalitions coalitions(game);
            std::vector<double> shares(n);
            for (u64 row = piece * kRows; row < std::min<u64>(of.n_rows, (piece + 1) * kRows); ++row) {
                double* out = to.values + row * size;
                budget.poll();
                if (simple && game.shares(of.rows, row, shares.data())) {
                    if (of.n_background == 0)
                        weighted.add(shares.data(), nullptr, scale, out);
                    else if (whole &&
                             std::all_of(shares.begin(), shares.end(), [](double s) { return s == 0 || s == 1; }))
                        own_crowd.add(shares.data(), scale, out);
                    else
                        for (u32 b = 0; b < of.n_background; ++b)
                            weighted.add(shares.data(), others.data() + b * n, part, out);
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
