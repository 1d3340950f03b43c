// What portions tell for directions: sums over the numbers of a node, and positions along what was made of them.
#include "base/linalg.hpp"
#include "pooled/portion.hpp"

namespace bough {

void Portion::add_sums(u32 node, double mean, std::span<const double> centers, u32 step, double* sums, double* ends,
                       std::vector<double>& some) const {
    const std::vector<u32> numeric = data_.table.of(ColumnKind::numeric);
    const std::size_t d = numeric.size();
    const auto here = rows_of(node);
    for (std::size_t i = 0; i < here.size(); ++i) {
        const u32 row = here[i], g = group(row, mean);
        const double w = data_.target.weight(row);
        double *s = sums + g * (2 * d + 1), *e = ends + g * 2 * d;
        s[0] += w;
        for (std::size_t j = 0; j < d; ++j) {
            const double x = data_.table.columns[numeric[j]].value(row) - centers[numeric[j]];
            if (i % step == 0) some.push_back(x);
            if (is_missing(x)) continue;
            s[1 + j] += w * x;
            s[1 + d + j] += w;
            e[2 * j] = std::max(e[2 * j], -x);
            e[2 * j + 1] = std::max(e[2 * j + 1], x);
        }
    }
}

void Portion::add_scatter(u32 node, double mean, std::span<const double> centers, const double* about,
                          const double* missing, bool each, double* products) const {
    constexpr u32 kRows = 256;  // that are multiplied together
    const std::vector<u32> numeric = data_.table.of(ColumnKind::numeric);
    const u32 d = static_cast<u32>(numeric.size()), n = each ? n_groups() : 1;
    const std::size_t square = std::size_t{d} * d;
    std::vector<std::vector<double>> blocks(n);
    auto multiply = [&](u32 g) {
        const u32 rows = static_cast<u32>(blocks[g].size() / std::max(1u, d));
        if (rows > 0) linalg::gram_of_columns(blocks[g].data(), d, rows, d, products + g * square, true);
        blocks[g].clear();
    };
    double* with_target = products + n * square;
    for (u32 row : rows_of(node)) {
        const u32 g = group(row, mean), to = each ? g : 0;
        const double w = data_.target.weight(row), root = std::sqrt(w);
        const double y = layout_->regression ? w * (data_.target.numbers[row] - mean) : 0.0;
        for (u32 j = 0; j < d; ++j) {
            double x = data_.table.columns[numeric[j]].value(row) - centers[numeric[j]];
            if (is_missing(x)) x = missing[j];
            blocks[to].push_back(root * (x - about[std::size_t{g} * d + j]));
            if (layout_->regression) with_target[j] += y * (x - missing[j]);
        }
        if (blocks[to].size() >= std::size_t{kRows} * d) multiply(to);
    }
    for (u32 g = 0; g < n; ++g) multiply(g);
}

std::span<const Along> Portion::along(u32 node) const {
    const auto at = along_.find(node);
    return at == along_.end() ? std::span<const Along>() : at->second;
}

void Portion::aim(std::span<const u32> nodes, std::vector<std::vector<Along>> along, Budget& budget) {
    if (nodes.size() != along.size()) throw std::invalid_argument("there are not directions for each node");
    along_.clear();
    const u32 most = layout_->n_along(), n_bins = most > 0 ? layout_->n_bins(layout_->n_table) : 0;
    along_bins_.resize(most);
    for (auto& bins : along_bins_) bins.resize(data_.table.n_rows);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (along[i].size() > most) throw std::invalid_argument("a node has more directions than were foreseen");
        for (std::size_t a = 0; a < along[i].size(); ++a) {
            budget.poll();
            const Along& line = along[i][a];
            if (line.edges.size() >= n_bins) throw std::invalid_argument("there are more edges than bins");
            for (u32 row : rows_of(nodes[i])) {
                const double z = position(line, row);
                const auto bin = std::lower_bound(line.edges.begin(), line.edges.end(), z) - line.edges.begin();
                along_bins_[a][row] = static_cast<Bin>(is_missing(z) ? n_bins : static_cast<u32>(bin));
            }
        }
        along_[nodes[i]] = std::move(along[i]);
    }
}

void Portion::add_ends(u32 node, double* ends) const {
    const auto lines = along(node);
    for (std::size_t a = 0; a < lines.size(); ++a) {
        const u32 n_bins = layout_->n_bins(layout_->n_table);
        double* own = ends + 2 * a * n_bins;
        for (u32 row : rows_of(node)) {
            const u32 bin = along_bins_[a][row];
            if (bin == n_bins) continue;
            const double z = position(lines[a], row);
            own[2 * bin] = std::max(own[2 * bin], -z);
            own[2 * bin + 1] = std::max(own[2 * bin + 1], z);
        }
    }
}

}  // namespace bough
