#include "explain/game.hpp"

#include <algorithm>

namespace bough {

Game::Game(const Tree& tree, std::span<const double> values, Budget& budget)
    : tree_(tree), values_(values), n_outputs_(tree.parts().n_outputs()), shared_(tree.missing() == Missing::shared) {
    if (values.size() != std::size_t{tree.n_nodes()} * n_outputs_)
        throw std::invalid_argument("values are not one for each output of each node");
    for (u32 i = 0; i < tree.n_nodes(); ++i) {
        splits_.push_back(tree.kind(i) == NodeKind::leaf ? SplitView{} : tree.view(i));
        linear_ = linear_ || splits_[i].kind == NodeKind::linear;
    }
    std::vector<u32> last(tree.parts().n_columns, kNone);  // the arm on the way that last left a split of a column
    std::vector<u32> path, players;                        // by depth: the arm, columns of the path
    auto leave = [&](u32 depth) {
        for (; path.size() > depth; path.pop_back(), players.pop_back()) {
            Arm& arm = arms_[path.back()];
            arm.behind = static_cast<u32>(arms_.size());
            if (arm.depth > 0) last[column(arm)] = arm.before;
        }
    };
    std::vector<Arm> waiting(1);
    waiting[0].ends = tree.kind(0) == NodeKind::leaf;
    while (!waiting.empty()) {
        if (arms_.size() % 65536 == 0) budget.poll();
        Arm arm = waiting.back();
        waiting.pop_back();
        leave(arm.depth);
        const u32 a = static_cast<u32>(arms_.size());
        players.push_back(players.empty() ? 0 : players.back());
        if (arm.depth > 0) {
            u32& before = last[column(arm)];
            arm.before = std::exchange(before, a);
            arm.player = arm.before == kNone ? players.back()++ : arms_[arm.before].player;
            arm.unknown = arm.weight * (arm.before == kNone ? 1.0 : arms_[arm.before].unknown);
        }
        depth_ = std::max(depth_, arm.depth);
        most_columns_ = std::max(most_columns_, players.back());
        path.push_back(a);
        arms_.push_back(arm);
        if (!arm.ends) add_arms_below(a, waiting);
    }
    leave(0);
}

void Game::add_arms_below(u32 a, std::vector<Arm>& waiting) const {
    const Arm& above = arms_[a];
    const auto children = tree_.children(above.node);
    std::vector<double> weights;
    double stay = 0, total = 0;
    for (double w : tree_.stayed(above.node).weights) stay += w;
    for (u32 c : children) total += weights.emplace_back(tree_.weights(c).sum());
    total += stay;
    // Where no training row came, the node itself answers for rows of which its column is not known.
    if (!(total > 0) || (split(above).without == kStopHere && !shared_))
        waiting.push_back({above.node, a, kStopHere, above.depth + 1, true, total > 0 ? stay / total : 1.0});
    for (u32 c = static_cast<u32>(children.size()); c-- > 0;)
        waiting.push_back({children[c], a, c, above.depth + 1, tree_.kind(children[c]) == NodeKind::leaf,
                           total > 0 ? weights[c] / total : 0.0});
}

bool Game::shares(std::span<const Column> columns, u64 row, double* out) const {
    if (linear_) return false;
    out[0] = 1;
    for (u32 a = 0; a < arms_.size(); ++a) {
        if (arms_[a].ends) continue;
        const SplitView& s = split(arms_[a]);
        if (!s.surrogates.empty() && answer(s, columns, row) == kNone) return false;
        const u32 to = way(s, columns, row);
        for (u32 below = a + 1; below < arms_[a].behind; below = arms_[below].behind)
            out[below] = share(arms_[below], to);
    }
    return true;
}

void Game::nothing_known(double scale, double* out) const {
    std::vector<double> share(depth_ + 1, 1.0);
    for (const Arm& arm : arms_) {
        if (arm.depth > 0) share[arm.depth] = share[arm.depth - 1] * arm.weight;
        for (u32 k = 0; arm.ends && k < n_outputs_; ++k) out[k] += scale * share[arm.depth] * value(arm)[k];
    }
}

}  // namespace bough
