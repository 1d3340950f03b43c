// pca: principal components of all training rows, found once and tried at every node. Every component is over all
// columns, so a row that lacks a number takes part as if that were the column's mean: it could never be separated
// otherwise.
#include "directions/components.hpp"

namespace bough {

namespace {

// One row for each component, over all numeric columns, in search units.
std::vector<double> components_of(const Problem& p, u32 most, u32& d) {
    const Table& table = p.all->table;  // also where a branch grows from a part of it
    const std::vector<u32> columns = table.of(ColumnKind::numeric);
    const u32 n = table.n_rows;
    d = static_cast<u32>(columns.size());
    std::vector<double> x(std::size_t{n} * d);
    for (u32 j = 0; j < d; ++j) {
        p.budget->poll();
        const Column& column = table.columns[columns[j]];
        const double mean = p.moments.means[columns[j]];
        const double scale = p.standardize ? 1 / p.moments.spreads[columns[j]] : 1.0;
        for (u32 row = 0; row < n; ++row) {
            const double v = (column.value(row) - mean) * scale;
            x[std::size_t{row} * d + j] = is_missing(v) ? 0.0 : v * std::sqrt(p.all->target.weight(row));
        }
    }
    return components(x.data(), n, d, most, p.budget);
}

}  // namespace

void register_pca(Registry& r) {
    r.splits.push_back(direction_plugin(
        {"pca",
         "principal components of all training rows, the same at every node",
         "Bodine & Hochbaum 2022",
         {components_param()}},
        [](const Problem& p, const Params& params) -> DirectionFinder {
            u32 d = 0;
            const auto all = components_of(p, params.count("n_components"), d);
            return [all, d](DirectionNode& node) {
                std::vector<double> here;  // the part over columns that may be split
                for (std::size_t at = 0; at < all.size(); at += d)
                    for (u32 j : node.columns) here.push_back(all[at + j]);
                node.offer(here);
            };
        },
        true));
}

}  // namespace bough
