// directions: whatever directions a function of the user's own returns for the rows of a node.
#include "directions/engine.hpp"

namespace bough {

namespace {

void ask(DirectionNode& node) {
    const Problem& problem = node.problem;
    const u32 n = node.n_rows(), d = node.n_columns();
    std::vector<double> x(std::size_t{n} * d), y(n), w(n);
    for (u32 i = 0; i < n; ++i) {
        for (u32 j = 0; j < d; ++j) x[std::size_t{i} * d + j] = node.value(i, j);
        y[i] = problem.target->regression() ? node.number(i) : node.cls(i);
        w[i] = node.weight(i);
    }
    std::vector<double> found;
    try {
        found = problem.functions.directions(x, n, d, y, w);
    } catch (...) {
        problem.functions.failed();
        throw;
    }
    node.offer(found);
}

}  // namespace

void register_directions(Registry& r) {
    FamilyPlugin plugin = direction_plugin(
        {"directions", "what your own function returns: split=bough.directions(fn)", "bough"},
        [](const Problem& p, const Params&) -> DirectionFinder {
            if (!p.functions.directions)
                throw std::invalid_argument("split='directions' needs a function: split=bough.directions(fn)");
            return ask;
        });
    plugin.function = true;
    r.splits.push_back(std::move(plugin));
}

}  // namespace bough
