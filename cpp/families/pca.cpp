// pca: principal components of all training rows, found once and tried at every node.
#include <algorithm>

#include "directions/components.hpp"

namespace bough {

namespace {

// One row for each component, over all numeric columns, in search units.
std::vector<double> components_of(const Problem& p, u32 most, u32& d) {
    std::vector<u32> columns;
    for (u32 c = 0; c < p.table->n_columns(); ++c)
        if (p.table->columns[c].kind == ColumnKind::numeric) columns.push_back(c);
    const u32 n = p.table->n_rows;
    d = static_cast<u32>(columns.size());
    std::vector<double> x(std::size_t{n} * d);
    for (u32 j = 0; j < d; ++j) {
        p.budget->poll();
        const Column& column = p.table->columns[columns[j]];
        const double mean = p.moments.means[columns[j]];
        const double scale = p.standardize ? 1 / p.moments.spreads[columns[j]] : 1.0;
        for (u32 row = 0; row < n; ++row) {
            const double v = (column.value(row) - mean) * scale;
            x[std::size_t{row} * d + j] = is_missing(v) ? 0.0 : v * std::sqrt(p.target->weight(row));
        }
    }
    return components(x.data(), n, d, most, p.budget);
}

// How many rows of the node have a number, per column that may be split.
std::vector<u32> known(const DirectionNode& node) {
    std::vector<u32> count(node.n_columns(), node.n_rows());
    if (!node.has_missing()) return count;
    for (u32 i = 0; i < node.n_rows(); ++i)
        for (u32 j = 0; j < node.n_columns(); ++j) count[j] -= node.missing(i, j);
    return count;
}

// A row has no position along a direction that asks for a column it lacks. So a component is tried over the columns
// that some row of the node has, and once more over those that all have: there the missing parts are at the centre, and
// rows that were sent to one side together are told apart.
void offer(DirectionNode& node, const std::vector<double>& components, u32 d) {
    const std::vector<u32> count = known(node);
    const bool gaps = std::any_of(count.begin(), count.end(), [&](u32 n) { return n > 0 && n < node.n_rows(); });
    for (u32 least : {1u, node.n_rows()}) {
        std::vector<double> here;
        for (std::size_t at = 0; at < components.size(); at += d)
            for (u32 j = 0; j < node.n_columns(); ++j)
                here.push_back(count[j] >= least ? components[at + node.columns[j]] : 0.0);
        node.offer(here);
        if (!gaps) return;
    }
}

}  // namespace

void register_pca(Registry& r) {
    r.splits.push_back(direction_plugin({"pca",
                                         "principal components of all training rows, the same at every node",
                                         "Bodine & Hochbaum 2022",
                                         {components_param()}},
                                        [](const Problem& p, const Params& params) -> DirectionFinder {
                                            u32 d = 0;
                                            const auto all = components_of(p, params.count("n_components"), d);
                                            return [all, d](DirectionNode& node) { offer(node, all, d); };
                                        }));
}

}  // namespace bough
