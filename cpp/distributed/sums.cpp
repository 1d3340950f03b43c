// What portions tell for directions: sums over the numbers of a node, and positions along what was made of them.
#include "base/linalg.hpp"
#include "distributed/portion.hpp"

namespace bough {

// Adds what the numbers of a node are about the centers of the columns: for each class, or for numbers to be predicted
// up to their mean and above, its weight and Σ w·x and Σ w of the rows that have a number, per numeric column; and
// raises −x and x. Appends the numbers of every so many rows.
void Portion::add_sums(const Request& r, std::size_t i, double* sums, double* ends, std::vector<double>& some) const {
    const std::size_t d = numeric_.size();
    const Target& target = data_.target;
    u32 number = 0;
    for (u32 row : rows_of(r.nodes[i])) {
        const u32 group = layout_->regression ? (target.numbers[row] > r.means[i] ? 1 : 0) : target.classes[row];
        const bool shown = number++ % r.steps[i] == 0;
        const double w = target.weight(row);
        double* s = sums + group * (2 * d + 1);
        s[0] += w;
        for (std::size_t j = 0; j < d; ++j) {
            const double x = data_.table.columns[numeric_[j]].value(row) - r.centers[numeric_[j]];
            if (shown) some.push_back(x);
            if (is_missing(x)) continue;
            s[1 + j] += w * x;
            s[1 + d + j] += w;
            ends[2 * j] = std::max(ends[2 * j], -x);
            ends[2 * j + 1] = std::max(ends[2 * j + 1], x);
        }
    }
}

// Adds products of the numbers of a node about `mean`, where a missing one is.
void Portion::add_products(u32 node, std::span<const double> centers, const double* mean, double* products,
                           Budget& budget) const {
    constexpr u32 kRows = 256;  // that are multiplied together
    const u32 d = static_cast<u32>(numeric_.size());
    const auto here = rows_of(node);
    std::vector<double> block;
    for (std::size_t i = 0; i < here.size(); ++i) {
        const double root = std::sqrt(data_.target.weight(here[i]));
        for (u32 j = 0; j < d; ++j) {
            const double x = data_.table.columns[numeric_[j]].value(here[i]) - centers[numeric_[j]];
            block.push_back(is_missing(x) ? 0.0 : root * (x - mean[j]));
        }
        const u32 rows = static_cast<u32>(i % kRows) + 1;
        if (rows < kRows && i + 1 < here.size()) continue;
        linalg::gram_of_columns(block.data(), d, rows, d, products, budget, true);
        block.clear();
    }
}

std::span<const SentDirection> Portion::lines(u32 node) const {
    const auto at = lines_.find(node);
    return at == lines_.end() ? std::span<const SentDirection>() : at->second;
}

// Gives nodes their directions: their rows are put into bins.
void Portion::aim(const Request& r, Budget& budget) {
    const u32 n_bins = layout_->n_direction_bins;
    lines_.clear();
    line_bins_.resize(layout_->n_directions);
    for (auto& bins : line_bins_) bins.resize(data_.table.n_rows);
    for (std::size_t i = 0; i < r.nodes.size(); ++i) {
        for (std::size_t a = 0; a < r.directions[i].size(); ++a) {
            budget.poll();
            const SentDirection& line = r.directions[i][a];
            for (u32 row : rows_of(r.nodes[i])) {
                const double z = position(line, row);
                const auto bin = std::lower_bound(line.edges.begin(), line.edges.end(), z) - line.edges.begin();
                line_bins_[a][row] = static_cast<Bin>(is_missing(z) ? n_bins : static_cast<u32>(bin));
            }
        }
        lines_[r.nodes[i]] = r.directions[i];
    }
    aim_ = r.aim;
}

// Raises the ends of the bins of a node along its directions.
void Portion::raise_ends(u32 node, double* ends) const {
    const auto own_lines = lines(node);
    for (std::size_t a = 0; a < own_lines.size(); ++a) {
        const u32 n_bins = layout_->n_direction_bins;
        double* own = ends + 2 * a * n_bins;
        for (u32 row : rows_of(node)) {
            const u32 bin = line_bins_[a][row];
            if (bin == n_bins) continue;
            const double z = position(own_lines[a], row);
            own[2 * bin] = std::max(own[2 * bin], -z);
            own[2 * bin + 1] = std::max(own[2 * bin + 1], z);
        }
    }
}

}  // namespace bough
