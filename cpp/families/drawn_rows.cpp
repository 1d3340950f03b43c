#include "families/drawn_rows.hpp"

namespace bough {

DrawnRows::DrawnRows(const Problem& problem)
    : ranks_(problem.ranks),
      packing_(problem.table->n_rows, problem.target->n_classes),
      class_bits_(packing_.rank_shift - packing_.row_bits),
      far_(problem.ranks->bytes() > kNearer),
      by_row_(static_cast<u32>(kCache / std::max<u64>(1, problem.ranks->bytes_of_row()))) {
    const std::span<const u32> rows = problem.rows;
    const std::size_t n = rows.empty() ? problem.table->n_rows : rows.size();
    entries_.reserve(n);
    for (std::size_t i = 0; i < n;) {
        const u32 row = rows.empty() ? static_cast<u32>(i) : rows[i];
        u32 times = 1;
        while (times < kMostTimes && i + times < n && !rows.empty() && rows[i + times] == row) ++times;
        entries_.push_back(packing_.pack(row, problem.target->classes[row]) | times << packing_.rank_shift);
        i += times;
    }
}

void DrawnRows::divide(const Stretch& run, const Division& division, Worker& worker,
                       std::span<std::unique_ptr<NodeState>> children) {
    worker.spare.grow_to(run.size);
    std::vector<Piece> pieces(children.size());
    division.part(from(run.begin), run.size, packing_.row_mask, pieces.data(),
                  reinterpret_cast<u32*>(worker.spare.data()));
    for (std::size_t c = 0; c < children.size(); ++c)
        if (division.open[c]) children[c] = std::make_unique<Stretch>(run.begin + pieces[c].begin, pieces[c].size);
}

bool DrawnRows::fit(const Data& data) {
    const Target& target = data.target;
    if (target.regression() || target.weighted() || data.table.entry_bits > 32) return false;
    return Packing<u32>(data.table.n_rows, target.n_classes).rank_bits >= kTimesBits;
}

}  // namespace bough
